import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isRondoError } from '@rondo/protocol/values';
import { catalogModelNames, defaultAliases } from './catalog/model-catalog.ts';
import { knownProviders, readModelName, type ModelNameOptions } from './model-name.ts';

const aliases = {
  sonnet: 'anthropic/claude-sonnet-5-5',
  fast: 'openai-compatible/qwen/qwen3',
  bare: 'gpt-6',
  work: 'sonnet',
  big: 'claude-opus-4-5[1m]',
  cheap: 'openai/gpt-6-luna',
};

function read(name: string, options: Partial<ModelNameOptions> = {}): string | undefined {
  const found = readModelName(name, { aliases, ...options });
  return found && `${found.provider}/${found.model}`;
}

describe('what a name means', () => {
  test.each([
    ['anthropic/claude-opus-5-5', 'anthropic/claude-opus-5-5'],
    ['openai-compatible/meta/llama', 'openai-compatible/meta/llama'],
    ['openai-compatible/local/openai/gpt-oss:20b', 'openai-compatible/local/openai/gpt-oss:20b'],
    ['openai-compatible/llama.cpp//models/my model.gguf', 'openai-compatible/llama.cpp//models/my model.gguf'],
    ['scripted/./a/b c.json', 'scripted/./a/b c.json'],
    ['  sonnet ', 'anthropic/claude-sonnet-5-5'],
    ['Sonnet', 'anthropic/claude-sonnet-5-5'],
    ['work', 'anthropic/claude-sonnet-5-5'],
    ['fast', 'openai-compatible/qwen/qwen3'],
    ['bare', 'openai/gpt-6'],
    ['sonnet[1m]', 'anthropic/claude-sonnet-5-5[1m]'],
    ['work[1M]', 'anthropic/claude-sonnet-5-5[1m]'],
    ['big[1m]', 'anthropic/claude-opus-4-5[1m]'],
    ['cheap[1m]', 'openai/gpt-6-luna'],
    ['claude-opus-4-5[1m]', 'anthropic/claude-opus-4-5[1m]'],
    ['OpenAI/gpt-6', 'openai/gpt-6'],
    ['gpt-6.2-sol', 'openai/gpt-6.2-sol'],
    ['chatgpt-latest', 'openai/chatgpt-latest'],
    ['codex-mini', 'openai/codex-mini'],
    ['o4-mini', 'openai/o4-mini'],
    ['ft:gpt-4o-mini:house::1', 'openai/ft:gpt-4o-mini:house::1'],
    ['mistral-large-4', 'mistral/mistral-large-4'],
    ['magistral-medium-latest', 'mistral/magistral-medium-latest'],
    ['devstral-2512', 'mistral/devstral-2512'],
    ['codestral-latest', 'mistral/codestral-latest'],
    ['ministral-8b-latest', 'mistral/ministral-8b-latest'],
    ['pixtral-12b', 'mistral/pixtral-12b'],
    ['gemini-4-neon', 'google/gemini-4-neon'],
  ])('%s', (name, meaning) => {
    expect(read(name)).toBe(meaning);
  });

  test.each([
    'sonet',
    'anthropc/claude-opus-5-5',
    'opus-5',
    'olive',
    'constructor',
    '__proto__',
    '',
    '   ',
    '/',
    'anthropic/',
    'openai//gpt-6',
    'openai/gpt-6/',
    'openai-compatible/ ',
    'mistral/large 4',
    'Claude Opus 4.5',
    // Open weights are nobody's but the one's who serves them.
    'gpt-oss-120b',
    'gemma-3-27b',
    'mistral-nemo:12b',
    'mistral-community/pixtral-12b',
    'gpt-x/y',
  ])('%j means nothing', (name) => {
    expect(read(name)).toBeUndefined();
  });

  test('what is qualified is no short name, whatever somebody calls so', () => {
    const remapped = { 'anthropic/claude-opus-5-5': 'openai/gpt-6' };
    expect(read('anthropic/claude-opus-5-5', { aliases: remapped })).toBe('anthropic/claude-opus-5-5');
  });

  test('short names that only mean each other are an error that shows them', () => {
    const circle = { a: 'b', b: 'c', c: 'A' };
    for (const name of ['a', 'b', 'c[1m]']) {
      try {
        readModelName(name, { aliases: circle });
        expect.unreachable();
      } catch (error) {
        expect(isRondoError(error, 'model.unknown')).toBe(true);
      }
    }
    expect(() => readModelName('a', { aliases: circle })).toThrow('a → b → c → A');
    expect(() => readModelName('me', { aliases: { me: 'me' } })).toThrow('me → me');
  });

  test('the default provider takes what says nothing of its own, but no provider misspelt and no prose', () => {
    const defaultProvider = 'openai-compatible';
    expect(read('qwen/qwen3', { defaultProvider })).toBe('openai-compatible/qwen/qwen3');
    expect(read('gpt-oss:20b', { defaultProvider })).toBe('openai-compatible/gpt-oss:20b');
    expect(read('mistralai/Devstral-Small', { defaultProvider })).toBe('openai-compatible/mistralai/Devstral-Small');
    expect(read('claude-opus-5-5', { defaultProvider })).toBe('anthropic/claude-opus-5-5');
    expect(read('anthropc/claude-opus-5-5', { defaultProvider })).toBeUndefined();
    expect(read('Claude Opus 4.5', { defaultProvider })).toBeUndefined();
    expect(read('qwen/qwen3', { defaultProvider: 'openai-compatible/local' })).toBe(
      'openai-compatible/local/qwen/qwen3',
    );
  });
});

test('a name that means something is, resolved, its own meaning: also once the short names mean something else', () => {
  const piece = fc.constantFrom(
    ' ',
    '',
    ...'gpt-6 sonnet work qwen3 [1m] [1M] / // : x o4 claude- GPT-'.split(' '),
    ...knownProviders,
    ...Object.keys(defaultAliases),
    ...catalogModelNames().slice(0, 5),
  );
  const name = fc.oneof(
    fc.array(piece, { maxLength: 5 }).map((pieces) => pieces.join('')),
    fc.string({ maxLength: 12 }),
    fc.string({ maxLength: 8 }).map((text) => `openai-compatible/${text}`),
  );
  const shortNames = fc.dictionary(fc.oneof(piece, fc.string({ maxLength: 4 })), name, { maxKeys: 4 });
  const defaultProvider = fc.constantFrom(undefined, 'openai-compatible', 'openai-compatible/local', 'mistral');
  const settings = fc.record({ aliases: shortNames, defaultProvider });
  fc.assert(
    fc.property(name, settings, settings, (written, now, later) => {
      let resolved: string | undefined;
      try {
        resolved = read(written, now);
      } catch (error) {
        return isRondoError(error, 'model.unknown');
      }
      return resolved === undefined || (read(resolved, now) === resolved && read(resolved, later) === resolved);
    }),
    { numRuns: 2_000 },
  );
});
