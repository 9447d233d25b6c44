import { setImmediate } from 'node:timers/promises';
import type { SDKMessage, SDKUserMessage } from '@rondo/protocol';
import { isRondoError } from '@rondo/protocol/values';
import { describe, expect, test, vi } from 'vitest';
import type { Options } from '../options/options.ts';
import { query } from '../query.ts';
import { collectMessages } from '../testing/collect-messages.ts';
import {
  answered,
  asks,
  createStubPeer,
  hears,
  initializes,
  result,
  resultFrame,
  state,
  type StubStep,
} from '../testing/stub-peer.ts';

vi.setConfig({ testTimeout: 60_000 });

const user = (text: string, more: Partial<SDKUserMessage> = {}): SDKUserMessage => ({
  type: 'user',
  message: { role: 'user', content: text },
  parent_tool_use_id: null,
  ...more,
});

async function play(
  steps: readonly StubStep[],
  more: Options = {},
  prompt: string | AsyncIterable<SDKUserMessage> = 'hi',
) {
  using peer = createStubPeer(steps, more);
  const lines: SDKMessage[] = [];
  let error: unknown;
  try {
    for await (const line of query({ prompt, options: peer.options })) lines.push(line);
  } catch (thrown) {
    error = thrown;
  }
  return { lines, error, ...peer.log() };
}

const types = (lines: readonly SDKMessage[]) => lines.map((line) => line.type);

describe('one prompt', () => {
  test('is written behind initialize, without waiting for its answer', async () => {
    const { told, lines, error } = await play([hears, ...initializes, result(), { eof: true }]);
    expect(error).toBeUndefined();
    expect(types(lines)).toEqual(['result']);
    expect(told).toMatchObject([
      { type: 'control_request', request: { subtype: 'initialize', systemPrompt: [''] } },
      {
        type: 'user',
        session_id: '',
        message: { role: 'user', content: [{ type: 'text', text: 'hi' }] },
        parent_tool_use_id: null,
      },
    ]);
    expect(told[1]).not.toHaveProperty('uuid');
  });

  test('may have more than one result; all that is said until the end is shown', async () => {
    const { lines } = await play([...initializes, hears, result(), { eof: true }, result({ result: 'more' })]);
    expect(lines).toMatchObject([{ result: 'done' }, { result: 'more' }]);
  });

  test('is not disturbed by an initialize that is refused, empty, or never answered', async () => {
    const refused: StubStep = {
      write: { type: 'control_response', response: { subtype: 'error', request_id: '$init', error: 'no' } },
    };
    const empty: StubStep = {
      write: { type: 'control_response', response: { subtype: 'success', request_id: '$init' } },
    };
    for (const answer of [[initializes[0] as StubStep, refused], [initializes[0] as StubStep, empty], []]) {
      const { lines, error } = await play([...answer, hears, result(), { eof: true }]);
      expect([types(lines), error]).toEqual([['result'], undefined]);
    }
  });

  test('has separators of lines in its text as any other character', async () => {
    const text = 'a\u2028b\u2029c \u{1F468}\u200D\u{1F469}\u200D\u{1F467} 漢字 \r\n';
    const { told } = await play([hears, result(), { eof: true }], {}, text);
    expect(told[1]).toMatchObject({ message: { content: [{ text }] } });
  });
});

