import type { JsonObject, JsonValue } from '@rondo/protocol';
import type { Effort, ModelRequest } from '@rondo/runtime';
import { isJsonObject } from '../dialect/json.ts';
import type { ReasoningParameters } from './server-quirks.ts';

const order: readonly Effort[] = ['low', 'medium', 'high', 'xhigh', 'max'];

/** What was asked about reasoning in the parameters of a server; what it has no parameter for is left to the model. */
export function encodeReasoningParameters(
  { thinking, effort }: Pick<ModelRequest, 'thinking' | 'effort'>,
  { effort: levels, on, off, budget }: ReasoningParameters,
): JsonObject {
  if (thinking?.type === 'disabled') return off ?? {};
  const level = levels && effort && supportedLevel(effort, levels.levels);
  const asked = thinking?.type === 'enabled' ? on : undefined;
  const tokens = thinking?.type === 'enabled' && budget === true ? thinking.budgetTokens : undefined;
  // A number of tokens says more than a level, and only one of them may be given.
  if (tokens !== undefined) return merge(asked, { reasoning: { max_tokens: tokens } });
  return merge(asked, levels === undefined || level === undefined ? undefined : atField(levels.field, level));
}

/** The level asked for, or the next lower one that there is. */
function supportedLevel(asked: Effort, levels: readonly Effort[]): Effort | undefined {
  return levels.findLast((level) => order.indexOf(level) <= order.indexOf(asked)) ?? levels[0];
}

function atField(field: 'reasoning_effort' | 'reasoning' | 'chat_template_kwargs', level: Effort): JsonObject {
  if (field === 'reasoning') return { reasoning: { effort: level } };
  return field === 'reasoning_effort' ? { reasoning_effort: level } : { [field]: { reasoning_effort: level } };
}

function merge(left: JsonObject = {}, right: JsonObject = {}): JsonObject {
  const merged: Record<string, JsonValue> = { ...left };
  for (const [key, value] of Object.entries(right)) {
    const before = merged[key];
    merged[key] = isJsonObject(before) && isJsonObject(value) ? { ...before, ...value } : value;
  }
  return merged;
}
