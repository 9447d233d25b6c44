import { isRondoError } from '@rondo/protocol/values';
import { describe, expect, test } from 'vitest';
import { resolveModel } from '../resolve-model.ts';
import type { ModelSettings } from '../model-settings.ts';
import { askModel, startModelServer, status, text } from '../testing/index.ts';

const key = 'sk-secret-0123456789';

async function failure(name: string, env: Record<string, string> = {}, settings: ModelSettings = {}) {
  const error = await resolveModel(name, { env, settings }).catch((thrown: unknown) => thrown);
  if (!isRondoError(error)) throw new Error(`no error of ours: ${String(error)}`);
  expect(error.message).not.toContain(key);
  return error;
}

describe('a name with a server', () => {
  const settings: ModelSettings = {
    servers: {
      lab: { baseUrl: 'http://lab.example:9000/v1', kind: 'vllm', apiKeyVariable: 'LAB_KEY' },
      open: { baseUrl: 'http://open.example/v1' },
      ollama: { baseUrl: 'http://other.example:11434/v1' },
    },
    facts: {
      'openai-compatible/lab/org/model:1': {
        contextWindow: 32_000,
        maxOutputTokens: 900,
        input: { images: ['image/png'] },
      },
    },
  };

  test.each([
    ['openai-compatible/ollama/qwen3:8b', {}],
    ['openai-compatible/lmstudio/openai/gpt-oss-20b', {}],
    ['openai-compatible/llamacpp/m', {}],
    ['openai-compatible/vllm/Qwen/Qwen3-32B', {}],
    ['openai-compatible/openrouter/anthropic/claude-sonnet-4.5', { OPENROUTER_API_KEY: key }],
    ['openai-compatible/lab/org/model:1', { LAB_KEY: key }],
    ['openai-compatible/open/m', {}],
    ['openai-compatible/m', { OPENAI_COMPATIBLE_BASE_URL: 'http://127.0.0.1:1/v1' }],
    ['openai-compatible/openrouter/auto', { OPENAI_COMPATIBLE_BASE_URL: 'http://127.0.0.1:1/v1' }],
    ['openai-compatible/openai/gpt-oss-20b', { OPENAI_COMPATIBLE_BASE_URL: 'http://127.0.0.1:1/v1' }],
  ])('%s is the model of that name', async (name, env) => {
    const model = await resolveModel(name, { env, settings });
    expect(model.name).toBe(name);
    expect(model.secrets).toEqual(Object.values(env).includes(key) ? [key] : []);
    expect((await resolveModel(model.name, { env, settings })).name).toBe(name);
  });

  test("facts of the settings are the model's", async () => {
    const model = await resolveModel('openai-compatible/lab/org/model:1', { env: { LAB_KEY: key }, settings });
    expect(model).toMatchObject({
      limits: { contextWindow: 32_000, maxOutputTokens: 900 },
      input: { images: ['image/png'] },
      keySource: 'LAB_KEY',
    });
    expect((await resolveModel('openai-compatible/ollama/qwen3', { env: {} })).limits).toBeUndefined();
  });

  test('a configured server is asked with its key and headers, in its own way', async () => {
    const server = await startModelServer({ script: [text('a'), text('b')], apiKey: key });
    const servers = {
      here: {
        baseUrl: `${server.url}/deepseek/v1`,
        kind: 'deepseek',
        apiKeyVariable: 'MY_KEY',
        headers: { 'x-team': 'a' },
      },
    };
    const env = { MY_KEY: key, OPENAI_COMPATIBLE_API_KEY: key, OPENAI_COMPATIBLE_BASE_URL: `${server.url}/v1` };
    const model = await resolveModel('openai-compatible/here/some/model', { env, settings: { servers } });
    const image = { type: 'image', uri: 'data:image/png;base64,iVBORw0KGgo=', mediaType: 'image/png' } as const;
    expect((await askModel(model, { messages: [{ role: 'user', content: [image] }] })).text).toBe('a');
    expect((await askModel(await resolveModel('openai-compatible/m', { env }))).text).toBe('b');
    expect(
      server.requests.map(({ path, headers, body }) => [path, headers['x-team'], (body as { model: string }).model]),
    ).toEqual([
      ['/deepseek/v1/chat/completions', 'a', 'some/model'],
      ['/v1/chat/completions', undefined, 'm'],
    ]);
    await server.close();
  });

  test('a key that is not set is asked for, but on this machine', async () => {
    const error = await failure('openai-compatible/openrouter/auto');
    expect(error).toMatchObject({ code: 'model.key_missing', message: expect.stringContaining('OPENROUTER_API_KEY') });
    expect(await failure('openai-compatible/lab/m', {}, settings)).toMatchObject({
      code: 'model.key_missing',
      details: { variables: ['LAB_KEY'] },
    });
    const servers = { near: { baseUrl: 'http://127.0.0.1:9/v1', apiKeyVariable: 'NEAR_KEY' } };
    const near = await resolveModel('openai-compatible/near/m', { env: {}, settings: { servers } });
    expect(near.keySource).toBeUndefined();
  });

  test.each([
    ['openai-compatible/m', /names no server/],
    ['openai-compatible/olama/m', /Did you mean ollama\?/],
    ['openai-compatible/openai/gpt-5', /models\.servers.*OPENAI_COMPATIBLE_BASE_URL/],
    ['openai-compatible/lba/m', /Did you mean lab/],
    ['openai-compatible/ollama/', /names no server/],
  ])('%s is no model: the error says how to name one', async (name, message) => {
    const error = await failure(name, {}, settings);
    expect(error.code).toBe('model.unknown');
    expect(error.message).toMatch(message);
    expect(error.message).toMatch(/lab, open, ollama.*vllm.*openrouter/);
  });

  test('a server that wants a key, and one that does not run, are told by their name with the way on', async () => {
    await using server = await startModelServer({ script: [status(401)] });
    const servers = { wary: { baseUrl: `${server.url}/v1` }, down: { baseUrl: 'http://127.0.0.1:9/v1' } };
    const said = async (name: string): Promise<string> => {
      const { error } = await askModel(await resolveModel(name, { env: {}, settings: { servers } }));
      return isRondoError(error) ? error.message : String(error);
    };
    expect(await said('openai-compatible/wary/m')).toMatch(
      /^The server wary answered with status 401: .* No key was sent: set models\.servers\.wary\.apiKeyVariable\.$/,
    );
    expect(await said('openai-compatible/down/m')).toMatch(
      /^Cannot reach the server down at .* Start it, or check models\.servers\.down\.baseUrl/,
    );
  });

  test('a kind that is none is told with those that are', async () => {
    const servers = { x: { baseUrl: 'http://127.0.0.1:9/v1', kind: 'olama' } };
    expect((await failure('openai-compatible/x/m', {}, { servers })).message).toMatch(
      /models\.servers\.x\.kind.*ollama/,
    );
    const wrong = await failure('openai-compatible/x/m', {}, { servers: { x: { baseUrl: `nowhere-${key}` } } });
    expect(wrong.message).toContain('models.servers.x.baseUrl is no http or https URL');
  });
});
