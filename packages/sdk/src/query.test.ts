import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isRondoError } from '@rondo/protocol/values';
import type { SDKMessage, SDKResultMessage, SDKUserMessage } from '@rondo/protocol';
import { call, fail, pauseUntil, say, scriptedModel, stall, think, type ScriptedStep } from '@rondo/runtime/testing';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { AbortError } from './error/documented-errors.ts';
import type { Options } from './options/options.ts';
import { query } from './query.ts';
import { getSessionInfo } from './sessions/get-session-info.ts';
import { getSessionMessages } from './sessions/get-session-messages.ts';
import { listSessions } from './sessions/list-sessions.ts';
import { collectFailing, collectMessages } from './testing/collect-messages.ts';

// A busy machine takes its time to load what a session needs.
vi.setConfig({ testTimeout: 60_000 });

let root = '';
let homes = 0;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'rondo-query-'));
});
afterAll(() => rm(root, { recursive: true, force: true }));

/** Options of a session that touches nothing but a home of its own. */
function setUp(steps: readonly ScriptedStep[], more: Options = {}) {
  homes += 1;
  const home = join(root, `home-${homes}`);
  const model = scriptedModel(steps, {
    price: { input: 1, output: 1 },
    limits: { contextWindow: 1000, maxOutputTokens: 100 },
  });
  const options: Options = { model, home, cwd: root, tools: [], env: { PATH: process.env['PATH'] }, ...more };
  return { home, model, options };
}

function results(lines: readonly SDKMessage[]): SDKResultMessage[] {
  return lines.filter((line) => line.type === 'result');
}

const user = (text: string, more: Partial<SDKUserMessage> = {}): SDKUserMessage => ({
  type: 'user',
  message: { role: 'user', content: text },
  parent_tool_use_id: null,
  ...more,
});

describe('one prompt', () => {
  test('is answered by init, the reply, and a result', async () => {
    const { options, model, home } = setUp([[think('hm', 'sig'), say('hello')]]);
    const lines = await collectMessages(query({ prompt: 'hi', options }));
    expect(lines.map((line) => line.type)).toEqual(['system', 'system', 'assistant', 'assistant', 'result']);
    expect(lines[1]).toMatchObject({ subtype: 'thinking_tokens', estimated_tokens: 1, estimated_tokens_delta: 1 });
    expect(lines[0]).toMatchObject({
      subtype: 'init',
      model: 'scripted/model',
      cwd: root,
      tools: [],
      permissionMode: 'default',
    });
    expect(lines.at(-1)).toMatchObject({
      subtype: 'success',
      is_error: false,
      result: 'hello',
      num_turns: 1,
      modelUsage: { 'scripted/model': { contextWindow: 1000, maxOutputTokens: 100, inputTokens: 10 } },
    });
    const sessionId = lines[0]?.session_id ?? '';
    expect(await getSessionInfo(sessionId, { home })).toMatchObject({ sessionId, firstPrompt: 'hi', cwd: root });
    model.assertDone();
  });

  test('read several times at once it gives its messages in order, and is done behind the last', async () => {
    const { options } = setUp([say('hello')]);
    const running = query({ prompt: 'hi', options });
    const read = await Promise.all(Array.from({ length: 5 }, () => running.next()));
    expect(read.map(({ value }) => value?.type)).toEqual(['system', 'assistant', 'result', undefined, undefined]);
    expect(read.map(({ done }) => done)).toEqual([false, false, false, true, true]);
    expect(await running.next()).toEqual({ done: true, value: undefined });
    expect(running[Symbol.asyncIterator]()).toBe(running);
    expect(Object.prototype.toString.call(running)).toBe('[object AsyncGenerator]');
  });

  test('with partial messages streams the pieces around the whole', async () => {
    const { options } = setUp([say(['Hel', 'lo'])], { includePartialMessages: true });
    const lines = await collectMessages(query({ prompt: 'hi', options }));
    const streamed = lines.flatMap((line) => (line.type === 'stream_event' ? [line.event.type] : []));
    expect(streamed.at(0)).toBe('message_start');
    expect(streamed.at(-1)).toBe('message_stop');
    expect(lines.filter((line) => line.type === 'assistant')).toHaveLength(1);
  });

  test('that the model cannot answer ends in an error result, and then throws', async () => {
    const { options } = setUp([fail('model.request_invalid', { status: 400 }, 'bad request')]);
    const lines = await collectFailing(query({ prompt: 'hi', options }));
    expect(lines.slice(1)).toMatchObject([
      { type: 'assistant', error: 'invalid_request', message: { model: '<synthetic>' } },
      { type: 'result', subtype: 'success', is_error: true, api_error_status: 400, terminal_reason: 'api_error' },
    ]);
  });

  test('is tried again as often as the environment says', async () => {
    const { options, model } = setUp([fail('model.overloaded', { status: 529 })], {
      env: { CLAUDE_CODE_MAX_RETRIES: '0' },
    });
    const lines = await collectFailing(query({ prompt: 'hi', options }));
    expect(lines[1]).toMatchObject({ type: 'assistant', error: 'overloaded' });
    expect(results(lines)).toMatchObject([{ is_error: true, api_error_status: 529 }]);
    model.assertDone();
  });

  test('without a stored session leaves nothing behind', async () => {
    const { options, home } = setUp([say('hello')], { persistSession: false });
    await collectMessages(query({ prompt: 'hi', options }));
    expect(await listSessions({ home })).toEqual([]);
  });

  test('says what a model was told: the system prompt, and the surroundings once', async () => {
    const { options, model } = setUp([say('one'), say('two')], { systemPrompt: 'Be terse.' });
    const [first] = await collectMessages(query({ prompt: 'hi', options }));
    await collectMessages(query({ prompt: 'again', options: { ...options, resume: first?.session_id ?? '' } }));
    expect(model.requests.map((request) => request.system)).toEqual(['Be terse.', 'Be terse.']);
    expect(JSON.stringify(model.requests[0]?.messages)).toContain(`Working folder: ${root}`);
    expect(JSON.stringify(model.requests[1]?.messages).split('Working folder')).toHaveLength(2);
  });
});

