import type { Model, ModelRequest } from '@rondo/runtime';
import { expect, test } from 'vitest';
import { applyFacts } from './apply-facts.ts';

const request: ModelRequest = { system: '', tools: [], messages: [] };

function modelCalled(name: string, more: Partial<Model> = {}): Model & { readonly asked: ModelRequest[] } {
  const asked: ModelRequest[] = [];
  return {
    name,
    ...more,
    asked,
    async *stream(given) {
      asked.push(given);
      yield* [];
    },
  };
}

async function ask(model: Model, given: ModelRequest): Promise<void> {
  for await (const part of model.stream(given, { signal: new AbortController().signal })) void part;
}

test('the catalog fills in what the adapter does not say, and what is configured is above both', () => {
  const model = modelCalled('openai/gpt-6.2-sol', { limits: { maxOutputTokens: 9 } });
  expect(applyFacts(model, {})).toMatchObject({
    limits: { contextWindow: 1_050_000, maxOutputTokens: 9 },
    price: { input: 2, output: 10, cacheRead: 0.1, longPrompt: { aboveTokens: 272_000, price: { output: 15 } } },
    input: { documents: ['application/pdf'] },
  });
  const facts = { contextWindow: 5, price: { input: 1, output: 1 }, input: { maxImages: 1 } };
  expect(applyFacts(model, { facts: { 'openai/gpt-6.2-sol': facts } })).toMatchObject({
    limits: { contextWindow: 5, maxOutputTokens: 9 },
    price: { input: 1, output: 1 },
    input: { documents: ['application/pdf'], maxImages: 1 },
  });
});

test('a model that nobody knows has no price and no limits, until somebody says', () => {
  const local = modelCalled('openai-compatible/local/qwen3');
  const plain = applyFacts(local, {});
  expect('price' in plain || 'limits' in plain || 'input' in plain).toBe(false);
  const told = applyFacts(local, {
    facts: { 'openai-compatible/local/qwen3': { contextWindow: 40_960, price: { input: 0, output: 0 } } },
  });
  expect(told).toMatchObject({ limits: { contextWindow: 40_960 }, price: { input: 0, output: 0 } });
  expect(applyFacts(modelCalled('toString/constructor'), {}).price).toBeUndefined();
});

test('the name with a window has the facts of the plain one, but for the window', () => {
  const model = modelCalled('anthropic/claude-opus-4-5[1m]', { limits: { contextWindow: 1_000_000 } });
  const facts = { 'anthropic/claude-opus-4-5': { contextWindow: 7, maxOutputTokens: 8 } };
  expect(applyFacts(model, { facts }).limits).toEqual({ contextWindow: 1_000_000, maxOutputTokens: 8 });
});

test('a configured length of the reply is asked for, unless the request names one', async () => {
  const model = modelCalled('mistral/x');
  const told = applyFacts(model, { facts: { 'mistral/x': { maxOutputTokens: 100 } } });
  await ask(told, request);
  await ask(told, { ...request, maxOutputTokens: 50 });
  await ask(applyFacts(model, {}), request);
  expect(model.asked.map(({ maxOutputTokens }) => maxOutputTokens)).toEqual([100, 50, undefined]);
});

test("a model that is a class's instance keeps its methods", async () => {
  class Counting {
    readonly name = 'house/x';
    readonly #tokens = 3;
    async *stream(): AsyncGenerator<never> {
      yield* [];
    }
    countTokens(): Promise<number> {
      return Promise.resolve(this.#tokens);
    }
  }
  const { signal } = new AbortController();
  expect(await applyFacts(new Counting(), {}).countTokens?.(request, { signal })).toBe(3);
});
