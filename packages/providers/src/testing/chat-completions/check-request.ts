import type { ReasoningSigner } from '../reasoning-signature.ts';
import { firstProblem, isWire, type Wire } from '../request-guards.ts';
import type { Flavour } from './flavour.ts';
import { requestShape } from './request-shape.ts';

const mostTools = 128;

/**
 * What is wrong with a request by OpenAI's public reference of chat completions and by what a flavour refuses beyond
 * it, said with the place where it is wrong, or undefined. Stricter than the reference about empty texts and the order
 * of results.
 */
export function checkRequest(body: unknown, flavour: Flavour, signer: ReasoningSigner): string | undefined {
  const problem = requestShape(flavour)(body, '');
  if (problem !== undefined || !isWire(body)) return problem ?? 'the body is not a JSON object';
  const messages = (body['messages'] as readonly unknown[]).filter(isWire);
  return (
    checkTools(body) ??
    checkLimit(body) ??
    checkOrder(messages) ??
    flavour.checkHistory?.(messages, { model: String(body['model']), signer }) ??
    checkCharacters(body, 'body')
  );
}

function checkTools({ tools, tool_choice: choice, parallel_tool_calls: parallel }: Wire): string | undefined {
  if (!Array.isArray(tools)) {
    const stray = choice !== undefined ? 'tool_choice' : parallel !== undefined ? 'parallel_tool_calls' : undefined;
    return stray === undefined ? undefined : `${stray}: is only allowed when tools are specified`;
  }
  if (tools.length > mostTools) return `tools: ${tools.length} tools, at most ${mostTools} are taken`;
  const names = (tools as readonly Wire[]).map((tool) =>
    isWire(tool['function']) ? tool['function']['name'] : undefined,
  );
  const twice = names.findIndex((name, index) => names.indexOf(name) !== index);
  return twice === -1 ? undefined : `tools.${twice}.function.name: ${JSON.stringify(names[twice])} is there twice`;
}

function checkLimit(body: Wire): string | undefined {
  return body['max_tokens'] !== undefined && body['max_completion_tokens'] !== undefined
    ? 'max_tokens: cannot stand beside max_completion_tokens'
    : undefined;
}

/** The system first and once; every call answered at once and in order, and no result without a call. */
function checkOrder(messages: readonly Wire[]): string | undefined {
  let open: readonly string[] = [];
  const seen = new Set<string>();
  for (const [index, message] of messages.entries()) {
    const { role } = message;
    const place = `messages.${index}`;
    if (role === 'tool') {
      const id = String(message['tool_call_id']);
      if (!open.includes(id))
        return `${place}: a message with the role tool must answer tool_calls right before it, ${id} does not`;
      if (open[0] !== id) return `${place}: the result of ${id} comes before that of ${open[0]}`;
      open = open.slice(1);
      continue;
    }
    if (open.length > 0) return `${place}: tool_calls without a result: ${open.join(', ')}`;
    if ((role === 'system' || role === 'developer') && index > 0) return `${place}: the system message must come first`;
    if (role === 'assistant' && messages[index - 1]?.['role'] === 'assistant')
      return `${place}: two assistant messages in a row`;
    open = callIds(message);
    const twice = open.find((id) => seen.size === seen.add(id).size);
    if (twice !== undefined) return `${place}: the call ID ${twice} was used before`;
  }
  if (open.length > 0) return `messages: tool_calls without a result: ${open.join(', ')}`;
  return messages.at(-1)?.['role'] === 'assistant' ? "messages: the last message is the assistant's" : undefined;
}

function callIds({ tool_calls: calls }: Wire): readonly string[] {
  return Array.isArray(calls) ? (calls as readonly Wire[]).map(({ id }) => String(id)) : [];
}

function checkCharacters(value: unknown, place: string): string | undefined {
  if (typeof value === 'string')
    return value.isWellFormed() ? undefined : `${place}: the text holds half a surrogate pair`;
  if (Array.isArray(value)) return firstProblem(value, (member, index) => checkCharacters(member, `${place}.${index}`));
  if (!isWire(value)) return undefined;
  return firstProblem(Object.entries(value), ([key, member]) => checkCharacters(member, `${place}.${key}`));
}
