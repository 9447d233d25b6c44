import type { ScriptStep } from '@rondo/providers/scripted';
import { one, type OneQuery, type Scenario } from '../scenario.ts';

const read: ScriptStep = { call: 'Read', input: { file_path: '${cwd}/a.txt' } };
const files = { 'a.txt': 'alpha\n' };
const fast = { CLAUDE_CODE_MAX_RETRIES: '1' };

const failing = (name: string, error: ScriptStep['error'], more: Partial<OneQuery> = {}): Scenario =>
  one({
    name,
    steps: [{ error } as ScriptStep],
    env: { CLAUDE_CODE_MAX_RETRIES: '0' },
    prompt: 'go',
    expect: { results: [{ is_error: true }], throws: /error result/ },
    ...more,
  });

/** What goes wrong with a model, and where a turn has to end. */
export const failures: readonly Scenario[] = [
  failing('401', { status: 401, message: 'wrong key' }),
  failing('403', { status: 403, message: 'not for you' }),
  failing('404', { status: 404, message: 'no such model' }),
  failing('400', { status: 400, message: 'bad request' }),
  failing('429', { status: 429, message: 'slowly' }),
  failing('500', { status: 500, message: 'broken' }),
  failing('529', { status: 529, message: 'busy' }),
  failing('a refusal', { code: 'model.refused', message: 'I must not.' } as never),
  failing('a prompt that is too long', { code: 'model.prompt_too_long', message: 'too long' } as never),
  failing('a connection that breaks', undefined, { steps: [{ reset: true }] }),
  failing('a stream that breaks', undefined, {
    steps: [{ text: 'One and ', fault: { cut: { events: 3 } } }],
    script: {},
  }),
  one({
    name: 'an error that passes',
    steps: [{ error: { status: 529, retryAfter: 0, message: 'busy' } }, { text: 'One.' }],
    env: fast,
    prompt: 'go',
    expect: {
      lines: [
        { type: 'system', subtype: 'api_retry', attempt: 1, error_status: 529 },
        { type: 'result', result: 'One.' },
      ],
    },
  }),
  one({
    name: 'an error after a tool',
    steps: [read, { error: { status: 400, message: 'bad request' } }],
    files,
    prompt: 'go',
    expect: { results: [{ is_error: true }], throws: /error result/ },
  }),
  one({
    name: 'an error in a stream of messages, and on',
    steps: [{ error: { status: 400, message: 'bad request' } }, { text: 'Two.' }],
    prompt: [{ say: 'one' }, { until: { type: 'result' } }, { say: 'two' }],
    expect: { results: [{ is_error: true }, { is_error: false, result: 'Two.' }] },
  }),
  one({
    name: 'at most so many calls',
    steps: [read, read],
    files,
    options: { maxTurns: 2 },
    prompt: 'go',
    expect: { results: [{ subtype: 'error_max_turns', is_error: true }], throws: /error result/ },
  }),
  one({
    name: 'at most one call, which is enough',
    steps: [{ text: 'One.' }],
    options: { maxTurns: 1 },
    prompt: 'go',
    expect: { results: [{ subtype: 'success' }] },
  }),
  one({
    name: 'at most so much money',
    steps: [read],
    script: { price: { input: 1_000_000, output: 1_000_000 }, unused: 'ignore' },
    files,
    options: { maxBudgetUsd: 0.01 },
    prompt: 'go',
    expect: { results: [{ subtype: 'error_max_budget_usd', is_error: true }], throws: /error result/ },
  }),
  one({
    name: 'money that lasts',
    steps: [read, { text: 'Done.' }],
    script: { price: { input: 1, output: 2 }, limits: { contextWindow: 1000, maxOutputTokens: 100 } },
    files,
    options: { maxBudgetUsd: 1 },
    prompt: 'go',
    expect: { results: [{ subtype: 'success', result: 'Done.' }] },
  }),
  one({
    name: 'an empty answer',
    steps: [{ text: '' }],
    script: { unused: 'ignore' },
    prompt: 'go',
    expect: {},
  }),
  one({
    name: 'a task’s budget',
    steps: [{ text: 'One.' }],
    options: { taskBudget: { total: 5000 } },
    prompt: 'go',
    expect: { results: [{ result: 'One.' }] },
  }),
];
