import { expect, test } from 'vitest';
import { query } from '../query.ts';
import type { Options } from '../options/options.ts';
import { supportedModels } from './supported-models.ts';

const options: Options = {
  settingSources: [],
  env: { OPENAI_API_KEY: 'key-0123456789' },
  models: { aliases: { opus: 'gpt-6.2-sol', local: 'openai-compatible/house/qwen3', broken: 'nothing-like-it' } },
};

test('short names come with what they mean, then the models whose key is set', async () => {
  const models = await supportedModels(options);
  expect(models.find(({ value }) => value === 'opus')).toEqual({
    value: 'opus',
    resolvedModel: 'openai/gpt-6.2-sol',
    displayName: 'opus',
    description: 'openai/gpt-6.2-sol, a window of 1,050,000 tokens, $2 in and $10 out a million tokens',
    supportsEffort: true,
    supportedEffortLevels: ['low', 'medium', 'high', 'xhigh', 'max'],
  });
  expect(models.find(({ value }) => value === 'sonnet')).toMatchObject({
    resolvedModel: 'claude-sonnet-5-5',
    supportsAdaptiveThinking: true,
  });
  expect(models.find(({ value }) => value === 'local')).toEqual({
    value: 'local',
    resolvedModel: 'openai-compatible/house/qwen3',
    displayName: 'local',
    description: 'openai-compatible/house/qwen3',
  });
  const values = models.map(({ value }) => value);
  expect(values).toContain('openai/gpt-6.1-terra');
  expect(values).not.toContain('broken');
  expect(values.filter((value) => value.startsWith('claude-') || value.startsWith('mistral/'))).toEqual([]);
});

test('a query tells them, also while it has nothing to work on', async () => {
  const messages = query({ prompt: (async function* () {})(), options: { ...options, persistSession: false } });
  expect((await messages.supportedModels()).map(({ value }) => value)).toContain('opus');
  messages.close();
});
