import type { Effort, ModelPrice } from '@rondo/runtime';
import type { ModelFacts } from '../model-settings.ts';

/** When the figures below were read from the vendors' model and pricing pages. */
export const catalogDate = '2026-11-30';

/**
 * How a model takes `thinking`: `budget` with a number of tokens, `either` way, `adaptive` or off, `always` on, or with
 * `between_tools` as its word for off.
 */
export type ThinkingStyle = 'budget' | 'either' | 'adaptive' | 'always' | 'between_tools';

export interface CatalogModel extends ModelFacts {
  readonly thinking?: ThinkingStyle;
  /** The levels of effort it takes, lowest first; none means it refuses the field. */
  readonly efforts?: readonly Effort[];
  /** The vendor's word for no reasoning at all, where the model takes one, e.g. `none`. */
  readonly noEffort?: string;
}

const million = 1_000_000;
export const allEfforts: readonly Effort[] = ['low', 'medium', 'high', 'xhigh', 'max'];

/** Prices of the cache follow from the input price (write 1.25 ×, for an hour 2 ×); reading is named where not 0.1 ×. */
function price(input: number, output: number, cacheRead = input / 10): ModelPrice {
  return { input, output, cacheRead, cacheWrite: input * 1.25, cacheWriteOneHour: input * 2 };
}

const modern = { contextWindow: million, maxOutputTokens: 128_000, efforts: allEfforts };
const small = { contextWindow: 200_000, maxOutputTokens: 64_000, efforts: [], thinking: 'budget' } as const;

/** By provider, then by ID without its date. */
const models: Readonly<Record<string, Readonly<Record<string, CatalogModel>>>> = {
  anthropic: {
    'claude-fable-5-2': { ...modern, price: price(8, 40, 0.2), thinking: 'always' },
    'claude-fable-5-1': { ...modern, price: price(10, 50, 0.25), thinking: 'always' },
    'claude-fable-5': { ...modern, price: price(10, 50), thinking: 'always' },
    'claude-mythos-5-1': { ...modern, price: price(10, 50, 0.25), thinking: 'always' },
    'claude-mythos-5': { ...modern, price: price(10, 50), thinking: 'always' },
    'claude-opus-5-5': { ...modern, price: price(4, 20, 0.2), thinking: 'always' },
    'claude-opus-5': { ...modern, price: price(5, 25), thinking: 'adaptive' },
    'claude-opus-4-8': { ...modern, price: price(5, 25), thinking: 'adaptive' },
    'claude-opus-4-7': { ...modern, price: price(5, 25), thinking: 'adaptive' },
    'claude-opus-4-6': {
      ...modern,
      price: price(5, 25),
      thinking: 'either',
      efforts: ['low', 'medium', 'high', 'max'],
    },
    'claude-opus-4-5': { ...small, price: price(5, 25), efforts: ['low', 'medium', 'high'] },
    'claude-sonnet-5-5': { ...modern, price: price(2, 10, 0.1), thinking: 'between_tools' },
    'claude-sonnet-5': { ...modern, price: price(2, 10), thinking: 'adaptive' },
    'claude-sonnet-4-6': {
      ...modern,
      maxOutputTokens: 64_000,
      price: price(3, 15),
      thinking: 'either',
      efforts: ['low', 'medium', 'high', 'max'],
    },
    'claude-sonnet-4-5': { ...small, price: price(3, 15) },
    'claude-haiku-5-5': {
      ...modern,
      price: { ...price(0.1, 0.5), longPrompt: { aboveTokens: 100_000, price: price(0.5, 2.5) } },
      thinking: 'adaptive',
    },
    'claude-haiku-4-5': { ...small, price: price(1, 5) },
  },
};

/** What is known of a model by its ID, dated or not; undefined for one that the table does not name. */
export function catalogModel(provider: string, id: string): CatalogModel | undefined {
  const known = Object.hasOwn(models, provider) ? models[provider] : undefined;
  const undated = id.replace(/(-\d{8}|@\d{8}|-\d{4}-\d{2}-\d{2}|-latest)$/, '');
  return [id, undated].flatMap((name) => (known !== undefined && Object.hasOwn(known, name) ? [known[name]] : []))[0];
}

/** Every model that the table names, as `provider/model`. */
export function catalogModelNames(): readonly string[] {
  return Object.entries(models).flatMap(([provider, known]) => Object.keys(known).map((id) => `${provider}/${id}`));
}

/** What the short names of the second seed mean when nobody says otherwise. */
export const defaultAliases: Readonly<Record<string, string>> = {
  fable: 'anthropic/claude-fable-5-2',
  opus: 'anthropic/claude-opus-5-5',
  sonnet: 'anthropic/claude-sonnet-5-5',
  haiku: 'anthropic/claude-haiku-5-5',
};
