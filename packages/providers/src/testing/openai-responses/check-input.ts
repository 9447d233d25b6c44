import { firstProblem, isWire, type Wire } from '../request-guards.ts';
import type { ReasoningSigner } from '../reasoning-signature.ts';
import { inputItem } from './item-shapes.ts';
import { isSealIntact } from './reasoning-seal.ts';

/** What is wrong with a request's input: its items, reasoning that was altered or left alone, calls without outputs. */
export function checkInput(input: unknown, signer: ReasoningSigner): string | undefined {
  if (typeof input === 'string') return input === '' ? 'input: must not be empty' : undefined;
  if (!Array.isArray(input) || input.length === 0) return 'input: at least one item is required';
  return (
    firstProblem(input as readonly unknown[], (item, index) => inputItem(item, `input[${index}]`)) ??
    checkItems(input.filter(isWire), signer)
  );
}

function checkItems(items: readonly Wire[], signer: ReasoningSigner): string | undefined {
  return (
    checkIds(items) ??
    firstProblem(items, (item, index) =>
      item['type'] === 'reasoning' ? checkReasoning(item, items[index + 1], signer) : undefined,
    ) ??
    checkPairs(items, { call: 'function_call', output: 'function_call_output' }) ??
    checkPairs(items, { call: 'custom_tool_call', output: 'custom_tool_call_output' })
  );
}

function checkIds(items: readonly Wire[]): string | undefined {
  const seen = new Set<unknown>();
  const twice = items.find(({ id }) => id !== undefined && id !== null && seen.size === seen.add(id).size);
  return (
    twice &&
    `Duplicate item found with id ${String(twice['id'])}. Remove duplicate items from your input and try again.`
  );
}

/** Nothing is kept on the vendor's side, so reasoning has to bring itself along. */
function checkReasoning(item: Wire, next: Wire | undefined, signer: ReasoningSigner): string | undefined {
  const id = String(item['id']);
  if (typeof item['encrypted_content'] !== 'string') {
    return `Item with id '${id}' not found. Items are not persisted when \`store\` is set to false. Try again with \`store\` set to true, or remove this item from your input.`;
  }
  if (!isSealIntact(item, signer)) {
    return `The encrypted content for item ${id} could not be verified. Reason: Encrypted content could not be decrypted or parsed.`;
  }
  return next === undefined || !isModels(next)
    ? `Item '${id}' of type 'reasoning' was provided without its required following item.`
    : undefined;
}

/** Whether the model wrote the item. */
export function isModels({ type, role }: Wire): boolean {
  if (type === undefined || type === 'message') return role === 'assistant';
  return typeof type === 'string' && !type.endsWith('_output');
}

function checkPairs(
  items: readonly Wire[],
  { call, output }: { readonly call: string; readonly output: string },
): string | undefined {
  const open = new Set<string>();
  const seen = new Set<string>();
  for (const { type, call_id: callId } of items) {
    const id = String(callId);
    if (type === call) {
      if (seen.has(id)) return `Duplicate ${call} found with call_id ${id}.`;
      seen.add(id);
      open.add(id);
    } else if (type === output && !open.delete(id)) {
      return seen.has(id)
        ? `Duplicate ${output} found with call_id ${id}.`
        : `No tool call found for ${call.replaceAll('_', ' ')} output with call_id ${id}.`;
    }
  }
  const [left] = open;
  return left === undefined ? undefined : `No tool output found for ${call.replaceAll('_', ' ')} ${left}.`;
}
