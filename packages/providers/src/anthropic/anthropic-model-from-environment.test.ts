import { expect, test } from 'vitest';
import { askModel, mute, startModelServer, text } from '../testing/index.ts';
import { anthropicModelFromEnvironment } from './anthropic-model-from-environment.ts';

const key = 'sk-ant-secret-0123456789';

test('a missing key says the ways on', () => {
  for (const env of [
    {},
    { ANTHROPIC_API_KEY: '' },
    { ANTHROPIC_API_KEY: '  ' },
    { ANTHROPIC_BASE_URL: 'https://gateway.example' },
  ]) {
    const make = () => anthropicModelFromEnvironment('claude-opus-5-5', env);
    expect(make).toThrow(
      expect.objectContaining({
        code: 'model.key_missing',
        details: expect.objectContaining({ provider: 'anthropic' }),
      }),
    );
    expect(make).toThrow(/Set ANTHROPIC_API_KEY.*another provider.*rondo demo/);
  }
});

test.each(['http://localhost:1', 'http://127.0.0.1:1', 'http://127.8.9.1:1/x', 'http://[::1]:1'])(
  '%s needs no key',
  (url) => {
    const model = anthropicModelFromEnvironment('m', { ANTHROPIC_BASE_URL: url });
    expect(model).toMatchObject({ name: 'anthropic/m', secrets: [] });
  },
);

test('a base URL that is none names its variable and shows no more', () => {
  const make = () => anthropicModelFromEnvironment('m', { ANTHROPIC_API_KEY: key, ANTHROPIC_BASE_URL: 'nonsense' });
  expect(make).toThrow(expect.objectContaining({ code: 'input.invalid' }));
  expect(make).toThrow(/^ANTHROPIC_BASE_URL /);
});

test('the source of the key is named, its values are secrets', () => {
  const both = { ANTHROPIC_API_KEY: ` ${key}\n`, ANTHROPIC_AUTH_TOKEN: 'token-1' };
  expect(anthropicModelFromEnvironment('m', { ANTHROPIC_API_KEY: both.ANTHROPIC_API_KEY })).toMatchObject({
    keySource: 'ANTHROPIC_API_KEY',
    secrets: [key],
  });
  expect(anthropicModelFromEnvironment('m', both)).toMatchObject({
    keySource: 'ANTHROPIC_AUTH_TOKEN',
    secrets: ['token-1'],
  });
  const url = { ANTHROPIC_BASE_URL: 'https://me:p%40ss@gateway.example' };
  expect(anthropicModelFromEnvironment('m', { ...both, ...url }).secrets).toEqual(['token-1', 'p%40ss', 'p@ss']);
});

test('limits and price come from the catalog unless given', () => {
  const env = { ANTHROPIC_API_KEY: key };
  expect(anthropicModelFromEnvironment('claude-haiku-4-5-20251001', env)).toMatchObject({
    limits: { contextWindow: 200_000, maxOutputTokens: 64_000 },
    price: { input: 1, output: 5 },
    input: { documents: ['application/pdf'], maxImages: 100 },
  });
  const tomorrow = anthropicModelFromEnvironment('claude-opus-9', env);
  expect(tomorrow.limits?.contextWindow).toBe(1_000_000);
  expect(tomorrow.input?.maxImages).toBe(600);
  expect(tomorrow.price).toBeUndefined();
  const own = anthropicModelFromEnvironment('claude-opus-9', env, {
    limits: { maxOutputTokens: 7 },
    price: { input: 1, output: 2 },
  });
  expect(own).toMatchObject({
    limits: { contextWindow: 1_000_000, maxOutputTokens: 7 },
    price: { input: 1, output: 2 },
  });
});

test('a timeout of the environment is kept', async () => {
  await using server = await startModelServer({ script: [mute()] });
  const model = anthropicModelFromEnvironment('m', { ANTHROPIC_BASE_URL: server.url, API_TIMEOUT_MS: '1000' });
  const { error } = await askModel(model);
  expect(error).toMatchObject({ code: 'model.timeout', details: { phase: 'headers', afterMs: 1_000 } });
});

test('betas and headers of the environment are sent, and what they carry is a secret', async () => {
  await using server = await startModelServer({ script: [text('Hi')] });
  const model = anthropicModelFromEnvironment('m', {
    ANTHROPIC_BASE_URL: server.url,
    ANTHROPIC_API_KEY: key,
    ANTHROPIC_BETAS: 'one-1, two-2,',
    ANTHROPIC_CUSTOM_HEADERS: 'X-Team: blue: team\r\n\nX-Gateway-Token: gateway-0123\nAnthropic-Beta: three-3',
  });
  await askModel(model);
  expect(server.requests[0]?.headers).toMatchObject({
    'x-team': 'blue: team',
    'x-gateway-token': 'gateway-0123',
    'anthropic-beta': 'one-1,two-2,three-3',
    'x-api-key': key,
  });
  expect(model.secrets).toEqual([key, 'gateway-0123']);
});

test('a header may bring the key', () => {
  const env = {
    ANTHROPIC_BASE_URL: 'https://gateway.example',
    ANTHROPIC_CUSTOM_HEADERS: 'Authorization: Bearer t-12345678',
  };
  const model = anthropicModelFromEnvironment('m', env);
  expect(model).toMatchObject({ keySource: 'ANTHROPIC_CUSTOM_HEADERS', secrets: ['t-12345678'] });
});

test.each([
  ['no header', 'line 1 of ANTHROPIC_CUSTOM_HEADERS is not of the form "Name: value".'],
  ['A: b\nbad name: x', 'line 2 of ANTHROPIC_CUSTOM_HEADERS is not of the form "Name: value".'],
  ['A: ü-secret', 'line 1 of ANTHROPIC_CUSTOM_HEADERS gives a a value with characters that no header takes.'],
  ['Content-Length: 3', 'line 1 of ANTHROPIC_CUSTOM_HEADERS sets content-length, which the connection sets by itself.'],
])('the header %j is refused without a word of it', (headers, message) => {
  const env = { ANTHROPIC_API_KEY: key, ANTHROPIC_CUSTOM_HEADERS: headers };
  expect(() => anthropicModelFromEnvironment('m', env)).toThrow(
    expect.objectContaining({ code: 'input.invalid', message }),
  );
});
