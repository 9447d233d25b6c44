import { expect, test } from 'vitest';
import { modelCost } from './model-cost.ts';

const price = { input: 2, output: 10 };

test('every kind of token has its price, and what is not named follows from the input price', () => {
  const usage = {
    inputTokens: 1_000_000,
    outputTokens: 1_000_000,
    cacheReadInputTokens: 1_000_000,
    cacheCreationInputTokens: 2_000_000,
    cacheCreationOneHourInputTokens: 1_000_000,
  };
  expect(modelCost(usage, price)).toBeCloseTo(2 + 10 + 0.2 + 2.5 + 4);
  expect(modelCost(usage, { ...price, cacheRead: 0, cacheWrite: 0, cacheWriteOneHour: 0 })).toBeCloseTo(12);
});

test('a long prompt, cached or not, has its own price for everything', () => {
  const banded = { ...price, longPrompt: { aboveTokens: 100, price: { input: 20, output: 100 } } };
  expect(modelCost({ inputTokens: 60, outputTokens: 1_000_000, cacheReadInputTokens: 40 }, banded)).toBeCloseTo(10, 2);
  expect(modelCost({ inputTokens: 60, outputTokens: 1_000_000, cacheReadInputTokens: 41 }, banded)).toBeCloseTo(100, 2);
});

test('no price, no cost', () => {
  expect(modelCost({ inputTokens: 1, outputTokens: 1 }, undefined)).toBeUndefined();
});
