import type {
  AssistantEntry,
  ContentBlock,
  HistoryEntry,
  JsonObject,
  JsonValue,
  MethodParams,
  ModelBlock,
} from '@rondo/protocol';
import type { ConversationItem } from './conversation.ts';

/** What stands where a reply names its model: no model wrote it here, so nothing of it is anyone's to have back. */
export const IMPORTED_MODEL = 'imported';

/** An entry as `session/create` takes it: what has a default may be left out. */
export type GivenEntry = NonNullable<MethodParams<'session/create'>['history']>[number];

/** The entry as the log has it. */
export function importedEntry(entry: GivenEntry, id: string): HistoryEntry {
  switch (entry.type) {
    case 'message': {
      const content = (entry.content ?? []).map(withText);
      if (entry.role === 'assistant')
        return { type: 'assistant', id, model: IMPORTED_MODEL, content: content.map(spokenBlock) };
      return { type: 'message', id, role: entry.role, content };
    }
    case 'reasoning':
      return { type: 'reasoning', id, text: entry.text };
    case 'tool_call': {
      const { toolCallId, name, toolKind = 'local', arguments: input = null } = entry;
      return { type: 'tool_call', id, toolCallId, toolKind, name, arguments: input };
    }
    case 'tool_result': {
      const { toolCallId, name, result = null, error, annotations = {} } = entry;
      return {
        type: 'tool_result',
        id,
        toolCallId,
        ...(name === undefined || name === null ? {} : { name }),
        ...(error === undefined || error === null ? { result } : { error }),
        annotations,
      };
    }
    case 'snapshot':
      return {
        type: 'checkpoint',
        id,
        message: `${entry.taskName}:${entry.snapshotType}`,
        details: entry.value ?? null,
      };
  }
}

/**
 * Puts a call, a result or a reply that was imported where the model will find it. Calls that follow one another, and
 * what was said before them, are one reply, as they would have been.
 */
export function addImported(conversation: ConversationItem[], entry: HistoryEntry): void {
  const open = openCallsOf(conversation);
  if (entry.type === 'assistant') addReply(conversation, entry.id, entry.content);
  else if (entry.type === 'tool_call') {
    const { id, toolCallId, name, arguments: input } = entry;
    addReply(conversation, id, [{ type: 'tool_call', toolCallId, name, input: argumentsOf(input) }]);
    addLastCall(open, conversation);
  } else if (entry.type === 'tool_result') {
    const { toolCallId, result = null, error } = entry;
    const place = takeCall(open, toolCallId);
    if (place === undefined) return;
    conversation.push({
      kind: 'result',
      entryId: place.entryId,
      result: {
        callId: `${place.entryId}#${place.block}`,
        toolCallId,
        isError: error !== undefined,
        content: [{ type: 'text', text: error === undefined ? textOf(result) : error.message }],
        outcome: error === undefined ? 'success' : 'error',
        ...(error === undefined ? {} : { error }),
      },
    });
  }
  open.count = conversation.length;
  open.last = conversation.at(-1);
}

function addReply(conversation: ConversationItem[], id: string, content: readonly ModelBlock[]): void {
  const last = conversation.at(-1);
  if (last?.kind !== 'assistant' || last.entry.model !== IMPORTED_MODEL) {
    conversation.push({
      kind: 'assistant',
      entry: { type: 'assistant', id, model: IMPORTED_MODEL, content: [...content] },
    });
    return;
  }
  const entry: AssistantEntry = { ...last.entry, content: [...last.entry.content, ...content] };
  conversation[conversation.length - 1] = { kind: 'assistant', entry };
}

interface OpenCalls {
  /** How much of the conversation is in, and the last item of that. */
  count: number;
  last: ConversationItem | undefined;
  /** By call ID: replies with such calls that have no result yet, the last one last, with the places of the calls. */
  readonly byId: Map<string, { readonly entryId: string; readonly blocks: number[] }[]>;
}

/** A history comes entry by entry: to look through all of it for every result would take too long for a long one. */
const known = new WeakMap<readonly ConversationItem[], OpenCalls>();

function openCallsOf(conversation: readonly ConversationItem[]): OpenCalls {
  let open = known.get(conversation);
  if (open === undefined || (open.count > 0 && conversation[open.count - 1] !== open.last)) {
    open = { count: 0, last: undefined, byId: new Map() };
    known.set(conversation, open);
  }
  for (; open.count < conversation.length; open.count += 1) addItem(open, conversation[open.count]);
  return open;
}

function addItem(open: OpenCalls, item: ConversationItem | undefined): void {
  if (item?.kind === 'assistant') {
    for (const [index, block] of item.entry.content.entries()) {
      if (block.type === 'tool_call') addCall(open, block.toolCallId, item.entry.id, index);
    }
  } else if (item?.kind === 'result') {
    const { callId, toolCallId } = item.result;
    const reply = open.byId.get(toolCallId)?.find(({ entryId }) => entryId === item.entryId);
    const place = reply?.blocks.indexOf(Number(callId.slice(callId.lastIndexOf('#') + 1))) ?? -1;
    if (place >= 0) reply?.blocks.splice(place, 1);
  }
}

function addLastCall(open: OpenCalls, conversation: readonly ConversationItem[]): void {
  const last = conversation.at(-1);
  if (last?.kind !== 'assistant') return;
  const { id, content } = last.entry;
  const block = content.at(-1);
  if (block?.type === 'tool_call') addCall(open, block.toolCallId, id, content.length - 1);
}

function addCall({ byId }: OpenCalls, toolCallId: string, entryId: string, block: number): void {
  const replies = byId.get(toolCallId) ?? [];
  const last = replies.at(-1);
  if (last?.entryId === entryId) last.blocks.push(block);
  else replies.push({ entryId, blocks: [block] });
  byId.set(toolCallId, replies);
}

/** The first call of that ID without a result in the last reply that has one. It has one from now on. */
function takeCall(
  { byId }: OpenCalls,
  toolCallId: string,
): { readonly entryId: string; readonly block: number } | undefined {
  const replies = byId.get(toolCallId) ?? [];
  for (let reply = replies.at(-1); reply !== undefined; reply = replies.at(-1)) {
    const block = reply.blocks.shift();
    if (block !== undefined) return { entryId: reply.entryId, block };
    replies.pop();
  }
  return undefined;
}

/** A model's calls have objects as arguments; whatever else was imported is kept under one name. */
function argumentsOf(value: JsonValue): JsonValue {
  if (value === null) return {};
  return typeof value === 'object' && !Array.isArray(value) ? value : { value };
}

function textOf(result: JsonValue): string {
  if (result === null) return '';
  return typeof result === 'string' ? result : JSON.stringify(result);
}

/** A model's own words are text; what else it was said to have shown stands as a description of it. */
function spokenBlock(block: ContentBlock): ModelBlock {
  if (block.type === 'text' || block.type === 'image') return block;
  // A block that came over a wire is JSON.
  return { type: 'opaque', provider: IMPORTED_MODEL, raw: block as JsonObject };
}

type ImportedBlock = NonNullable<Extract<GivenEntry, { type: 'message' }>['content']>[number];

function withText(block: ImportedBlock): ContentBlock {
  return block.type === 'text' ? { ...block, text: block.text ?? '' } : block;
}
