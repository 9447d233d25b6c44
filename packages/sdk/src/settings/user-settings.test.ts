import { mkdtempSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isRondoError } from '@rondo/protocol/values';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { mergeModelSettings } from './merge-model-settings.ts';
import { readUserSettings } from './user-settings.ts';

let home = '';
beforeAll(() => {
  home = mkdtempSync(join(tmpdir(), 'rondo-settings-'));
});
afterAll(() => rmSync(home, { recursive: true, force: true }));

function read(written: unknown) {
  writeFileSync(join(home, 'settings.json'), typeof written === 'string' ? written : JSON.stringify(written));
  return readUserSettings(home);
}

function problem(written: unknown): string {
  try {
    read(written);
  } catch (error) {
    if (isRondoError(error, 'input.invalid')) return error.message.replace(join(home, 'settings.json'), 'FILE');
    throw error;
  }
  throw new Error('nothing was wrong');
}

test('what is said is read, and other keys are left alone', () => {
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
  expect(read({ $schema: 'x', hooks: {}, model: 'fast', models })).toEqual({ model: 'fast', models });
  expect(read('\uFEFF{"model": "opus"}')).toEqual({ model: 'opus' });
});

test('no file, an empty one and one that says nothing are all fine', () => {
  expect(readUserSettings(join(home, 'elsewhere'))).toEqual({});
  expect(read('')).toEqual({});
  expect(read({})).toEqual({});
});

test('a file that is a folder is told', () => {
  const odd = join(home, 'odd');
  mkdirSync(join(odd, 'settings.json'), { recursive: true });
  expect(() => readUserSettings(odd)).toThrow('settings.json cannot be read');
});

describe('what is wrong is told with its place', () => {
  const models = (value: unknown) => ({ models: value });
  const server = (value: unknown) => models({ servers: { local: value } });
  test.each([
    ['{\n  "model": sonnet\n}', 'FILE:2:12 is no JSON: expected a value here.'],
    ['[]', 'FILE: its top level is no object.'],
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
      'FILE: models.aliases: the name "openai/gpt-6" is provider/model already; a short name has no provider.',
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
  ])('%j', (written, message) => {
    expect(problem(written)).toContain(message);
  });

  test.each([
    server({ baseUrl: 'http://a', apiKey: 'sk-0123456789' }),
    server({ baseUrl: 'http://a', headers: { Authorization: 'Bearer sk-0123456789' } }),
    server({ baseUrl: 'http://user:sk-0123456789@a/v1' }),
  ])('a key is refused, with the way on, and not repeated: %#', (written) => {
    expect(problem(written)).toContain('put it into an environment variable and name that one in apiKeyVariable');
    expect(problem(written)).not.toContain('sk-0123456789');
  });
});

test('names from the prototype of objects are names like others', () => {
  expect(problem('{"models": {"servers": {"a": {"baseUrl": "http://a", "constructor": 1}}}}')).toContain('is no key');
  const headers = { constructor: 'x' };
  expect(read({ models: { servers: { a: { baseUrl: 'http://a', headers } } } }).models?.servers?.['a']).toMatchObject({
    headers,
  });
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
