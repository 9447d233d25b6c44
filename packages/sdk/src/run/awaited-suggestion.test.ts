import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SDKMessage, SDKUserMessage } from '@rondo/protocol';
import { call, fail, say, scriptedModel, stall, type ScriptedStep } from '@rondo/runtime/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Options } from '../options/options.ts';
import { query } from '../query.ts';
import { replaySession } from '../sessions/replay-session.ts';
import { collectFailing, collectMessages } from '../testing/collect-messages.ts';

let root = '';
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'rondo-suggestion-'));
});
afterAll(() => rm(root, { recursive: true, force: true }));

let homes = 0;
function setUp(steps: readonly ScriptedStep[], more: Options = {}) {
  homes += 1;
  const model = scriptedModel(steps, { price: { input: 1_000_000, output: 0 } });
  const home = join(root, `home-${homes}`);
  const options: Options = { model, home, cwd: root, tools: [], env: {}, promptSuggestions: true, ...more };
  return { model, home, options };
}
const kinds = (lines: readonly SDKMessage[]): string[] => lines.map(({ type }) => type);

test('what may be asked next comes behind the result, is paid for, and is no part of the conversation', async () => {
  const { options, model, home } = setUp([say('one'), say('Add a test.\nAnd more'), say('two'), say('"NONE"')]);
  const first = await collectMessages(query({ prompt: 'hi', options }));
  expect(kinds(first)).toEqual(['system', 'assistant', 'result', 'prompt_suggestion']);
  expect(first.at(-1)).toMatchObject({ suggestion: 'Add a test.' });
  expect(first.at(-2)).toMatchObject({ total_cost_usd: 10 });
  const resume = first[0]?.session_id ?? '';
  const second = await collectMessages(query({ prompt: 'again', options: { ...options, resume } }));
  expect(kinds(second)).toEqual(['system', 'assistant', 'result']);
  // Both turns, and the question between them.
  expect(second.at(-1)).toMatchObject({ total_cost_usd: 30 });
  expect(JSON.stringify(model.requests[1]?.messages.at(-1))).toContain('not from the person');
  expect(model.requests[1]?.messages.slice(0, -2)).toEqual(model.requests[0]?.messages);
  expect(JSON.stringify(model.requests[2]?.messages)).not.toContain('Add a test');
  expect(await replaySession(resume, { home })).not.toHaveProperty('divergence');
});

test('without it, or behind an error, nothing is asked', async () => {
  const plain = setUp([say('one')], { promptSuggestions: false });
  await collectMessages(query({ prompt: 'hi', options: plain.options }));
  plain.model.assertDone();
  const failing = setUp([fail('model.request_invalid')]);
  await collectFailing(query({ prompt: 'hi', options: failing.options }));
  failing.model.assertDone();
});

test('what goes wrong is a notice, a call runs nothing, and a used budget asks nothing', async () => {
  const failing = setUp([say('one'), fail('model.server_error')]);
  const lines = await collectMessages(query({ prompt: 'hi', options: failing.options }));
  expect(lines.at(-1)).toMatchObject({ subtype: 'informational', level: 'info' });
  const calling = setUp([say('one'), call('Bash', { command: 'touch x' })], { tools: ['Bash'] });
  expect(kinds(await collectMessages(query({ prompt: 'hi', options: calling.options }))).at(-1)).toBe('result');
  const poor = setUp([say('one')], { maxBudgetUsd: 5 });
  await collectMessages(query({ prompt: 'hi', options: poor.options }));
  poor.model.assertDone();
});

test('a result does not wait for it, and neither does leaving, closing, interrupting or saying more', async () => {
  const left = setUp([say('one'), stall()]);
  for await (const line of query({ prompt: 'hi', options: left.options })) if (line.type === 'result') break;
  const closed = setUp([say('one'), stall()]);
  const running = query({ prompt: 'hi', options: closed.options });
  for await (const line of running) if (line.type === 'result') running.close();
  const interrupted = setUp([say('one'), stall()]);
  const resting = query({ prompt: 'hi', options: interrupted.options });
  for await (const line of resting) if (line.type === 'result') await resting.interrupt();
  const more = setUp([say('one'), stall(), say('two'), say('Next?')]);
  const answered = Promise.withResolvers<undefined>();
  const messages = (async function* (): AsyncGenerator<SDKUserMessage> {
    yield { type: 'user', message: { role: 'user', content: 'hi' }, parent_tool_use_id: null };
    await answered.promise;
    yield { type: 'user', message: { role: 'user', content: 'more' }, parent_tool_use_id: null };
  })();
  const lines: SDKMessage[] = [];
  for await (const line of query({ prompt: messages, options: more.options })) {
    lines.push(line);
    if (line.type === 'result') answered.resolve(undefined);
  }
  expect(lines.filter(({ type }) => type === 'result')).toHaveLength(2);
  expect(lines.at(-1)).toMatchObject({ type: 'prompt_suggestion', suggestion: 'Next?' });
});
