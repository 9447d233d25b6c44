import { describe, expect, test } from 'vitest';
import type { LocalServer } from '@rondo/providers/openai-compatible';
import type { ModelSettings } from '@rondo/providers';
import { plain } from '../terminal/painter.ts';
import { type DescribeOptions, describeModels } from './describe-models.ts';
import { modelsText } from './models-text.ts';

const settings: ModelSettings = {
  aliases: { fast: 'openai-compatible/house/qwen3', broken: 'sonet', haiku: 'gpt-by-variable' },
  servers: { house: { baseUrl: 'http://models.example/v1', kind: 'vllm', apiKeyVariable: 'HOUSE_KEY' } },
  facts: {
    'openai-compatible/house/qwen3': { contextWindow: 40_960, price: { input: 0, output: 0 } },
    'openai/gpt-4o': { maxOutputTokens: 9 },
  },
};
const found: readonly LocalServer[] = [
  {
    kind: 'ollama',
    title: 'Ollama',
    baseUrl: 'http://127.0.0.1:11434/v1',
    models: [{ id: 'qwen3:8b', name: 'openai-compatible/ollama/qwen3:8b', contextWindow: 8_192, loaded: true }],
  },
  {
    title: 'A server on port 9999',
    baseUrl: 'http://127.0.0.1:9999/v1',
    models: [{ id: "it's\u001b[2Jmine" }],
  },
];
const env = {
  OPENAI_API_KEY: 'sk-openai-0123456789',
  MISTRAL_BASE_URL: 'https://user:word-0123456789@gateway.example/v1?key=0123456789',
  GEMINI_BASE_URL: 'http://127.0.0.1:8080/v1beta',
  ANTHROPIC_CUSTOM_HEADERS: 'X-Api-Key: 0123456789',
  ANTHROPIC_DEFAULT_HAIKU_MODEL: 'gpt-by-variable',
};

function report(more: Partial<DescribeOptions> = {}) {
  const hosted = [{ name: 'hub', baseUrl: 'https://hub.example/v1', keyVariable: 'HUB_API_KEY' }];
  return describeModels({ env, effective: { settings, model: 'default' }, found, hosted, filter: '', ...more });
}

describe.each([80, 120])('at %i columns', (width) => {
  const text = modelsText(report(), { width, paint: plain });
  const lines = text.split('\n');

  test('no line is longer, and columns are in line', () => {
    expect(lines.filter((line) => line.length > width)).toEqual([]);
    expect(lines.filter((line) => /^  (gemini|mistral)-.*…$/.test(line))).toEqual([]);
    const heads = lines.filter((line) => line.startsWith('  MODEL  '));
    expect(heads.length).toBe(5);
    expect(new Set(heads).size).toBe(1);
    const end = heads[0]?.indexOf('WINDOW') ?? 0;
    const row = lines.find((line) => line.includes('gpt-6.2-sol')) ?? '';
    expect(row.slice(0, end + 'WINDOW'.length)).toMatch(/ 1\.05M$/);
    expect(row).toMatch(/1\.05M +128K +2\+ +10\+ +0\.1\+ {2}image PDF$/);
  });

  test('it tells where keys come from, and never a key or a password', () => {
    expect(text).toContain('openai  key: OPENAI_API_KEY\n');
    expect(text).toContain('anthropic  key: ANTHROPIC_CUSTOM_HEADERS\n');
    expect(text).toContain('mistral  no key: set MISTRAL_API_KEY');
    expect(text).toContain('google  no key, and none needed  at http://127.0.0.1:8080/v1beta');
    expect(text).toContain('at https://gateway.example/v1 ');
    expect(text).not.toContain('0123456789');
  });

  test('it names each local model as --model takes it, and lets none of them touch the terminal', () => {
    expect(text).toContain('On this machine: Ollama, http://127.0.0.1:11434/v1');
    expect(text).toContain('  --model openai-compatible/ollama/qwen3:8b  8K tokens  loaded');
    expect(text).not.toContain('\u001b');
  });
});

test('facts of settings and servers stand among what is known', () => {
  const text = modelsText(report(), { width: 400, paint: plain });
  expect(text).toMatch(/house\/qwen3 +41K +\? +0 +0\n/);
  expect(text).toMatch(/gpt-4o +128K +9 /);
  expect(text).toContain('openai-compatible/house/MODEL  key: HOUSE_KEY is not set    http://models.example/v1 (vllm)');
  expect(text).toMatch(/openai-compatible\/hub\/MODEL +key: HUB_API_KEY is not set +https:\/\/hub\.example\/v1\n/);
  expect(text).toMatch(/fast +openai-compatible\/house\/qwen3 +\(settings\)/);
  expect(text).toMatch(/haiku +anthropic\/gpt-by-variable +\(ANTHROPIC_DEFAULT_HAIKU_MODEL\)|haiku +openai\/gpt-by/);
  expect(text).toContain('broken (settings): "broken" is a short name for "sonet". No model is called "sonet".');
  expect(text).toContain('as read on 2026-11-30');
});

test('a filter leaves what has it in its name', () => {
  const { providers, servers, localServers, aliases } = report({ filter: 'QWEN' });
  expect(providers.flatMap(({ models }) => models.map(({ name }) => name))).toEqual(['openai-compatible/house/qwen3']);
  expect(localServers.flatMap(({ models }) => models.map(({ id }) => id))).toEqual(['qwen3:8b']);
  expect(aliases.map(({ alias }) => alias)).toEqual(['fast']);
  expect(servers).toEqual([]);
});

test('the default is told with who says so, and with what is wrong about it', () => {
  const named = report({ effective: { settings, model: 'opus', namedBy: 'ANTHROPIC_MODEL' } });
  expect(modelsText(named, { width: 100, paint: plain })).toMatch(
    /^Default {2}opus → anthropic\/claude-opus-\d-\d {2}\(ANTHROPIC_MODEL\)\n/,
  );
  expect(report({ effective: { settings, model: 'opsu' } }).default).toMatchObject({
    model: null,
    problem: expect.stringContaining('Did you mean opus'),
  });
});
