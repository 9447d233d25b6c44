import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { configuredModels } from './configured-models.ts';
import { loadSettings } from './load-settings.ts';
import { mergeModelSettings } from './merge-model-settings.ts';
import { mergeSettings } from './merge-settings.ts';
import { refuseBroken } from './settings-problem.ts';

let home = '';
beforeAll(() => {
  home = mkdtempSync(join(tmpdir(), 'rondo-models-'));
});
afterAll(() => rmSync(home, { recursive: true, force: true }));

async function read(written: unknown) {
  writeFileSync(join(home, 'settings.json'), typeof written === 'string' ? written : JSON.stringify(written));
  const loaded = await loadSettings({ cwd: home, home, env: { HOME: home }, managedFolder: home });
  refuseBroken(loaded);
  const { namedBy, ...said } = configuredModels(mergeSettings(loaded.layers));
  expect(namedBy).toBe(said.model === undefined ? undefined : join(home, 'settings.json'));
  return said;
}

async function problem(written: unknown): Promise<string> {
  const message = await read(written).then(
    () => 'nothing was wrong',
    (error: unknown) => (error as Error).message,
  );
  return message.replaceAll(join(home, 'settings.json'), 'FILE').replace(/^FILE:\d+:\d+/, 'FILE');
}

test('what is said is read', async () => {
  const models = {
    defaultProvider: 'openai-compatible/local',
    aliases: { fast: 'openai-compatible/local/qwen3', opus: 'fast' },
    servers: {
      local: { baseUrl: 'http://127.0.0.1:8000/v1', kind: 'vllm', apiKeyVariable: 'LOCAL_KEY', headers: { a: 'b' } },
    },
    facts: {
      'openai-compatible/local/qwen3': {
        contextWindow: 40_960,
        price: { input: 0, output: 0, longPrompt: { aboveTokens: 9, price: { input: 1, output: 1 } } },
        input: { images: [], manyImages: { above: 2, maxImageEdge: 10 } },
      },
    },
  };
  expect(await read({ $schema: 'x', hooks: {}, model: 'fast', models })).toEqual({ model: 'fast', models });
  expect(await read({ model: 'opus[1m]' })).toEqual({ model: 'opus' });
  expect(await read({})).toEqual({});
});

describe('what is wrong is told with its place', () => {
  const models = (value: unknown) => ({ models: value });
  const server = (value: unknown) => models({ servers: { local: value } });
  test.each([
    [{ modle: 'opus' }, 'FILE: modle is no key that this version knows; did you mean model?'],
    [{ aliases: {} }, 'FILE: aliases stands under models.'],
    [{ model: 7 }, 'FILE: model takes a text, not 7.'],
    [models([]), 'FILE: models takes an object, not [].'],
    [models({ alias: {} }), 'FILE: models.alias is no key of it; did you mean aliases?'],
    [
      models({ zzzzzzzzzz: 1 }),
      'FILE: models.zzzzzzzzzz is no key of it; there are defaultProvider, aliases, servers, facts.',
    ],
    [models({ aliases: { a: 1 } }), 'FILE: models.aliases.a takes a text, not 1.'],
    [
      models({ aliases: { 'openai/gpt-6': 'x' } }),
      'FILE: models.aliases the name "openai/gpt-6" is provider/model already; a short name has no provider.',
    ],
    [models({ defaultProvider: 'openapi' }), 'FILE: models.defaultProvider takes one of anthropic, openai, mistral'],
    [server({}), 'FILE: models.servers.local has no baseUrl.'],
    [server({ baseUrl: 'localhost:8000' }), 'FILE: models.servers.local.baseUrl takes an http or https URL'],
    [models({ servers: { 'a/b': { baseUrl: 'http://a' } } }), 'the name "a/b" may hold letters, digits'],
    [
      server({ baseUrl: 'http://a', apiKeyVariable: 'sk-1' }),
      'apiKeyVariable takes the name of an environment variable.',
    ],
    [models({ facts: { 'gpt-6': {} } }), 'the name "gpt-6" is no resolved name; write provider/model'],
    [
      models({ facts: { 'openai/x': { contextWindow: -1 } } }),
      'facts.openai/x.contextWindow takes a whole number from 1',
    ],
    [models({ facts: { 'openai/x': { price: { input: 1 } } } }), 'facts.openai/x.price has no output.'],
  ])('%j', async (written, message) => {
    expect(await problem(written)).toContain(message);
  });

  test.each([
    server({ baseUrl: 'http://a', apiKey: 'sk-0123456789' }),
    server({ baseUrl: 'http://a', headers: { Authorization: 'Bearer sk-0123456789' } }),
    server({ baseUrl: 'http://user:sk-0123456789@a/v1' }),
  ])('a key is refused, with the way on, and not repeated: %#', async (written) => {
    expect(await problem(written)).toContain('put it into an environment variable and name that one in apiKeyVariable');
    expect(await problem(written)).not.toContain('sk-0123456789');
  });
});

test('the place is that of the key', async () => {
  const written = '{\n  "models": {\n    "servers": {"mine": {\n      "baseUrl": 7\n}}}}';
  writeFileSync(join(home, 'settings.json'), written);
  const { problems } = await loadSettings({ cwd: home, home, env: { HOME: home }, managedFolder: home });
  expect(problems).toMatchObject([{ key: 'models.servers.mine.baseUrl', place: '4:7', severity: 'broken' }]);
});

test('names from the prototype of objects are names like others', async () => {
  expect(await problem('{"models": {"servers": {"a": {"baseUrl": "http://a", "constructor": 1}}}}')).toContain(
    'is no key',
  );
  const headers = { constructor: 'x' };
  const said = await read({ models: { servers: { a: { baseUrl: 'http://a', headers } } } });
  expect(said.models?.servers?.['a']).toMatchObject({ headers });
});

test('settings are merged entry by entry, the upper ones counting', () => {
  const under = { defaultProvider: 'openai', aliases: { a: '1', b: '2' }, servers: { s: { baseUrl: 'http://under' } } };
  const over = { aliases: { b: '3' }, servers: { s: { baseUrl: 'http://over' } }, facts: { 'openai/x': {} } };
  expect(mergeModelSettings(under, over)).toEqual({
    defaultProvider: 'openai',
    aliases: { a: '1', b: '3' },
    servers: { s: { baseUrl: 'http://over' } },
    facts: { 'openai/x': {} },
  });
  expect(mergeModelSettings().defaultProvider).toBeUndefined();
});
