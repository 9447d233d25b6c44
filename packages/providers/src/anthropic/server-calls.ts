import type { JsonObject, ModelBlock } from '@rondo/protocol';
import type { ModelMessage } from '@rondo/runtime';
import { isJsonObject } from '../dialect/json.ts';

/** What a reply holds of tools that run on the vendor's side. */
interface ServerBlocks {
  readonly calls: readonly JsonObject[];
  readonly results: readonly JsonObject[];
  /** Where those tools ran, to run there again. */
  readonly container: JsonObject | undefined;
}

const none: ServerBlocks = { calls: [], results: [], container: undefined };
const known = new WeakMap<ModelMessage, ServerBlocks>();
const nothing: ReadonlySet<JsonObject> = new Set();

/** The block that the adapter makes of a reply's `container`, which the API keeps beside its content. */
export const containerType = 'container';

/**
 * Blocks that would make the API refuse the conversation: a call of the vendor's own tools that has no result and is
 * past getting one, and a result whose call is gone. A call without its result goes back where it is what the request
 * is about: at the end of a reply that paused, or beside calls whose results are the last message.
 */
export function unpairedBlocks(messages: readonly ModelMessage[]): ReadonlySet<JsonObject> {
  // Most conversations have none of them, and every request asks.
  if (!messages.some((message) => message.role === 'assistant' && serverBlocks(message) !== none)) return nothing;
  const open = new Map<unknown, JsonObject>();
  const unpaired = new Set<JsonObject>();
  for (const [index, message] of messages.entries()) {
    if (message.role !== 'assistant') continue;
    const { calls, results } = serverBlocks(message);
    for (const call of calls) open.set(call['id'], call);
    for (const result of results) if (!open.delete(result['tool_use_id'])) unpaired.add(result);
    if (open.size === 0 || isOfLastStep(messages, index)) continue;
    for (const [id, call] of open) {
      if (isAnsweredNext(messages, index, call)) continue;
      unpaired.add(call);
      open.delete(id);
    }
  }
  return unpaired.size === 0 ? nothing : unpaired;
}

/** The ID of the container that the conversation ran in last, unless its time is over. */
export function currentContainer(messages: readonly ModelMessage[], now: number): string | undefined {
  for (let index = messages.length - 1; index >= 0; index -= 1) {
    const message = messages[index];
    const container = message?.role === 'assistant' ? serverBlocks(message).container : undefined;
    if (container === undefined) continue;
    const { id, expires_at: expiry } = container;
    const isOver = typeof expiry === 'string' && Date.parse(expiry) <= now;
    return typeof id === 'string' && !isOver ? id : undefined;
  }
  return undefined;
}

/** The block as the API sent it, if it is one of those that only the API understands. */
export function opaqueBlock(block: ModelBlock): JsonObject | undefined {
  return block.type === 'opaque' && block.provider === 'anthropic' && isJsonObject(block.raw) ? block.raw : undefined;
}

function serverBlocks(message: Extract<ModelMessage, { role: 'assistant' }>): ServerBlocks {
  let blocks = known.get(message);
  if (blocks === undefined) {
    const raws = message.content.map(opaqueBlock).filter((raw) => raw !== undefined);
    const typed = (holds: (type: string) => boolean) =>
      raws.filter(({ type }) => typeof type === 'string' && holds(type));
    blocks =
      raws.length === 0
        ? none
        : {
            calls: typed((type) => type === 'server_tool_use' || type === 'mcp_tool_use'),
            results: typed((type) => type.endsWith('_tool_result')),
            container: typed((type) => type === containerType).at(-1),
          };
    known.set(message, blocks);
  }
  return blocks;
}

/** Whether nothing stands behind the reply but the results of its calls. */
function isOfLastStep(messages: readonly ModelMessage[], index: number): boolean {
  return index === messages.length - 1 || (index === messages.length - 2 && beginsWithResult(messages[index + 1]));
}

/** Whether the call waited for the results of other calls and the reply behind them has its own. */
function isAnsweredNext(messages: readonly ModelMessage[], index: number, call: JsonObject): boolean {
  const next = messages[index + 2];
  if (next?.role !== 'assistant' || !beginsWithResult(messages[index + 1])) return false;
  return serverBlocks(next).results.some((result) => result['tool_use_id'] === call['id']);
}

function beginsWithResult(message: ModelMessage | undefined): boolean {
  return message?.role === 'user' && message.content[0]?.type === 'tool_result';
}
