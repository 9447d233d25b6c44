import { expect, test } from 'vitest';
import { serverKindAt, serverKinds, serverQuirks } from './server-quirks.ts';

test.each([
  ['https://openrouter.ai/api/v1', 'openrouter'],
  ['https://api.deepseek.com', 'deepseek'],
  ['https://api.groq.com/openai/v1', 'groq'],
  ['https://api.openai.com/v1', 'openai'],
  ['http://localhost:11434/v1', 'ollama'],
  ['http://127.0.0.1:1234/v1', 'lmstudio'],
  ['http://[::1]:8080/v1', 'llamacpp'],
  ['http://127.0.0.1:8000/v1', 'vllm'],
  ['http://127.0.0.1:9999/v1', undefined],
  ['https://elsewhere.example:11434/v1', undefined],
])('behind %s is %s', (url, kind) => {
  expect(serverKindAt(new URL(url))).toBe(kind);
});

test('every kind with a usual address is found there', () => {
  for (const kind of serverKinds) {
    const { baseUrl } = serverQuirks(kind);
    if (baseUrl !== undefined) expect(serverKindAt(new URL(baseUrl))).toBe(kind);
  }
});

test('a family of models brings its own along, on the servers that it is about', () => {
  expect(serverQuirks('vllm', 'mistralai/Mistral-Small').strictTurns).toBe(true);
  expect(serverQuirks('ollama', 'mistral').strictTurns).toBe(false);
  expect(serverQuirks('openrouter', 'mistralai/mistral-large').shortCallIds).toBe(false);
  expect(serverQuirks('ollama', 'gemma3:4b').images).toEqual(['image/png', 'image/jpeg', 'image/webp']);
  expect(serverQuirks('vllm', 'Qwen/Qwen2.5-VL-7B').images).toContain('image/gif');
  expect(serverQuirks('vllm', 'Qwen/Qwen3-32B').images).toEqual([]);
  expect(serverQuirks('llamacpp', 'devlish-coder').images).toEqual([]);
});

test('an unknown kind is a plain server', () => {
  expect(serverQuirks('constructor')).toEqual(serverQuirks(undefined));
  expect(serverQuirks(undefined, 'llava').images).toHaveLength(4);
});
