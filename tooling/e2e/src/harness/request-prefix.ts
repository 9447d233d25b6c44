import type { RecordedRequest } from '@rondo/providers/testing';

/** The parts of a request that a provider caches, as they stand in its bytes, without the marks that say so. */
export interface RequestPrefix {
  readonly system: string | undefined;
  readonly tools: string | undefined;
  readonly messages: readonly string[];
}

const cacheMark = /,"cache_control":\{"type":"ephemeral"(,"ttl":"\w+")?\}/g;

/** Cuts the body as it came, without parsing and writing it anew: what is compared is what was sent. */
export function prefixOf({ text }: Pick<RecordedRequest, 'text'>): RequestPrefix {
  const sent = text.replaceAll(cacheMark, '');
  if (sent.includes('"cache_control"')) throw new Error(`a cache mark stands where none is expected: ${sent}`);
  const members = membersOf(sent);
  const messages = members.get('messages');
  if (messages === undefined) throw new Error(`no messages: ${sent}`);
  return { system: members.get('system'), tools: members.get('tools'), messages: itemsOf(messages) };
}

/** The members of the conversation that a request holds, whatever its vendor calls it, as they stand in its bytes. */
export function conversationOf({ text }: Pick<RecordedRequest, 'text'>): readonly string[] {
  const members = membersOf(text.replaceAll(cacheMark, ''));
  const conversation = members.get('messages') ?? members.get('input') ?? members.get('contents');
  if (conversation === undefined) throw new Error(`no conversation: ${text}`);
  return itemsOf(conversation);
}

/** The members of a JSON object, each with the text of its value. */
function membersOf(json: string): Map<string, string> {
  const members = partsOf(json).map((part): [string, string] => {
    const [, name = '', value = ''] = /^"((?:[^"\\]|\\.)*)":(.*)$/s.exec(part) ?? [];
    return [name, value];
  });
  return new Map(members);
}

const itemsOf = partsOf;

/** What stands between the outermost commas of an object or list. */
function partsOf(json: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let inString = false;
  let start = 1;
  for (let index = 0; index < json.length; index += 1) {
    const character = json[index];
    if (inString) {
      if (character === '\\') index += 1;
      else if (character === '"') inString = false;
    } else if (character === '"') inString = true;
    else if (character === '{' || character === '[') depth += 1;
    else if (character === '}' || character === ']') depth -= 1;
    else if (character === ',' && depth === 1) {
      parts.push(json.slice(start, index));
      start = index + 1;
    }
  }
  if (json.length > 2) parts.push(json.slice(start, -1));
  return parts;
}
