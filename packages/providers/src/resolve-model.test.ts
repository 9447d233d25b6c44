import { isRondoError } from '@rondo/protocol/values';
import type { Model } from '@rondo/runtime';
import { describe, expect, test } from 'vitest';
import { readModelName } from './model-name.ts';
import { resolveModel, type ResolveModelOptions } from './resolve-model.ts';

const env = { ANTHROPIC_API_KEY: 'sk-1' };

async function failure(name: string, options: Partial<ResolveModelOptions> = {}) {
  const error: unknown = await resolveModel(name, { env, ...options }).then(
    (model) => model.name,
    (reason: unknown) => reason,
  );
  if (!isRondoError(error)) throw new Error(`expected an error, got ${String(error)}`);
  return error;
}

describe('what a name means', () => {
  const aliases = { sonnet: 'anthropic/claude-sonnet-5-5', fast: 'openai-compatible/qwen/qwen3', bare: 'gpt-6' };
  test.each([
    ['anthropic/claude-opus-5-5', 'anthropic', 'claude-opus-5-5'],
    ['openai-compatible/meta/llama', 'openai-compatible', 'meta/llama'],
    ['scripted/./a/b.json', 'scripted', './a/b.json'],
    ['sonnet', 'anthropic', 'claude-sonnet-5-5'],
    ['sonnet[1m]', 'anthropic', 'claude-sonnet-5-5[1m]'],
    ['fast', 'openai-compatible', 'qwen/qwen3'],
    ['bare', 'openai', 'gpt-6'],
    ['claude-opus-4-5[1m]', 'anthropic', 'claude-opus-4-5[1m]'],
    ['gpt-6-sol', 'openai', 'gpt-6-sol'],
    ['o4-mini', 'openai', 'o4-mini'],
    ['mistral-large', 'mistral', 'mistral-large'],
    ['gemini-4', 'google', 'gemini-4'],
  ])('%s', (name, provider, model) => {
    expect(readModelName(name, { aliases })).toEqual({ provider, model });
  });

  test.each([
    'sonet',
    'anthropc/claude-opus-5-5',
    'opus-5',
    'olive',
    'constructor',
    '__proto__',
    '',
    'anthropic/',
    'Claude Opus 4.5',
  ])('%j means nothing', (name) => {
    expect(readModelName(name, { aliases })).toBeUndefined();
  });

  test('the default provider takes what says nothing of its own', () => {
    const options = { aliases, defaultProvider: 'openai-compatible' };
    expect(readModelName('qwen/qwen3', options)).toEqual({ provider: 'openai-compatible', model: 'qwen/qwen3' });
    expect(readModelName('claude-opus-5-5', options)?.provider).toBe('anthropic');
  });
});

test.each(['sonnet', 'opus', 'haiku', 'fable'])('%s is a current model by default', async (name) => {
  const model = await resolveModel(name, { env });
  expect(model.name).toMatch(new RegExp(`^anthropic/claude-${name}-\\d`));
  expect(model.price).toBeDefined();
});

test('aliases are settable', async () => {
  expect((await resolveModel('mine', { env, settings: { aliases: { mine: 'claude-haiku-4-5' } } })).name).toBe(
    'anthropic/claude-haiku-4-5',
  );
  const opus = await resolveModel('opus', { env, settings: { aliases: { opus: 'claude-haiku-4-5' } } });
  expect(opus.name).toBe('anthropic/claude-haiku-4-5');
});

test('a typo is an error with candidates, whatever else is configured', async () => {
  expect(await failure('sonet')).toMatchObject({ code: 'model.unknown', details: { candidates: ['sonnet'] } });
  const { message, details } = await failure('anthropc/claude-opus-5-5');
  expect(details['candidates']).toContain('anthropic/claude-opus-5-5');
  expect(message).toContain('anthropic/claude-opus-5-5');
});

test.each(['openai/gpt-6', 'mistral-large', 'gemini-4', 'openai-compatible/x', 'replay/1', 'scripted/a.json'])(
  '%s cannot be reached yet',
  async (name) => {
    expect(await failure(name)).toMatchObject({
      code: 'model.unknown',
      message: expect.stringContaining('Available are: anthropic'),
    });
  },
);

test('a provider may be added or replaced', async () => {
  const fake = (model: string): Model => ({ name: `scripted/${model}`, stream: () => (async function* () {})() });
  expect((await resolveModel('scripted/demo', { env, providers: { scripted: fake } })).name).toBe('scripted/demo');
  expect((await resolveModel('house/x', { env, providers: { house: fake } })).name).toBe('scripted/x');
  expect((await resolveModel('opus', { env: {}, providers: { anthropic: fake } })).name).toBe(
    'scripted/claude-opus-5-5',
  );
});

test('a missing key is told when the model is resolved', async () => {
  expect((await failure('opus', { env: {} })).code).toBe('model.key_missing');
});
