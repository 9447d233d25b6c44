import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SDKMessage } from '@rondo/protocol';
import { reply, startModelServer, text } from '@rondo/providers/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { query } from '../query.ts';
import { collectMessages } from '../testing/collect-messages.ts';
import type { Options } from './options.ts';

let root = '';
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'rondo-prices-'));
});
afterAll(() => rm(root, { recursive: true, force: true }));

const usage = { input_tokens: 1_000_000, output_tokens: 100_000, cache_read_input_tokens: 1_000_000 };

async function ask(model: string, more: Options = {}) {
  await using server = await startModelServer({ script: [reply(text('hi'), { usage })] });
  const notes: string[] = [];
  const lines = await collectMessages(
    query({
      prompt: 'go',
      options: {
        model,
        home: join(root, 'home'),
        cwd: root,
        tools: [],
        env: { ANTHROPIC_API_KEY: 'k', ANTHROPIC_BASE_URL: server.url },
        stderr: (note) => void notes.push(note),
        ...more,
      },
    }),
  );
  return { result: lines.at(-1), notes: notes.filter((note) => note.includes('price')) };
}

test('a model of the catalog costs what its vendor’s list says', async () => {
  const { result, notes } = await ask('anthropic/claude-sonnet-5-5');
  expect(notes).toEqual([]);
  expect(result).toMatchObject({
    total_cost_usd: 3.1,
    usage: { input_tokens: 1_000_000, output_tokens: 100_000, cache_read_input_tokens: 1_000_000 },
    modelUsage: {
      'claude-sonnet-5-5': {
        inputTokens: 1_000_000,
        outputTokens: 100_000,
        cacheReadInputTokens: 1_000_000,
        cacheCreationInputTokens: 0,
        webSearchRequests: 0,
        costUSD: 3.1,
        contextWindow: 1_000_000,
        maxOutputTokens: 128_000,
      },
    },
  });
});

test('prices of one’s own count in place of the list', async () => {
  const facts = { 'anthropic/claude-sonnet-5-5': { price: { input: 1, output: 10, cacheRead: 0 } } };
  expect((await ask('anthropic/claude-sonnet-5-5', { models: { facts } })).result).toMatchObject({ total_cost_usd: 2 });
});

test('tokens of a model without a price are counted, which is said once, and a budget is refused', async () => {
  const { result, notes } = await ask('anthropic/claude-unheard-of');
  expect(result).toMatchObject({
    total_cost_usd: 0,
    modelUsage: { 'claude-unheard-of': { inputTokens: 1_000_000, costUSD: 0 } },
  });
  expect(notes).toHaveLength(1);
  expect(notes[0]).toMatch(/price of anthropic\/claude-unheard-of is not known.*models\.facts/);
  await using server = await startModelServer({ script: [] });
  const env = { ANTHROPIC_API_KEY: 'k', ANTHROPIC_BASE_URL: server.url };
  const options: Options = {
    model: 'anthropic/claude-unheard-of',
    home: join(root, 'home'),
    cwd: root,
    tools: [],
    env,
  };
  await expect(collectMessages(query({ prompt: 'go', options: { ...options, maxBudgetUsd: 1 } }))).rejects.toThrow(
    /a budget cannot be kept with anthropic\/claude-unheard-of: its price is not known/,
  );
});

test('a budget is looked at before each request, and what is over it is not asked', async () => {
  await using server = await startModelServer({ script: [reply(text('one'), { usage })] });
  const options: Options = {
    model: 'anthropic/claude-sonnet-5-5',
    home: join(root, 'home'),
    cwd: root,
    tools: [],
    env: { ANTHROPIC_API_KEY: 'k', ANTHROPIC_BASE_URL: server.url },
    maxBudgetUsd: 3,
    outputFormat: { type: 'json_schema', schema: { type: 'object' } },
  };
  const lines: SDKMessage[] = [];
  await expect(
    (async () => {
      for await (const line of query({ prompt: 'go', options })) lines.push(line);
    })(),
  ).rejects.toMatchObject({ code: 'turn.failed' });
  expect(lines.at(-1)).toMatchObject({ subtype: 'error_max_budget_usd', terminal_reason: 'budget_exhausted' });
  expect(server.requests).toHaveLength(1);
});