describe('going on', () => {
  test('resume adds a turn to the session, with the cost of both', async () => {
    const { options, model } = setUp([say('one'), say('two')]);
    const first = await collectMessages(query({ prompt: 'first', options }));
    const second = await collectMessages(
      query({ prompt: 'second', options: { ...options, resume: first[0]?.session_id ?? '' } }),
    );
    expect(second.map((line) => line.type)).toEqual(['system', 'assistant', 'result']);
    expect(second[0]?.session_id).toBe(first[0]?.session_id);
    expect(results(second)[0]?.total_cost_usd).toBeCloseTo((results(first)[0]?.total_cost_usd ?? 0) * 2);
    expect(model.requests[1]?.messages).toHaveLength(3);
  });

  test('continue takes the latest session of the folder, and fork leaves it as it is', async () => {
    const { options, home, model } = setUp([say('one'), say('two'), say('three')]);
    await expect(collectMessages(query({ prompt: 'x', options: { ...options, continue: true } }))).rejects.toThrow(
      /no session of/,
    );
    const first = await collectMessages(query({ prompt: 'first', options }));
    const second = await collectMessages(query({ prompt: 'second', options: { ...options, continue: true } }));
    expect(second[0]?.session_id).toBe(first[0]?.session_id);
    const forked = await collectMessages(
      query({ prompt: 'third', options: { ...options, continue: true, forkSession: true } }),
    );
    expect(forked[0]?.session_id).not.toBe(first[0]?.session_id);
    expect(model.requests[2]?.messages).toHaveLength(5);
    expect((await getSessionMessages(first[0]?.session_id ?? '', { home })).length).toBe(4);
    expect((await listSessions({ home, dir: root })).map((session) => session.sessionId)).toEqual([
      forked[0]?.session_id,
      first[0]?.session_id,
    ]);
  });

  test('a session ID is kept, and refused when it is taken', async () => {
    const sessionId = '0b9a1c1e-aaaa-4000-8000-000000000001';
    const { options } = setUp([say('one')], { sessionId });
    const lines = await collectMessages(query({ prompt: 'hi', options }));
    expect(lines[0]?.session_id).toBe(sessionId);
    const again = collectMessages(query({ prompt: 'hi', options }));
    await expect(again).rejects.toSatisfy((error) => isRondoError(error, 'session.exists'));
  });

  test('a session that is not there is an error that names it', async () => {
    const resume = '0b9a1c1e-aaaa-4000-8000-00000000dead';
    const { options } = setUp([], { resume });
    const lost = collectMessages(query({ prompt: 'hi', options }));
    await expect(lost).rejects.toSatisfy(
      (error) => isRondoError(error, 'session.not_found') && error.message.includes(resume),
    );
  });

  test('what was said reads as it was shown, with the same uuids', async () => {
    const { options, home } = setUp([say('one')]);
    const lines = await collectMessages(query({ prompt: 'hi', options }));
    const messages = await getSessionMessages(lines[0]?.session_id ?? '', { home });
    expect(messages).toMatchObject([{ type: 'user', message: { role: 'user', content: 'hi' } }, { type: 'assistant' }]);
    expect(messages[1]?.uuid).toBe(lines[1]?.uuid);
    expect(await getSessionMessages(lines[0]?.session_id ?? '', { home, offset: 1, limit: 1 })).toHaveLength(1);
    expect(await getSessionMessages('0b9a1c1e-aaaa-4000-8000-00000000dead', { home })).toEqual([]);
  });
});

