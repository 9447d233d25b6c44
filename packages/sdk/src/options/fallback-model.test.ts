import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startModelServer, status, text } from '@rondo/providers/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { query } from '../query.ts';
import { collectFailing, collectMessages } from '../testing/collect-messages.ts';
import type { Options } from './options.ts';

let root = '';
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'rondo-fallback-'));
});
afterAll(() => rm(root, { recursive: true, force: true }));

const model = 'anthropic/claude-sonnet-5-5';
const optionsFor = (url: string, more: Options = {}): Options => ({
  model,
  fallbackModel: 'anthropic/claude-haiku-5-5',
  home: join(root, 'home'),
  cwd: root,
  tools: [],
  env: { ANTHROPIC_API_KEY: 'k', ANTHROPIC_BASE_URL: url, CLAUDE_CODE_MAX_RETRIES: '0' },
  ...more,
});
const modelsOf = (server: { readonly requests: readonly { readonly body: unknown }[] }): unknown[] =>
  server.requests.map(({ body }) => (body as { readonly model: string }).model);

test('the other model is asked when the first is overloaded, which a message says, and pays its own price', async () => {
  const script = [status(529), text('from the other'), text('mine again')];
  await using server = await startModelServer({ script });
  const lines = await collectMessages(query({ prompt: 'hi', options: optionsFor(server.url) }));
  expect(lines.map((line) => ('subtype' in line ? line.subtype : line.type))).toEqual([
    'init',
    'model_fallback',
    'assistant',
    'success',
  ]);
  expect(lines[1]).toMatchObject({
    trigger: 'overloaded',
    original_model: 'claude-sonnet-5-5',
    fallback_model: 'claude-haiku-5-5',
  });
  expect(lines.at(-1)).toMatchObject({
    result: 'from the other',
    modelUsage: { 'claude-haiku-5-5': { outputTokens: 4 } },
  });
  expect(lines.at(-1)).not.toHaveProperty(['modelUsage', 'claude-sonnet-5-5']);
  const resume = lines[0]?.session_id ?? '';
  await collectMessages(query({ prompt: 'and now?', options: optionsFor(server.url, { resume }) }));
  expect(modelsOf(server)).toEqual(['claude-sonnet-5-5', 'claude-haiku-5-5', 'claude-sonnet-5-5']);
});

test('both overloaded is the error of the last', async () => {
  await using server = await startModelServer({ script: [status(529), status(529)] });
  const lines = await collectFailing(query({ prompt: 'hi', options: optionsFor(server.url) }));
  expect(lines.at(-1)).toMatchObject({ is_error: true, api_error_status: 529 });
});

test.each([
  [model, "which is the session's model"],
  ['no-such-model', 'No model is called "no-such-model"'],
])('%s is refused before anything is asked', async (fallbackModel, message) => {
  await using server = await startModelServer({ script: [] });
  const options = optionsFor(server.url, { fallbackModel });
  await expect(collectMessages(query({ prompt: 'hi', options }))).rejects.toThrow(message);
});

test('one whose price is not known keeps no budget, so that it does not take over', async () => {
  await using server = await startModelServer({ script: [status(529)] });
  const options = optionsFor(server.url, { fallbackModel: 'anthropic/claude-unheard-of', maxBudgetUsd: 1 });
  const lines = await collectFailing(query({ prompt: 'hi', options }));
  expect(lines.at(-1)).toMatchObject({ is_error: true, api_error_status: 529 });
  expect(JSON.stringify(lines)).toContain('its price is not known');
});