describe('what a peer says', () => {
  const odd = 'a\u2028b\u2029c \u{1F468}\u200D\u{1F469}\u200D\u{1F467} 漢字 \uFEFF end';

  test('is whole when it comes a byte at a time', async () => {
    const { lines } = await play([
      hears,
      { write: { type: 'assistant', text: odd }, bytewise: true },
      { write: resultFrame({ result: odd }), bytewise: true },
    ]);
    expect(lines).toMatchObject([{ type: 'assistant', text: odd }, { result: odd }]);
  });

  test('is whole when its last line has no end', async () => {
    const { lines } = await play([hears, { raw: JSON.stringify(resultFrame()) }, { exit: 0 }]);
    expect(types(lines)).toEqual(['result']);
  });

  test('and is no message is dropped, and told', async () => {
    const told: string[] = [];
    const { lines } = await play(
      [hears, { raw: 'banner\n\n  \n[1]\n"x"\nnull\n{"no":"type"}\n{"type":"half\n' }, result()],
      { stderr: (text) => void told.push(text) },
    );
    expect(types(lines)).toEqual(['result']);
    expect(told.join('').match(/no message/g)).toHaveLength(6);
    expect(told.join('')).toContain('banner');
  });

  test('of a kind that is not known is shown; what is for the host only, and keep_alive, is not', async () => {
    const { lines } = await play([
      hears,
      { write: { type: 'keep_alive' } },
      { write: { type: 'news', of: 'tomorrow' } },
      state('running'),
      { write: { type: 'system', subtype: 'session_state_changed', state: 'idle', session_id: 's', uuid: 'u' } },
      result(),
    ]);
    expect(lines).toMatchObject([
      { type: 'news', of: 'tomorrow' },
      { subtype: 'session_state_changed' },
      { type: 'result' },
    ]);
  });

  test('for the host only is shown, as to anybody, where the states of the session are asked for', async () => {
    const told = { type: 'system', subtype: 'news', sdk_host_only: true };
    const { lines } = await play([hears, state('running'), { write: told }, result()], { sessionStates: true });
    expect(lines).toMatchObject([{ subtype: 'session_state_changed', state: 'running' }, { type: 'result' }]);
    expect(lines[0]).not.toHaveProperty('sdk_host_only');
  });

  test('to a person is heard, characters whole, and quoted in the error of its end', async () => {
    const told: string[] = [];
    const { error } = await play([hears, { stderr: 'wrong: 漢字' }, { exit: 2 }], {
      stderr: (text) => void told.push(text),
    });
    expect(told.join('')).toBe('wrong: 漢字');
    expect(error).toMatchObject({ message: 'the peer process exited with code 2. stderr: wrong: 漢字' });
  });

  test('in an answer to nothing, or with nothing in it, is passed over', async () => {
    const { lines, error } = await play(
      [
        hears,
        { write: { type: 'control_response', response: { subtype: 'success', request_id: 'never asked' } } },
        { write: { type: 'control_response' } },
        { write: { type: 'control_cancel_request', request_id: 'never asked' } },
        result(),
      ],
      { stderr: () => {} },
    );
    expect([types(lines), error]).toEqual([['result'], undefined]);
  });
});

describe('the end of a peer', () => {
  test('without a result and with exit 0 ends the iteration', async () => {
    expect(await play([hears, { exit: 0 }])).toMatchObject({ lines: [], error: undefined });
  });

  test.each([
    ['at once', [] as StubStep[], []],
    ['behind initialize', initializes, []],
    ['behind the prompt', [...initializes, hears], []],
    ['behind a line', [...initializes, hears, { write: { type: 'assistant' } } as StubStep], ['assistant']],
    ['within a line', [...initializes, hears, { raw: '{"type":"assis' } as StubStep], []],
    ['behind a good result', [...initializes, hears, result()], ['result']],
    [
      'with a question open',
      [...initializes, hears, asks('1', { subtype: 'can_use_tool', tool_name: 'X', input: {} })],
      [],
    ],
  ] as const)('that exits with a code %s is an error', async (_, steps, shown) => {
    const { lines, error } = await play([...steps, { exit: 3 }], { stderr: () => {} });
    expect(types(lines)).toEqual(shown);
    expect(isRondoError(error, 'channel.closed')).toBe(true);
    expect(error).toMatchObject({ message: 'the peer process exited with code 3', details: { exitCode: 3 } });
  });

  test.each([[[hears]], [[hears, result()]]] as const)('by a signal is an error', async (steps) => {
    const { error } = await play([...steps, { kill: 'SIGKILL' }]);
    expect(error).toMatchObject({ message: 'the peer process was terminated by signal SIGKILL' });
  });

  test('with a code behind a result that is an error says what the result says', async () => {
    const { lines, error } = await play([hears, result({ is_error: true, result: 'overloaded' }), { exit: 1 }]);
    expect(types(lines)).toEqual(['result']);
    expect(error).toMatchObject({ code: 'turn.failed', message: 'the query ended with an error result: overloaded' });
    const failed = result({ subtype: 'error_max_turns', is_error: true, errors: ['three', 'turns'] });
    expect((await play([hears, failed, { exit: 1 }])).error).toMatchObject({ message: /error result: three; turns/ });
  });

  test('with exit 0 behind a result that is an error ends the iteration', async () => {
    const { error } = await play([hears, result({ is_error: true, result: 'overloaded' }), { exit: 0 }]);
    expect(error).toBeUndefined();
  });

  test('of its output alone has its input closed', async () => {
    const { entries, lines, error } = await play([
      ...initializes,
      hears,
      { closeOutput: true },
      { eof: true },
      { exit: 0 },
    ]);
    expect(entries.at(-1)).toEqual({ eof: true });
    expect([lines, error]).toEqual([[], undefined]);
  });
});