describe('a stream of messages', () => {
  test('gets a result a turn and ends with the stream', async () => {
    const { options, model } = setUp([say('one'), say('two')]);
    const gate = Promise.withResolvers<void>();
    async function* prompt() {
      yield user('first');
      await gate.promise;
      yield user('second', { uuid: 'f0000000-0000-4000-8000-000000000001' });
    }
    const lines: SDKMessage[] = [];
    for await (const line of query({ prompt: prompt(), options })) {
      lines.push(line);
      if (line.type === 'result') gate.resolve();
    }
    expect(results(lines).map((line) => (line.subtype === 'success' ? line.result : ''))).toEqual(['one', 'two']);
    model.assertDone();
  });

  test('that ends at once still waits for its turn, and one without messages ends without lines', async () => {
    const { options } = setUp([say('one')]);
    async function* nothing(): AsyncGenerator<SDKUserMessage> {}
    expect(await collectMessages(query({ prompt: nothing(), options }))).toEqual([]);
    async function* once() {
      yield user('context', { shouldQuery: false });
      yield user('hi');
    }
    expect(results(await collectMessages(query({ prompt: once(), options })))).toHaveLength(1);
  });

  test('interrupted, its turn ends and the next message runs', async () => {
    const { options } = setUp([[say('thinking'), stall()], say('two')]);
    const gate = Promise.withResolvers<void>();
    async function* prompt() {
      yield user('first');
      await gate.promise;
      yield user('second');
    }
    const messages = query({ prompt: prompt(), options: { ...options, includePartialMessages: true } });
    const lines: SDKMessage[] = [];
    for await (const line of messages) {
      lines.push(line);
      if (line.type === 'stream_event' && line.event.type === 'content_block_delta' && lines.length < 8) {
        expect(await messages.interrupt()).toEqual({ still_queued: [] });
      }
      if (line.type === 'result') gate.resolve();
    }
    expect(results(lines)).toMatchObject([
      { subtype: 'error_during_execution', is_error: true, terminal_reason: 'aborted_streaming' },
      { subtype: 'success', result: 'two' },
    ]);
    const said = lines.find((line) => line.type === 'user');
    expect(said).toMatchObject({ message: { content: [{ text: '[Request interrupted by user]' }] } });
  });

  test('a message that cannot be sent ends the query with an error that names the place', async () => {
    const { options } = setUp([]);
    async function* prompt() {
      yield { ...user(''), message: { role: 'user', content: [{ type: 'audio' }] } } as unknown as SDKUserMessage;
    }
    await expect(collectMessages(query({ prompt: prompt(), options }))).rejects.toThrow(/message\.content\[0\]/);
  });
});

