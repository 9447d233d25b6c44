import type { BetaContentBlock, SDKMessage } from '@rondo/protocol';
import { messageUuid } from '@rondo/protocol/values';
import { describe, expect, test } from 'vitest';
import { assertLineOrder, lineFaults, type OrderOptions } from './line-order.ts';

const session_id = 's';
let made = 0;
const id = () => ({ uuid: messageUuid('line', (made += 1)), session_id });

const init: SDKMessage = {
  type: 'system',
  subtype: 'init',
  ...id(),
  apiKeySource: 'user',
  claude_code_version: '1',
  cwd: '/',
  tools: [],
  mcp_servers: [],
  model: 'm',
  permissionMode: 'default',
  slash_commands: [],
  output_style: 'default',
  skills: [],
  plugins: [],
};
const noUsage = {
  input_tokens: 0,
  output_tokens: 0,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 0,
  cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 0 },
  server_tool_use: { web_search_requests: 0, web_fetch_requests: 0 },
  service_tier: 'standard' as const,
  speed: 'standard' as const,
  inference_geo: '',
  iterations: [],
};
type Result = Extract<SDKMessage, { type: 'result' }>;
const result = (more: Partial<Result> = {}): SDKMessage =>
  ({
    type: 'result',
    subtype: 'success',
    ...id(),
    is_error: false,
    result: '',
    duration_ms: 0,
    duration_api_ms: 0,
    num_turns: 1,
    stop_reason: null,
    total_cost_usd: 0,
    usage: noUsage,
    modelUsage: {},
    permission_denials: [],
    terminal_reason: 'completed',
    ...more,
  }) as SDKMessage;
const reply = (message: string, block: BetaContentBlock, more: { aborted?: boolean } = {}): SDKMessage => ({
  type: 'assistant',
  ...id(),
  parent_tool_use_id: null,
  message: {
    id: message,
    type: 'message',
    role: 'assistant',
    model: 'm',
    content: [block],
    stop_reason: null,
    stop_sequence: null,
    usage: noUsage,
  },
  ...more,
});
const says = (message: string, text: string, more: { aborted?: boolean } = {}) =>
  reply(message, { type: 'text', text }, more);
const calls = (message: string, call: string) =>
  reply(message, { type: 'tool_use', id: call, name: 'Read', input: {} });
const gives = (call: string): SDKMessage => ({
  type: 'user',
  ...id(),
  parent_tool_use_id: null,
  message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: call, content: 'x' }] },
});
const stopped = (text = '[Request interrupted by user]'): SDKMessage => ({
  type: 'user',
  ...id(),
  parent_tool_use_id: null,
  message: { role: 'user', content: [{ type: 'text', text }] },
});
const interrupted = result({ subtype: 'error_during_execution', is_error: true, terminal_reason: 'aborted_streaming' });
const state = (to: 'idle' | 'running' | 'requires_action'): SDKMessage => ({
  type: 'system',
  subtype: 'session_state_changed',
  ...id(),
  state: to,
});
const way = (to: 'queued' | 'started' | 'completed'): SDKMessage => ({
  type: 'command_lifecycle',
  ...id(),
  command_uuid: 'u',
  state: to,
});
const denied = (call: string): SDKMessage => ({
  type: 'system',
  subtype: 'permission_denied',
  ...id(),
  tool_name: 'Read',
  tool_use_id: call,
  message: 'no',
});
const requesting: SDKMessage = { type: 'system', subtype: 'status', ...id(), status: 'requesting' };
type Piece = Extract<SDKMessage, { type: 'stream_event' }>['event'];
const piece = (event: Piece, more: { ttft_ms?: number } = {}): SDKMessage => ({
  type: 'stream_event',
  ...id(),
  event,
  parent_tool_use_id: null,
  ...more,
});
const start = (message: string) => {
  const line = says(message, '');
  if (line.type !== 'assistant') throw new Error('no reply');
  return piece({ type: 'message_start', message: { ...line.message, content: [] } });
};
const blockStart = (index: number) =>
  piece({ type: 'content_block_start', index, content_block: { type: 'text', text: '' } });
const delta = (index: number, text: string) =>
  piece({ type: 'content_block_delta', index, delta: { type: 'text_delta', text } });
const blockStop = (index: number) => piece({ type: 'content_block_stop', index });
const done = piece({ type: 'message_delta', delta: { stop_reason: 'end_turn', stop_sequence: null }, usage: noUsage });
const stop = piece({ type: 'message_stop' });