describe('the input', () => {
  const hook = async () => ({});

  test('stays open for callbacks until a peer that tells its state is idle', async () => {
    const { entries, error, lines } = await play(
      [
        ...initializes,
        hears,
        state('running'),
        result(),
        asks('late', { subtype: 'hook_callback', callback_id: 'hook_0', input: {} }),
        answered('late'),
        result({ result: 'second' }),
        state('idle'),
        { eof: true },
      ],
      { hooks: { Stop: [{ hooks: [hook] }] } },
    );
    expect([types(lines), error]).toEqual([['result', 'result'], undefined]);
    expect(entries.at(-1)).toEqual({ eof: true });
  });

  test('ends with the first result where there is nothing to ask', async () => {
    const { entries } = await play([...initializes, hears, state('running'), result(), { eof: true }, state('idle')]);
    expect(entries.at(-1)).toEqual({ eof: true });
  });

  test('takes messages of a stream as they are, one after the other, until it ends', async () => {
    const given = [
      user('one', { uuid: '00000000-0000-4000-8000-000000000001' }),
      user('two', { shouldQuery: false, priority: 'later' } as Partial<SDKUserMessage>),
      user('three'),
    ];
    const { told, lines } = await play([hears, hears, hears, result(), { eof: true }], {}, from(given));
    expect(told.slice(1)).toEqual(given);
    expect(types(lines)).toEqual(['result']);
  });

  test('stays open between messages of a stream', async () => {
    const next = Promise.withResolvers<void>();
    async function* prompt() {
      yield user('one');
      await next.promise;
      yield user('two');
    }
    using peer = createStubPeer([hears, result({ result: '1' }), hears, result({ result: '2' }), { eof: true }]);
    const results: unknown[] = [];
    for await (const line of query({ prompt: prompt(), options: peer.options })) {
      results.push(line.type === 'result' && line.subtype === 'success' && line.result);
      next.resolve();
    }
    expect(results).toEqual(['1', '2']);
  });

  test('takes further streams', async () => {
    using peer = createStubPeer([hears, hears, result(), { eof: true }]);
    const held = Promise.withResolvers<void>();
    async function* prompt() {
      yield user('one');
      await held.promise;
    }
    const working = query({ prompt: prompt(), options: peer.options });
    await working.streamInput(from([user('two')]));
    held.resolve();
    expect(types(await collectMessages(working))).toEqual(['result']);
    expect(peer.log().told.slice(1)).toMatchObject([{ message: { content: 'one' } }, { message: { content: 'two' } }]);
    await expect(working.streamInput(from([user('three')]))).rejects.toThrow('has ended');
  });

  test('that throws ends the query with its error, and one that gives no message too', async () => {
    async function* broken(): AsyncGenerator<SDKUserMessage> {
      yield user('one');
      throw new Error('the stream broke');
    }
    // It may be ended before it has come to say anything.
    const failing = async (prompt: AsyncIterable<SDKUserMessage>) => {
      using peer = createStubPeer([hears, { eof: true }]);
      await collectMessages(query({ prompt, options: peer.options }));
    };
    await expect(failing(broken())).rejects.toMatchObject({ message: 'the stream broke' });
    const strange = from(['text'] as unknown as SDKUserMessage[]);
    await expect(failing(strange)).rejects.toMatchObject({ code: 'input.invalid' });
  });

  test('of a peer that has gone is dropped, and a stream that never ends is left', async () => {
    const left = Promise.withResolvers<void>();
    async function* endless(): AsyncGenerator<SDKUserMessage> {
      try {
        for (;;) {
          yield user('again');
          await setImmediate();
        }
      } finally {
        left.resolve();
      }
    }
    const { error } = await play([hears, hears, { exit: 0 }], {}, endless());
    expect(error).toBeUndefined();
    await left.promise;
  });
});

async function* from<Value>(values: readonly Value[]): AsyncGenerator<Value> {
  yield* values;
}
