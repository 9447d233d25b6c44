import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SDKMessage, SDKUserMessage } from '@rondo/protocol';
import { call, fail, say, scriptedModel, stall, think, thinkRedacted, type ScriptedStep } from '@rondo/runtime/testing';
import { afterAll, expect, test, vi } from 'vitest';
import type { Options } from './options/options.ts';
import { query } from './query.ts';
import { replaySession } from './sessions/replay-session.ts';
import { collectFailing, collectMessages } from './testing/collect-messages.ts';
import { assertLineOrder } from './order/line-order.ts';

vi.setConfig({ testTimeout: 30_000 });
const root = mkdtempSync(join(tmpdir(), 'rondo-lines-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

async function linesOf(steps: readonly ScriptedStep[], more: Options = {}): Promise<readonly SDKMessage[]> {
  const cwd = mkdtempSync(join(root, 'work-'));
  writeFileSync(join(cwd, 'a.txt'), 'alpha\n');
  const home = mkdtempSync(join(root, 'home-'));
  const model = scriptedModel(steps);
  const options: Options = { model, cwd, home, env: { PATH: process.env['PATH'] }, settingSources: [], ...more };
  const lines = await collectMessages(query({ prompt: 'go', options }));
  assertLineOrder(lines);
  return lines;
}

function kindsOf(lines: readonly SDKMessage[]): string[] {
  return lines.map((line) => {
    if (line.type === 'stream_event') return line.event.type;
    if (line.type === 'system' && line.subtype === 'session_state_changed') return line.state;
    return line.type === 'system' ? line.subtype : line.type;
  });
}

test('what the model thinks is estimated as it comes, with partial messages or without, and for each block anew', async () => {
  const steps = [[think(['eight ch', 'aracters', ''], 's'), think('more', 's'), say('done')]];
  for (const includePartialMessages of [false, true]) {
    const lines = await linesOf(steps, { includePartialMessages });
    const told = lines.flatMap((line) => (line.type === 'system' && line.subtype === 'thinking_tokens' ? [line] : []));
    expect(told.map((line) => [line.estimated_tokens, line.estimated_tokens_delta])).toEqual([
      [2, 2],
      [4, 2],
      [1, 1],
    ]);
  }
});

test('of thinking that nobody is shown, the size is told once it is over', async () => {
  const lines = await linesOf([[thinkRedacted('c'.repeat(160)), say('done')]]);
  expect(kindsOf(lines)).toEqual(['init', 'thinking_tokens', 'assistant', 'assistant', 'result']);
  expect(lines[1]).toMatchObject({ estimated_tokens: 30, estimated_tokens_delta: 30 });
});

test('where it is asked for, the session says that it works, waits for an answer, and rests', async () => {
  const steps = [call('Write', { file_path: 'b.txt', content: 'x' }), say('done')];
  const canUseTool = () => Promise.resolve({ behavior: 'allow' as const });
  const kinds = kindsOf(await linesOf(steps, { sessionStates: true, canUseTool }));
  const told = ['running', 'init', 'assistant', 'requires_action', 'running', 'user', 'assistant', 'result', 'idle'];
  expect(kinds).toEqual(told);
  expect(kindsOf(await linesOf(steps, { canUseTool }))).toEqual(['init', 'assistant', 'user', 'assistant', 'result']);
});

test('the hooks of a session and of a prompt are told before the turn that they come before', async () => {
  const nothing = () => Promise.resolve({});
  const hooks = { SessionStart: [{ hooks: [nothing] }], UserPromptSubmit: [{ hooks: [nothing] }] };
  const lines = await linesOf([say('done')], { hooks, includeHookEvents: true, replayUserMessages: true });
  const hook = ['hook_started', 'hook_response'];
  expect(kindsOf(lines)).toEqual([...hook, ...hook, 'init', 'user', 'assistant', 'result']);
});

test('what a hook says to a prompt that it blocks comes behind the beginning of its turn', async () => {
  const block = () => Promise.resolve({ decision: 'block' as const, reason: 'no secrets' });
  const lines = await linesOf([], { hooks: { UserPromptSubmit: [{ hooks: [block] }] } });
  expect(kindsOf(lines)).toEqual(['init', 'informational', 'result']);
});

test('a hook that keeps a turn from its end is told to the model, and to the person in a word beside it', async () => {
  let stops = 0;
  const stop = () => Promise.resolve(stops++ === 0 ? { decision: 'block' as const, reason: 'run the tests' } : {});
  const lines = await linesOf([say('draft'), say('done')], { hooks: { Stop: [{ hooks: [stop] }] } });
  expect(kindsOf(lines)).toEqual(['init', 'assistant', 'user', 'notification', 'assistant', 'result']);
  expect(lines[3]).toMatchObject({
    key: 'stop-hook-feedback',
    text: expect.stringContaining('run the tests') as string,
  });
});

test('what a hook has for the person is a notice', async () => {
  const told = () => Promise.resolve({ systemMessage: 'Mind the gap.' });
  const lines = await linesOf([call('Read', { file_path: 'a.txt' }), say('done')], {
    hooks: { PostToolUse: [{ hooks: [told] }] },
  });
  expect(lines.find((line) => line.type === 'system' && line.subtype === 'informational')).toMatchObject({
    content: 'Mind the gap.',
    level: 'notice',
  });
});

test('pieces of a reply come behind the word that it was asked for, its whole blocks before the last one stops', async () => {
  const lines = await linesOf([[say(['Hel', 'lo']), call('Read', { file_path: 'a.txt' })], say('done')], {
    includePartialMessages: true,
  });
  expect(kindsOf(lines)).toEqual([
    'init',
    'status',
    'message_start',
    'content_block_start',
    'content_block_delta',
    'content_block_delta',
    'content_block_stop',
    'content_block_start',
    'content_block_delta',
    'assistant',
    'assistant',
    'content_block_stop',
    'message_delta',
    'message_stop',
    'user',
    'status',
    'message_start',
    'content_block_start',
    'content_block_delta',
    'assistant',
    'content_block_stop',
    'message_delta',
    'message_stop',
    'result',
  ]);
  const timed = lines.flatMap((line) => (line.type === 'stream_event' && line.ttft_ms !== undefined ? [line] : []));
  expect(timed.map(({ event }) => event.type)).toEqual(['message_start', 'message_start']);
  const result = lines.at(-1);
  if (result?.type !== 'result' || result.subtype !== 'success') throw new Error('no good result');
  expect(result.ttft_stream_ms).toBeGreaterThanOrEqual(0);
  expect(result.ttft_ms).toBeGreaterThanOrEqual(result.ttft_stream_ms ?? Number.POSITIVE_INFINITY);
});

test('the lines of a reply name the request that it answers', async () => {
  const lines = await linesOf([[say('I look.'), call('Read', { file_path: 'a.txt' })], say('done')]);
  const requests = lines.flatMap((line) => (line.type === 'assistant' ? [line.request_id] : []));
  expect(requests[0]).toEqual(expect.any(String));
  expect(requests[1]).toBe(requests[0]);
  expect(requests[2]).not.toBe(requests[0]);
});

test('what was said by an interrupt is marked, and the word of it stands before the result', async () => {
  const cwd = mkdtempSync(join(root, 'work-'));
  const model = scriptedModel([[say(['so ', 'far']), stall()]]);
  const ended = Promise.withResolvers<void>();
  async function* prompts(): AsyncGenerator<SDKUserMessage> {
    yield { type: 'user', message: { role: 'user', content: 'go' }, parent_tool_use_id: null };
    await ended.promise;
  }
  const options: Options = { model, cwd, home: mkdtempSync(join(root, 'home-')), env: {}, settingSources: [] };
  const running = query({ prompt: prompts(), options: { ...options, includePartialMessages: true } });
  const lines: SDKMessage[] = [];
  for await (const line of running) {
    lines.push(line);
    const isText = line.type === 'stream_event' && line.event.type === 'content_block_delta';
    if (isText && JSON.stringify(line).includes('far')) await running.interrupt();
    if (line.type === 'result') ended.resolve();
  }
  assertLineOrder(lines);
  const said = lines.filter((line) => line.type !== 'stream_event' && line.type !== 'system');
  expect(said).toMatchObject([
    { type: 'assistant', aborted: true, message: { content: [{ type: 'text', text: 'so far' }] } },
    { type: 'user', message: { content: [{ text: '[Request interrupted by user]' }] } },
    { type: 'result', subtype: 'error_during_execution', is_error: true, terminal_reason: 'aborted_streaming' },
  ]);
});

test('a limit of the provider is told with the time at which it is whole again, before the retry and before the error', async () => {
  const limited = (retryAfterMs: number) => fail('model.rate_limited', { status: 429, retryAfterMs });
  const home = mkdtempSync(join(root, 'home-'));
  const lines = await linesOf([limited(1), say('done')], { home });
  expect(kindsOf(lines)).toEqual(['init', 'rate_limit_event', 'api_retry', 'assistant', 'result']);
  expect(lines[1]).toMatchObject({ rate_limit_info: { status: 'rejected', resetsAt: expect.any(Number) as number } });
  expect((await replaySession(lines[0]?.session_id ?? '', { home })).divergence).toBeUndefined();
  const model = scriptedModel([limited(3_600_000)]);
  const options: Options = { model, cwd: root, home, env: {}, settingSources: [] };
  const failed = await collectFailing(query({ prompt: 'go', options }));
  expect(kindsOf(failed)).toEqual(['init', 'rate_limit_event', 'assistant', 'result']);
});