describe('lines in order break no rule:', () => {
  test.each<[string, SDKMessage[], OrderOptions?]>([
    ['nothing', []],
    ['a turn', [init, says('m', 'hi'), result()]],
    ['calls', [init, calls('m', 'c'), calls('m', 'd'), gives('d'), gives('c'), says('n', 'hi'), result()]],
    [
      'a result between the blocks of its reply',
      [init, calls('m', 'c'), gives('c'), calls('m', 'd'), gives('d'), result()],
    ],
    [
      'states',
      [
        state('running'),
        init,
        calls('m', 'c'),
        state('requires_action'),
        state('running'),
        gives('c'),
        result(),
        state('idle'),
      ],
    ],
    ['a message that waited', [way('queued'), way('started'), init, says('m', 'hi'), result(), way('completed')]],
    [
      'pieces',
      [
        init,
        requesting,
        start('m'),
        blockStart(0),
        delta(0, 'h'),
        delta(0, 'i'),
        says('m', 'hi'),
        blockStop(0),
        done,
        stop,
        result(),
      ],
    ],
    ['a reply that is not kept', [init, requesting, start('m'), blockStart(0), blockStop(0), stop, result()]],
    ['an interrupt', [init, says('m', 'h', { aborted: true }), stopped(), interrupted]],
    [
      'a call put off',
      [
        init,
        calls('m', 'c'),
        result({ terminal_reason: 'tool_deferred' }),
        init2(),
        gives('c'),
        says('n', 'hi'),
        result(),
      ],
    ],
    ['the middle of a session', [init, gives('c'), says('n', 'hi'), result()], { resumed: true }],
    ['a list that was cut', [init, calls('m', 'c')], { cut: true }],
  ])('%s', (_what, lines, options) => {
    expect(lineFaults(lines, options)).toEqual([]);
  });
});

function init2(): SDKMessage {
  return { ...init, ...id() };
}

describe('the rule that is broken is named:', () => {
  test.each<[string, SDKMessage[]]>([
    ['turn.init-first', [says('m', 'hi'), init, result()]],
    ['turn.has-result', [init, says('m', 'hi')]],
    ['turn.one-init', [init, init2(), result()]],
    ['turn.one-result', [init, result(), result()]],
    ['uuid.once', [init, init, result()]],
    ['session.only-one', [init, { ...result(), session_id: 'other' }]],
    ['state.running-first', [init, state('running'), result(), state('idle')]],
    ['state.idle-last', [state('running'), init, result()]],
    ['state.changes', [state('running'), state('running'), init, result(), state('idle')]],
    ['lifecycle.order', [way('started'), init, result(), way('completed')]],
    ['lifecycle.ends', [way('queued'), way('started'), init, result()]],
    ['call.has-result', [init, calls('m', 'c'), result()]],
    ['call.result-first', [init, calls('m', 'c'), says('n', 'hi'), gives('c'), result()]],
    ['result.open-call', [init, gives('c'), result()]],
    [
      'denied.open-call',
      [init, denied('c'), result({ permission_denials: [{ tool_name: 'Read', tool_use_id: 'c', tool_input: {} }] })],
    ],
    ['denied.counted', [init, calls('m', 'c'), denied('c'), gives('c'), result()]],
    ['reply.together', [init, says('m', 'a'), says('n', 'b'), says('m', 'c'), result()]],
    ['stream.requesting', [init, start('m'), stop, result()]],
    ['stream.around-line', [init, requesting, start('m'), stop, says('m', 'hi'), result()]],
    [
      'stream.line-before-stop',
      [
        init,
        requesting,
        start('m'),
        blockStart(0),
        delta(0, 'hi'),
        blockStop(0),
        says('m', 'hi'),
        done,
        stop,
        result(),
      ],
    ],
    ['stream.starts-first', [init, requesting, start('m'), says('m', 'hi'), stop, result()]],
    [
      'stream.adds-up',
      [init, requesting, start('m'), blockStart(0), delta(0, 'h'), says('m', 'hi'), blockStop(0), done, stop, result()],
    ],
    ['stream.block-open', [init, requesting, start('m'), delta(0, 'h'), stop, result()]],
    ['stream.every-line', [init, requesting, start('m'), blockStart(0), blockStop(0), done, stop, result()]],
    ['stream.one-message', [init, requesting, start('m'), start('n'), stop, result()]],
    ['stream.stops', [init, requesting, start('m'), result()]],
    ['interrupt.result', [init, stopped(), result()]],
    ['interrupt.result-next', [init, stopped(), says('m', 'more'), interrupted]],
    ['interrupt.ends-turn', [init, says('m', 'h', { aborted: true }), says('n', 'more'), stopped(), interrupted]],
  ])('%s', (rule, lines) => {
    expect(lineFaults(lines).map((fault) => fault.rule)).toContain(rule);
    expect(() => assertLineOrder(lines)).toThrow(rule);
  });
});
