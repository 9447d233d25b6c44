import type { ModelRequest } from '@rondo/runtime';
import { reasoningLevel } from '../ai-sdk/reasoning-options.ts';
import { allEfforts, type CatalogModel } from '../catalog/model-catalog.ts';
import { supportedEffort } from '../dialect/supported-effort.ts';

type ThinkingConfig = {
  readonly includeThoughts?: boolean;
  /** In small letters, which the provider package asks for; the vendor takes the names in any case. */
  readonly thinkingLevel?: string;
  readonly thinkingBudget?: number;
};

/** Tokens for a level where the model wants a number. */
const budgets = { none: 0, low: 2_048, medium: 8_192, high: 16_384, xhigh: 24_576, max: 24_576 } as const;

interface BudgetRange {
  readonly least: number;
  readonly most: number;
  /** Whether nought switches thinking off. */
  readonly mayBeNone: boolean;
}

/** What the API refuses to go beyond, by the first pattern that fits a model's ID. */
const ranges: readonly (readonly [RegExp, BudgetRange])[] = [
  [/2\.5-pro/, { least: 128, most: 32_768, mayBeNone: false }],
  [/flash-lite/, { least: 512, most: 24_576, mayBeNone: true }],
  [/./, { least: 1, most: 24_576, mayBeNone: true }],
];

/** One that is newer than the catalog. */
const newer = { efforts: allEfforts.slice(0, 3) };

/**
 * How the model is to think, by level or by a number of tokens as it takes it. Thoughts are asked for unless they are
 * not to be shown; undefined leaves everything to the model.
 */
export function thinkingConfig(
  request: Pick<ModelRequest, 'thinking' | 'effort'>,
  { model, facts }: { readonly model: string; readonly facts: CatalogModel },
): ThinkingConfig | undefined {
  const { thinking } = request;
  const level = reasoningLevel(request);
  if (thinking === undefined && level === undefined) return undefined;
  const shown = {
    includeThoughts: level !== 'none' && !(thinking && 'display' in thinking && thinking.display === 'omitted'),
  };
  if (facts.thinking === 'budget') {
    const asked = thinking?.type === 'enabled' ? thinking.budgetTokens : undefined;
    const tokens = asked ?? (level && budgets[level]);
    return { ...shown, ...(tokens !== undefined && { thinkingBudget: withinRange(model, tokens) }) };
  }
  const { efforts = newer.efforts, noEffort } = facts;
  const lowest = noEffort ?? efforts[0];
  const thinkingLevel = level === 'none' ? lowest : supportedEffort(level, efforts);
  return { ...shown, ...(thinkingLevel !== undefined && { thinkingLevel }) };
}

function withinRange(model: string, tokens: number): number {
  const range = ranges.find(([pattern]) => pattern.test(model))?.[1];
  if (range === undefined || (tokens === 0 && range.mayBeNone)) return tokens;
  return Math.min(Math.max(tokens, range.least), range.most);
}
