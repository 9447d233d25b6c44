import type { ModelPrice } from '@rondo/runtime';
import { describe, expect, test } from 'vitest';
import { readModelName } from '../model-name.ts';
import { catalogDate, catalogModel, catalogModelNames, currentModels, defaultAliases } from './model-catalog.ts';

const names = catalogModelNames();

test.each(names)(
  '%s is whole: its window holds its reply, its figures are figures, its bare name is its own',
  (name) => {
    const [provider = '', id = ''] = name.split('/');
    const model = catalogModel(provider, id);
    expect(model?.contextWindow).toBeGreaterThan(model?.maxOutputTokens ?? 0);
    for (const price of [model?.price, model?.price?.longPrompt?.price]) {
      for (const figure of pricesOf(price)) expect(figure).toSatisfy(isPrice);
      expect(price === undefined || (price.cacheRead ?? 0) < price.input).toBe(true);
    }
    expect(model?.price).toBeDefined();
    expect(readModelName(id, { aliases: {} })).toEqual({ provider, model: id });
  },
);

function pricesOf(price: ModelPrice | undefined): readonly unknown[] {
  const { longPrompt: _, ...figures } = price ?? { input: 0, output: 0 };
  return Object.values(figures);
}

/** No figure is a rounding error of floating point. */
function isPrice(figure: unknown): boolean {
  return typeof figure === 'number' && figure >= 0 && String(figure).length < 7;
}

test('every short name and every proposal is a model of the table', () => {
  const meant = Object.values(defaultAliases).filter((meaning) => !Object.hasOwn(defaultAliases, meaning));
  const current = Object.entries(currentModels).map(([provider, id]) => `${provider}/${id}`);
  expect([...meant, ...current].filter((name) => !names.includes(name))).toEqual([]);
});

describe('a model is found', () => {
  test.each([
    ['anthropic', 'claude-sonnet-4-5-20250929'],
    ['anthropic', 'claude-sonnet-4-5@20250929'],
    ['openai', 'gpt-6.1-sol-2026-09-29'],
    ['mistral', 'magistral-medium-latest'],
    ['mistral', 'devstral-2512'],
  ])('%s: %s', (provider, id) => {
    expect(catalogModel(provider, id)?.price).toBeDefined();
  });

  test.each([
    ['anthropic', 'claude-sonnet-9'],
    ['openai', 'toString'],
    ['toString', 'x'],
    ['openai-compatible', 'gpt-6.2-sol'],
  ])('%s: %s is not', (provider, id) => {
    expect(catalogModel(provider, id)).toBeUndefined();
  });
});

test('a price that the vendor has announced counts from its day on', () => {
  const on = (day: string) => catalogModel('google', 'gemini-4-argon', Date.parse(day))?.price;
  expect(on(catalogDate)).toMatchObject({ input: 2, output: 10 });
  expect(on('2026-12-01')).toMatchObject({ input: 4, output: 20, cacheRead: 0.2 });
});