describe('stopping', () => {
  test('an abort interrupts the turn and throws an AbortError', async () => {
    const abortController = new AbortController();
    const { options, home } = setUp([[say('x'), stall()]], { abortController, includePartialMessages: true });
    let sessionId = '';
    const run = (async () => {
      for await (const line of query({ prompt: 'hi', options })) {
        sessionId = line.session_id ?? '';
        if (line.type === 'stream_event' && line.event.type === 'content_block_delta') abortController.abort();
      }
    })();
    await expect(run).rejects.toBeInstanceOf(AbortError);
    const messages = await getSessionMessages(sessionId, { home });
    expect(messages.at(-1)).toMatchObject({ message: { content: [{ text: '[Request interrupted by user]' }] } });
  });

  test('aborted before it began, it throws at once and starts nothing', async () => {
    const { options, model } = setUp([say('never')], { abortController: new AbortController() });
    options.abortController?.abort();
    await expect(collectMessages(query({ prompt: 'hi', options }))).rejects.toSatisfy((error) =>
      isRondoError(error, 'operation.aborted'),
    );
    expect(model.requests).toHaveLength(0);
  });

  test('leaving the loop stops the turn and gives the session back', async () => {
    const { options, home } = setUp([[say('x'), stall()], say('two')]);
    let sessionId = '';
    for await (const line of query({ prompt: 'hi', options })) {
      sessionId = line.session_id ?? '';
      break;
    }
    const again = await collectMessages(query({ prompt: 'more', options: { ...options, resume: sessionId } }));
    expect(results(again)).toMatchObject([{ is_error: false }]);
    expect(await getSessionInfo(sessionId, { home })).toMatchObject({ sessionId });
  });

  test('close ends an iteration that waits, without an error', async () => {
    const hold = Promise.withResolvers<void>();
    const { options } = setUp([[pauseUntil(hold.promise), say('x')]]);
    const messages = query({ prompt: 'hi', options });
    expect((await messages.next()).value).toMatchObject({ subtype: 'init' });
    const pending = messages.next();
    messages.close();
    expect(await pending).toEqual({ done: true, value: undefined });
    hold.resolve();
  });
});

describe('limits', () => {
  test('the turns of a turn', async () => {
    const { options } = setUp([call('Nothing'), call('Nothing')], { maxTurns: 2 });
    expect(results(await collectFailing(query({ prompt: 'hi', options })))).toMatchObject([
      { subtype: 'error_max_turns', num_turns: 3, is_error: true, terminal_reason: 'max_turns' },
    ]);
  });

  test('the budget of the whole query', async () => {
    const { options } = setUp([say('one'), call('Nothing'), say('never')], { maxBudgetUsd: 0.00002 });
    const gate = Promise.withResolvers<void>();
    async function* prompt() {
      yield user('first');
      await gate.promise;
      yield user('second');
      await new Promise(() => {});
    }
    const lines: SDKMessage[] = [];
    for await (const line of query({ prompt: prompt(), options })) {
      lines.push(line);
      if (line.type === 'result') gate.resolve();
    }
    expect(results(lines).map((line) => line.subtype)).toEqual(['success', 'error_max_budget_usd']);
  });
});

test('what is asked for and not served is refused by name before anything begins', () => {
  const refused = (options: object) => () => query({ prompt: 'hi', options: options as Options });
  expect(refused({ plugins: [{ type: 'local', path: 'x' }] })).toThrow(/options\.plugins is not served/);
  expect(refused({ maxTurns: 0 })).toThrow(/options\.maxTurns takes a whole number from 1, not 0/);
  expect(refused({ modell: 'x' })).toThrow(/options\.modell is no option/);
  expect(refused({ resume: 'abc' })).toThrow(/options\.resume takes a session ID/);
});
