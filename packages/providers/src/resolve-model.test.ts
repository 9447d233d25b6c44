import { isRondoError } from '@rondo/protocol/values';
import type { Model } from '@rondo/runtime';
import { describe, expect, test } from 'vitest';
import { environmentModel } from './environment-models.ts';
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

describe('the environment says what short names mean', () => {
  const variables = {
    ...env,
    ANTHROPIC_DEFAULT_OPUS_MODEL: 'claude-opus-4-8',
    ANTHROPIC_DEFAULT_SONNET_MODEL: 'gpt-5-by-the-gateway',
    ANTHROPIC_SMALL_FAST_MODEL: ' sonnet[1m]\n',
  };
  test.each([
    ['opus', 'anthropic/claude-opus-4-8'],
    ['sonnet', 'anthropic/gpt-5-by-the-gateway'],
    ['haiku', 'anthropic/gpt-5-by-the-gateway[1m]'],
    ['default', 'anthropic/gpt-5-by-the-gateway'],
  ])('%s', async (alias, name) => {
    expect((await resolveModel(alias, { env: variables })).name).toBe(name);
  });

  test('the newer variable counts, a provider of its own is kept, and settings are above it', async () => {
    const newer = { ...variables, ANTHROPIC_DEFAULT_HAIKU_MODEL: 'anthropic/claude-haiku-4-5' };
    expect((await resolveModel('haiku', { env: newer })).name).toBe('anthropic/claude-haiku-4-5');
    const settings = { aliases: { opus: 'claude-opus-5' } };
    expect((await resolveModel('opus', { env: variables, settings })).name).toBe('anthropic/claude-opus-5');
  });

  test('and which model is meant when nobody says', () => {
    const named = (ANTHROPIC_MODEL: string) => environmentModel({ ANTHROPIC_MODEL }, ['opus', 'Mine']);
    expect(named('opus[1m]')).toBe('opus[1m]');
    expect(named('mine')).toBe('mine');
    expect(named('glm-5')).toBe('anthropic/glm-5');
    expect(named('gpt-6')).toBe('anthropic/gpt-6');
    expect(named('z-ai/glm-5')).toBe('anthropic/z-ai/glm-5');
    expect(named('openai/gpt-6')).toBe('openai/gpt-6');
    expect(named(' ')).toBeUndefined();
  });
});

test('a typo is an error with candidates, whatever else is configured', async () => {
  expect(await failure('sonet')).toMatchObject({ code: 'model.unknown', details: { candidates: ['sonnet'] } });
  const { message, details } = await failure('anthropc/claude-opus-5-5');
  expect(details['candidates']).toContain('anthropic/claude-opus-5-5');
  expect(message).toContain('anthropic/claude-opus-5-5');
  expect((await failure('opnai/gpt-6')).details['candidates']).toMatchObject({ 0: 'openai/gpt-6' });
});

test('of a short name that leads nowhere, what it means is told', async () => {
  const settings = { aliases: { mine: 'fast', fast: 'sonet' } };
  expect(await failure('mine', { settings })).toMatchObject({
    code: 'model.unknown',
    message: expect.stringContaining(
      '"mine" is a short name for "sonet". No model is called "sonet". Did you mean sonnet?',
    ),
    details: { name: 'mine' },
  });
});

test('a default provider that is none is told', async () => {
  expect(await failure('some-model', { settings: { defaultProvider: 'nobody' } })).toMatchObject({
    code: 'model.unknown',
    message: expect.stringMatching(/cannot reach the provider nobody .*Available are: anthropic, openai/),
  });
});

test('a script or a session that is not there is told when its model is resolved', async () => {
  expect(await failure('scripted/no/such.yaml')).toMatchObject({ code: 'input.invalid' });
  expect(await failure('replay/no/such/log.jsonl')).toMatchObject({ code: 'session.not_found' });
});

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

test.each([
  ['gpt-6.2-sol', 'openai/gpt-6.2-sol'],
  ['mistral-small-latest', 'mistral/mistral-small-latest'],
  ['gemini-4-neon', 'google/gemini-4-neon'],
  ['claude-opus-4-5[1m]', 'anthropic/claude-opus-4-5[1m]'],
  ['openai-compatible/ollama/qwen3:8b', 'openai-compatible/ollama/qwen3:8b'],
  ['openai-compatible/house/org/model', 'openai-compatible/house/org/model'],
  ['mine', 'openai-compatible/house/qwen3'],
])('%s gives a name that means itself, and its keys are among its secrets', async (name, resolved) => {
  const keys = {
    ANTHROPIC_API_KEY: 'key-anthropic',
    OPENAI_API_KEY: 'key-openai',
    MISTRAL_API_KEY: 'key-mistral',
    GEMINI_API_KEY: 'key-google',
    HOUSE_WORD: 'key-house',
  };
  const settings = {
    aliases: { mine: 'openai-compatible/house/qwen3' },
    servers: { house: { baseUrl: 'https://models.example/v1', apiKeyVariable: 'HOUSE_WORD' } },
  };
  const model = await resolveModel(name, { env: keys, settings });
  expect(model.name).toBe(resolved);
  expect((await resolveModel(model.name, { env: keys, settings: { servers: settings.servers } })).name).toBe(resolved);
  const secret = /ollama/.test(resolved) ? [] : [expect.stringMatching(/^key-/)];
  expect(model.secrets).toEqual(secret);
});

test('a model that the table does not name works, without a price', async () => {
  for (const name of ['openai/gpt-9', 'mistral/mistral-huge-9', 'google/gemini-9', 'anthropic/claude-opus-9']) {
    const keys = { ...env, OPENAI_API_KEY: 'k', MISTRAL_API_KEY: 'k', GEMINI_API_KEY: 'k' };
    expect((await resolveModel(name, { env: keys })).price).toBeUndefined();
  }
});
