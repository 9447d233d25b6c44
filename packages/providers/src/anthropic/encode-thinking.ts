import type { JsonObject, ModelBlock } from '@rondo/protocol';
import type { Effort, ModelMessage, ModelRequest } from '@rondo/runtime';
import { allEfforts, type CatalogModel } from '../catalog/model-catalog.ts';

export interface EncodeThinkingOptions {
  readonly catalog: CatalogModel;
  readonly maxTokens: number;
  /** As it is asked for. */
  readonly effort: Effort | undefined;
  readonly dropsMovedThinking?: boolean;
}

/** Tokens of reasoning for a model that wants a number and was given none. */
const defaultBudgetTokens = 16_000;
const leastBudgetTokens = 1_024;

/** The field of a request: what was asked for, in the way that this model takes. Undefined leaves it to the model. */
export function encodeThinking(request: ModelRequest, options: EncodeThinkingOptions): object | undefined {
  const thinking = askedThinking(request, options);
  if (options.dropsMovedThinking !== true || (thinking !== undefined && thinking.type !== 'adaptive')) return thinking;
  // Such a model thinks adaptively where nothing is said, too.
  return { type: 'adaptive', ...thinking, block_binding: { prefix_mismatch_behavior: 'drop_block' } };
}

function askedThinking(
  { thinking, messages }: ModelRequest,
  { catalog, maxTokens, effort }: EncodeThinkingOptions,
): (JsonObject & { readonly type: string }) | undefined {
  if (thinking === undefined) return undefined;
  const { thinking: style, offUpTo = 'max' } = catalog;
  if (thinking.type === 'disabled') {
    const strained = effort !== undefined && allEfforts.indexOf(effort) > allEfforts.indexOf(offUpTo);
    if (style === 'always' || strained) return undefined;
    return { type: style === 'between_tools' ? 'between_tools' : 'disabled' };
  }
  const display = thinking.display === undefined ? {} : { display: thinking.display };
  const adaptive = { type: 'adaptive', ...display };
  const byBudget = style === 'budget' || (style === 'either' && thinking.type === 'enabled');
  if (!byBudget) return adaptive;
  if (!beginsWithThinking(messages)) return style === 'either' ? adaptive : undefined;
  const asked = thinking.type === 'enabled' ? thinking.budgetTokens : undefined;
  const budget = Math.min(Math.max(asked ?? defaultBudgetTokens, leastBudgetTokens), maxTokens - 1);
  return budget < leastBudgetTokens ? undefined : { type: 'enabled', budget_tokens: budget, ...display };
}

/**
 * Whether the turn that goes on with results of its calls began with thinking, as the API demands of a request with a
 * budget for it. It did not where another model began it, or where its thinking was not taken back. True of a new turn.
 */
function beginsWithThinking(messages: readonly ModelMessage[]): boolean {
  let first: readonly ModelBlock[] | undefined;
  for (let index = messages.length - 1; index > 0; index -= 2) {
    const [reply, results] = [messages[index - 1], messages[index]];
    if (results?.role !== 'user' || !results.content.some(({ type }) => type === 'tool_result')) break;
    if (reply?.role === 'assistant') first = reply.content;
  }
  const block = first?.find((each) => each.type !== 'text' || /\S/.test(each.text));
  if (block === undefined) return true;
  return block.type === 'reasoning' && (block.signature !== undefined || block.redacted !== undefined);
}
