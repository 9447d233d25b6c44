import { expect, test } from 'vitest';
import { resolveModel } from '../resolve-model.ts';
import { askModel, mute, startModelServer, text } from '../testing/index.ts';
import { openAIModelFromEnvironment } from './openai-model-from-environment.ts';

const key = 'sk-proj-secret-0123456789';

test('a missing key says the ways on', () => {
  for (const env of [{}, { OPENAI_API_KEY: ' ' }, { OPENAI_BASE_URL: 'https://gateway.example/v1' }]) {
    const make = () => openAIModelFromEnvironment('gpt-6.2-sol', env);
    expect(make).toThrow(
      expect.objectContaining({
        code: 'model.key_missing',
        details: { provider: 'openai', variables: ['OPENAI_API_KEY'] },
      }),
    );
    expect(make).toThrow(/Set OPENAI_API_KEY.*another provider.*rondo demo/);
  }
});

test('a key that no header takes, and a base URL that is none, are named and not shown', () => {
  expect(() => openAIModelFromEnvironment('m', { OPENAI_API_KEY: `${key} x` })).toThrow(
    /^OPENAI_API_KEY holds a space/,
  );
  const make = () => openAIModelFromEnvironment('m', { OPENAI_API_KEY: key, OPENAI_BASE_URL: 'nonsense' });
  expect(make).toThrow(/^OPENAI_BASE_URL is no http or https URL; it should look like https:/);
});

test.each([
  ['', '/v1/responses'],
  ['/', '/v1/responses'],
  ['/v1', '/v1/responses'],
  ['/v1/', '/v1/responses'],
  ['/v1/responses', '/v1/responses'],
  ['/gateway/openai', '/gateway/openai/responses'],
])('a base URL with the path "%s" is asked at %s', async (path, expected) => {
  await using server = await startModelServer({ script: [text('Hello')] });
  const model = await resolveModel('openai/gpt-6.2-sol', { env: { OPENAI_BASE_URL: `${server.url}${path}` } });
  expect((await askModel(model)).text).toBe('Hello');
  expect(server.requests[0]?.path).toBe(expected);
  expect(server.requests[0]?.headers.authorization).toBeUndefined();
});

test('the key, the organization and the project go in headers', async () => {
  await using server = await startModelServer({ script: [text('a'), text('b')], apiKey: key });
  const env = { OPENAI_API_KEY: ` ${key}\n`, OPENAI_BASE_URL: server.url };
  const first = openAIModelFromEnvironment('gpt-4.1', { ...env, OPENAI_ORG_ID: 'org-1', OPENAI_PROJECT_ID: 'proj_1' });
  expect(first).toMatchObject({ name: 'openai/gpt-4.1', keySource: 'OPENAI_API_KEY', secrets: [key] });
  await askModel(first);
  await askModel(openAIModelFromEnvironment('gpt-4.1', { ...env, OPENAI_ORGANIZATION: 'org-2', OPENAI_PROJECT: 'p' }));
  expect(server.requests.map(({ headers }) => headers)).toMatchObject([
    { authorization: `Bearer ${key}`, 'openai-organization': 'org-1', 'openai-project': 'proj_1' },
    { authorization: `Bearer ${key}`, 'openai-organization': 'org-2', 'openai-project': 'p' },
  ]);
});

test('limits, price and what it takes come from the catalog unless given', () => {
  const env = { OPENAI_API_KEY: key };
  const known = openAIModelFromEnvironment('gpt-4.1-2025-04-14', env);
  expect(known.limits).toEqual({ contextWindow: 1_047_576, maxOutputTokens: 32_768 });
  expect(known.price).toMatchObject({ input: 2, output: 8 });
  expect(known.input?.documents).toEqual(['application/pdf']);
  const own = openAIModelFromEnvironment('gpt-4.1', env, {
    limits: { maxOutputTokens: 7 },
    price: { input: 1, output: 2 },
  });
  expect(own).toMatchObject({ limits: { contextWindow: 1_047_576, maxOutputTokens: 7 }, price: { input: 1 } });
  expect(openAIModelFromEnvironment('of-tomorrow', env)).toMatchObject({ limits: {} });
});

test('a timeout of the environment is kept', async () => {
  await using server = await startModelServer({ script: [mute()] });
  const model = openAIModelFromEnvironment('m', { OPENAI_BASE_URL: server.url, API_TIMEOUT_MS: '1000' });
  expect((await askModel(model)).error).toMatchObject({ code: 'model.timeout', details: { afterMs: 1_000 } });
});
