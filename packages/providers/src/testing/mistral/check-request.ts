import { firstProblem, isWire, type Wire } from '../request-guards.ts';
import { requestShape } from './request-shape.ts';

/**
 * What is wrong with a request by the rules of Mistral's public reference and its published request validator, said with
 * the place where it is wrong, or undefined.
 */
export function checkRequest(body: unknown): string | undefined {
  const problem = requestShape(body, '');
  if (problem !== undefined || !isWire(body)) return problem ?? 'the body is not a JSON object';
  const messages = (body['messages'] as readonly unknown[]).filter(isWire);
  return checkOrder(messages) ?? checkContents(messages) ?? checkPairs(messages) ?? checkReasoning(body);
}

/** Who may speak after whom. */
const followers: Readonly<Record<string, readonly string[]>> = {
  system: ['user', 'assistant', 'system'],
  user: ['assistant', 'system', 'user'],
  assistant: ['assistant', 'user', 'tool'],
  tool: ['assistant', 'tool'],
};

function checkOrder(messages: readonly Wire[]): string | undefined {
  const roles = messages.map(({ role }) => String(role));
  const [first] = roles;
  if (first === undefined) return 'messages: Conversation must have at least one message';
  if (first !== 'user' && first !== 'system')
    return 'messages.0: Conversation must start with a user message or system message';
  const wrong = roles.findIndex((role, index) => index > 0 && !followers[roles[index - 1] ?? '']?.includes(role));
  if (wrong !== -1) return `messages.${wrong}: Unexpected role '${roles[wrong]}' after role '${roles[wrong - 1]}'`;
  const last = messages.at(-1);
  if (last?.['role'] === 'user' || last?.['role'] === 'tool' || last?.['prefix'] === true) return undefined;
  return `messages.${messages.length - 1}: Expected last role User or Tool (or Assistant with prefix True) for serving but got ${String(last?.['role'])}`;
}

function checkContents(messages: readonly Wire[]): string | undefined {
  return firstProblem(messages, ({ role, content, tool_calls: calls }, index) => {
    const place = `messages.${index}`;
    const said = typeof content === 'string' ? content !== '' : Array.isArray(content) && content.length > 0;
    if (role === 'user' && !said) return `${place}: a user message must have content`;
    if (role !== 'assistant' || said || (Array.isArray(calls) && calls.length > 0)) return undefined;
    return `${place}: Assistant message must have either content or tool_calls`;
  });
}

/** Every call has its result right behind it, in order, and no result is without its call. */
function checkPairs(messages: readonly Wire[]): string | undefined {
  let open: readonly string[] = [];
  const seen = new Set<string>();
  const problem = firstProblem(messages, ({ role, tool_calls: calls, tool_call_id: id }, index) => {
    const place = `messages.${index}`;
    if (role === 'tool') {
      const [expected, ...rest] = open;
      open = rest;
      return id === expected
        ? undefined
        : `${place}.tool_call_id: ${String(id)} where the result of ${String(expected)} belongs`;
    }
    if (open.length > 0) return `${place}: Not the same number of function calls and responses`;
    open = Array.isArray(calls) ? calls.filter(isWire).map((call) => String(call['id'])) : [];
    const twice = open.find((call) => seen.size === seen.add(call).size);
    return twice === undefined ? undefined : `${place}.tool_calls: Duplicate tool call id: ${twice}`;
  });
  return problem ?? (open.length > 0 ? 'messages: Not the same number of function calls and responses' : undefined);
}

/** Models that were never told how much to reason refuse to be. */
function checkReasoning({ model, reasoning_effort: effort }: Wire): string | undefined {
  if (effort === undefined || effort === null) return undefined;
  return /^(codestral|ministral|mistral-large-2512|devstral)/.test(String(model))
    ? `reasoning_effort: ${String(model)} does not support it`
    : undefined;
}
