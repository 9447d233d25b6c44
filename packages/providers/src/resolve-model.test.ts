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
});

test.each(['openai/gpt-6'])(
  '%s cannot be reached yet',
  async (name) => {
    expect(await failure(name)).toMatchObject({
      code: 'model.unknown',
      message: expect.stringContaining('Available are: anthropic'),
    });
  },
);

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
