import {
  isUuid,
  type AnyEvent,
  type EndedRecord,
  type SDKMessage,
  SDKMessage as SDKMessageSchema,
} from '@rondo/protocol';
import type { ModelBlock, SessionEvent, TransientEvent } from '@rondo/protocol';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createProjection, projectMessage } from './project-message.ts';
import { initialProjection, type ProjectionOptions } from './projection-state.ts';

const sessionId = '0b9a1c1e-0000-4000-8000-000000000001';
const binding = {
  cwd: '/work',
  model: 'anthropic/claude-test',
  policyHash: 'p',
  agent: { name: 'rondo', fingerprint: 'f' },
  hooks: [],
  tools: ['Read', 'Bash'],
  mcpServers: [],
  unattended: 'deny' as const,
  permissionMode: 'default' as const,
};

type Draft<Event> = Event extends SessionEvent ? Omit<Event, 'seq' | 'id' | 'at' | 'sessionId'> : never;
type Step = Draft<SessionEvent> | Omit<TransientEvent, 'sessionId' | 'after'>;

/** Events as the engine writes them: numbered, a second apart. */
function log(...steps: Step[]): (AnyEvent | TransientEvent)[] {
  let seq = 0;
  return steps.map((step) => {
    if (step.type.endsWith('.delta')) return { ...step, sessionId, after: `${sessionId}:${seq}` } as TransientEvent;
    seq += 1;
    const at = new Date(Date.UTC(2025, 0, 1, 0, 0, seq)).toISOString();
    return { ...step, seq, id: `${sessionId}:${seq}`, at, sessionId } as AnyEvent;
  });
}

function lines(events: readonly (AnyEvent | TransientEvent)[], options: Partial<ProjectionOptions> = {}): SDKMessage[] {
  const projection = createProjection({ sessionId, version: '1.2.3', ...options });
  return events.flatMap((event) => projection.push(event));
}

const turnId = 't1';
const started = (limits?: { maxTurns?: number; maxBudgetUsd?: number }): Step => ({
  type: 'turn.started',
  turnId,
  binding,
  ...(limits === undefined ? {} : { limits }),
});
const reply = (id: string, content: ModelBlock[], more: { aborted?: boolean; stopReason?: string } = {}): Step => ({
  type: 'entry.completed',
  turnId,
  entry: { type: 'assistant', id, content, model: binding.model, ...more },
});
const begun = (id: string): Step => ({
  type: 'entry.added',
  turnId,
  entry: { type: 'assistant', id, content: [], model: binding.model },
});
const answered = (entryId: string, stopReason = 'end_turn'): Step => ({
  type: 'model.completed',
  turnId,
  requestId: `r-${entryId}`,
  entryId,
  model: binding.model,
  stopReason,
  usage: { inputTokens: 10, outputTokens: 5, cacheReadInputTokens: 3 },
  costUsd: 0.25,
  durationMs: 40,
  timeToFirstTokenMs: 7,
});
const ended = (record: Partial<EndedRecord> & Pick<EndedRecord, 'type'>): Step => ({
  type: 'turn.ended',
  turnId,
  record: {
    sessionId,
    turnId,
    cursor: 'c',
    text: '',
    toolCalls: [],
    usage: [],
    terminalReason: '',
    ...record,
  } as EndedRecord,
});
const call = (name: string, toolCallId: string, input: object): ModelBlock => ({
  type: 'tool_call',
  toolCallId,
  name,
  input: input as Record<string, string>,
});
const callOf = (entryId: string, block: number, name: string, toolCallId: string) => ({
  turnId,
  callId: `${entryId}#${block}`,
  toolCallId,
  name,
});

const toolTurn = log(
  { type: 'session.created', binding },
  started({ maxTurns: 4 }),
  begun('e1'),
  reply('e1', [
    { type: 'text', text: 'Looking.' },
    call('Read', 'c1', { path: 'a' }),
    call('Bash', 'c2', { command: 'rm a' }),
  ]),
  answered('e1', 'tool_use'),
  { type: 'tool.requested', ...callOf('e1', 1, 'Read', 'c1'), toolKind: 'builtin', entryId: 'e1', block: 1 },
  { type: 'tool.requested', ...callOf('e1', 2, 'Bash', 'c2'), toolKind: 'builtin', entryId: 'e1', block: 2 },
  {
    type: 'tool.completed',
    ...callOf('e1', 1, 'Read', 'c1'),
    isError: false,
    outcome: 'success',
    content: [{ type: 'text', text: 'data' }],
    structured: { lines: 1 },
  },
  {
    type: 'tool.decided',
    ...callOf('e1', 2, 'Bash', 'c2'),
    decision: 'deny',
    reasonType: 'rule',
    reason: 'Bash(rm *) denies it',
    policyHash: 'p',
  },
  {
    type: 'tool.completed',
    ...callOf('e1', 2, 'Bash', 'c2'),
    isError: true,
    outcome: 'denied',
    content: [{ type: 'text', text: 'denied by rule' }],
  },
  begun('e2'),
  reply('e2', [{ type: 'text', text: 'Done.' }]),
  answered('e2'),
  ended({ type: 'completed', stopReason: 'end_turn', text: 'Done.', terminalReason: 'completed' }),
);

describe('a turn with tools', () => {
  const all = lines(toolTurn);

  test('comes as init, one line a block, one a result, and a result', () => {
    expect(all.map((line) => ('subtype' in line ? `${line.type}/${line.subtype}` : line.type))).toEqual([
      'system/init',
      'assistant',
      'assistant',
      'assistant',
      'user',
      'system/permission_denied',
      'user',
      'assistant',
      'result/success',
    ]);
    for (const line of all) expect(SDKMessageSchema.parse(line)).toEqual(line);
  });

  test('the blocks of a reply share its message, which has usage and no stop reason', () => {
    const [, first, second] = all;
    if (first?.type !== 'assistant' || second?.type !== 'assistant') throw new Error('not assistant lines');
    expect(first.message.id).toBe(second.message.id);
    expect(first.uuid).not.toBe(second.uuid);
    expect(first.message).toMatchObject({
      model: 'claude-test',
      stop_reason: null,
      content: [{ type: 'text', text: 'Looking.' }],
    });
    expect(first.message.usage).toMatchObject({ input_tokens: 10, output_tokens: 5, cache_read_input_tokens: 3 });
    expect(second.message.content).toEqual([{ type: 'tool_use', id: 'c1', name: 'Read', input: { path: 'a' } }]);
  });

  test('a result carries what the model reads, and the structured output beside it', () => {
    expect(all[4]).toMatchObject({
      message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c1', content: 'data' }] },
      tool_use_result: { lines: 1 },
    });
    expect(all[6]).toMatchObject({
      message: { content: [{ tool_use_id: 'c2', is_error: true, content: 'denied by rule' }] },
      tool_use_result: 'Error: denied by rule',
    });
  });

  test('a refusal that nobody was asked about is said, with its reason', () => {
    expect(all[5]).toMatchObject({
      tool_name: 'Bash',
      tool_use_id: 'c2',
      decision_reason_type: 'rule',
      decision_reason: 'Bash(rm *) denies it',
      message: 'denied by rule',
    });
  });

  test('the result sums the turn and the session', () => {
    expect(all.at(-1)).toMatchObject({
      is_error: false,
      result: 'Done.',
      num_turns: 2,
      stop_reason: 'end_turn',
      terminal_reason: 'completed',
      duration_ms: 12_000,
      duration_api_ms: 80,
      ttft_ms: 40,
      ttft_stream_ms: 7,
      total_cost_usd: 0.5,
      usage: { input_tokens: 20, output_tokens: 10, cache_read_input_tokens: 6 },
      modelUsage: { 'claude-test': { inputTokens: 20, outputTokens: 10, costUSD: 0.5 } },
      permission_denials: [{ tool_name: 'Bash', tool_use_id: 'c2', tool_input: { command: 'rm a' } }],
    });
  });

  test('what each model used is summed under its own name, attempts that failed too', () => {
    const other = { model: 'openai/gpt-test', costUsd: 1, usage: { inputTokens: 1, outputTokens: 2 } };
    const retried = { attempt: 1, maxRetries: 2, delayMs: 0, status: 529, error: { message: 'busy' } };
    const moved = lines(
      log(
        { type: 'session.created', binding },
        started(),
        begun('e1'),
        reply('e1', [{ type: 'text', text: 'One.' }]),
        answered('e1'),
        ended({ type: 'completed' }),
        { type: 'turn.started', turnId, binding: { ...binding, model: other.model } },
        { type: 'model.retried', turnId, requestId: 'r-e2', ...retried, ...other },
        begun('e2'),
        reply('e2', [{ type: 'text', text: 'Two.' }]),
        { ...answered('e2'), ...other } as Step,
        ended({ type: 'completed' }),
      ),
      { modelLimits: { [other.model]: { contextWindow: 7 } } },
    );
    expect(moved.at(-1)).toMatchObject({
      total_cost_usd: 2.25,
      usage: { input_tokens: 2, output_tokens: 4 },
      modelUsage: {
        'claude-test': { inputTokens: 10, outputTokens: 5, cacheReadInputTokens: 3, costUSD: 0.25, contextWindow: 0 },
        'openai/gpt-test': { inputTokens: 2, outputTokens: 4, cacheReadInputTokens: 0, costUSD: 2, contextWindow: 7 },
      },
    });
  });

  test('a second turn counts its own usage and the cost of both', () => {
    const projection = createProjection({ sessionId });
    for (const event of toolTurn) projection.push(event);
    const again = toolTurn.flatMap((event) => projection.push(event));
    expect(again.at(-1)).toMatchObject({ total_cost_usd: 1, usage: { input_tokens: 20 }, num_turns: 2 });
  });
});

describe('how a turn can end', () => {
  const endOf = (record: Parameters<typeof ended>[0], limits?: Parameters<typeof started>[0]) =>
    lines(log(started(limits), begun('e1'), reply('e1', []), answered('e1', 'tool_use'), ended(record))).slice(1);

  test('at the limit of turns, counting the one that was not made', () => {
    const record = { type: 'completed', stopReason: 'max_turns', terminalReason: 'max_turns' } as const;
    expect(endOf(record, { maxTurns: 1 })).toMatchObject([
      {
        subtype: 'error_max_turns',
        is_error: true,
        num_turns: 2,
        terminal_reason: 'max_turns',
        stop_reason: 'tool_use',
      },
    ]);
  });

  test('at the budget', () => {
    const record = { type: 'completed', stopReason: 'max_budget', terminalReason: 'budget_exhausted' } as const;
    const [result] = endOf(record, { maxBudgetUsd: 0.1 });
    expect(result).toMatchObject({
      subtype: 'error_max_budget_usd',
      is_error: true,
      terminal_reason: 'budget_exhausted',
    });
    expect(JSON.stringify(result)).toContain('0.1 US dollars');
  });

  test.each(['aborted_streaming', 'aborted_tools'])('interrupted: %s', (terminalReason) => {
    const [said, result] = endOf({ type: 'interrupted', cause: 'interrupted', terminalReason });
    const text =
      terminalReason === 'aborted_tools'
        ? '[Request interrupted by user for tool use]'
        : '[Request interrupted by user]';
    expect(said).toMatchObject({ type: 'user', message: { content: [{ type: 'text', text }] } });
    expect(result).toMatchObject({
      subtype: 'error_during_execution',
      is_error: true,
      terminal_reason: terminalReason,
    });
  });

  test('the model refused the request: a reply that says so, and a result that is an error', () => {
    const error = { code: 'model.rate_limited', message: 'too many requests', data: { status: 429 } };
    const [said, result] = endOf({ type: 'failed', error, terminalReason: 'api_error' });
    expect(said).toMatchObject({
      type: 'assistant',
      error: 'rate_limit',
      is_api_error_message: true,
      api_error_status: 429,
      message: { model: '<synthetic>', content: [{ type: 'text', text: 'too many requests' }] },
    });
    expect(result).toMatchObject({
      subtype: 'success',
      is_error: true,
      result: 'too many requests',
      api_error_status: 429,
      terminal_reason: 'api_error',
    });
  });

  test('the prompt was too long', () => {
    const error = { code: 'model.prompt_too_long', message: 'too long', data: { status: 400 } };
    const [said, result] = endOf({ type: 'failed', error });
    expect(said).toMatchObject({ error: 'invalid_request' });
    expect(result).toMatchObject({ subtype: 'success', is_error: true, terminal_reason: 'prompt_too_long' });
  });

  test('Rondo itself failed', () => {
    const lines = endOf({ type: 'failed', error: { code: 'internal', message: 'a bug' } });
    expect(lines).toMatchObject([{ subtype: 'error_during_execution', is_error: true, errors: ['a bug'] }]);
  });
});

test('a denial by the person asked is in the result and has no line of its own', () => {
  const all = lines(
    log(
      started(),
      reply('e1', [call('Bash', 'c1', { command: 'ls' })]),
      answered('e1'),
      { type: 'tool.requested', ...callOf('e1', 0, 'Bash', 'c1'), toolKind: 'builtin', entryId: 'e1', block: 0 },
      {
        type: 'tool.decided',
        ...callOf('e1', 0, 'Bash', 'c1'),
        decision: 'deny',
        reasonType: 'callback',
        policyHash: 'p',
      },
      {
        type: 'tool.completed',
        ...callOf('e1', 0, 'Bash', 'c1'),
        isError: true,
        outcome: 'denied',
        content: [{ type: 'text', text: 'no' }],
      },
      ended({ type: 'completed', stopReason: 'end_turn' }),
    ),
  );
  expect(all.map((line) => line.type)).toEqual(['system', 'assistant', 'user', 'result']);
  expect(all.at(-1)).toMatchObject({ permission_denials: [{ tool_input: { command: 'ls' } }] });
});

test('a retry, a notice and a change of mode have lines of their own', () => {
  const all = lines(
    log(
      started(),
      {
        type: 'model.retried',
        turnId,
        requestId: 'r',
        attempt: 1,
        maxRetries: 10,
        delayMs: 550,
        status: 529,
        error: { code: 'model.overloaded', message: 'overloaded' },
      },
      { type: 'notice', level: 'error', message: 'look' },
      { type: 'session.updated', permissions: [{ type: 'setMode', mode: 'acceptEdits', destination: 'session' }] },
    ),
  );
  expect(all.slice(1)).toMatchObject([
    { subtype: 'api_retry', attempt: 1, max_retries: 10, retry_delay_ms: 550, error_status: 529, error: 'overloaded' },
    { subtype: 'informational', content: 'look', level: 'warning' },
    { subtype: 'status', status: null, permissionMode: 'acceptEdits' },
  ]);
});

test('a user message is said again only when asked for, under its own uuid', () => {
  const own = 'f0000000-0000-4000-8000-00000000000f';
  const entry = { type: 'message', id: 'm1', role: 'user', messageId: own } as const;
  const events = log(
    started(),
    { type: 'entry.completed', turnId, entry: { ...entry, content: [{ type: 'text', text: 'hi' }] } },
    ended({ type: 'completed', stopReason: 'end_turn' }),
  );
  expect(lines(events).map(({ type }) => type)).toEqual(['system', 'result']);
  expect(lines(events, { replayUserMessages: true })[1]).toMatchObject({
    uuid: own,
    isReplay: true,
    message: { content: 'hi' },
  });
});

test('events of another session and of unknown types mean nothing', () => {
  const [first] = toolTurn;
  if (first === undefined) throw new Error('empty log');
  expect(lines([{ ...first, sessionId: 'other' } as AnyEvent])).toEqual([]);
  const unknown = {
    type: 'unknown',
    originalType: 'new.thing',
    raw: {},
    seq: 1,
    id: 'x',
    at: '',
    sessionId,
  } as AnyEvent;
  expect(lines([unknown])).toEqual([]);
});

describe('the log', () => {
  test('projects from any prefix, and the rest goes on from the state that was reached', () => {
    const whole = lines(toolTurn);
    fc.assert(
      fc.property(fc.nat({ max: toolTurn.length }), (cut) => {
        const state = initialProjection({ sessionId, version: '1.2.3' });
        const before = toolTurn.slice(0, cut).flatMap((event) => projectMessage(state, event));
        const kept = structuredClone(state);
        const after = toolTurn.slice(cut).flatMap((event) => projectMessage(kept, event));
        expect([...before, ...after]).toEqual(whole);
      }),
    );
  });

  test('gives the same lines again, each with a UUID of its own', () => {
    expect(lines(toolTurn)).toEqual(lines(toolTurn));
    const uuids = lines(toolTurn).map((line) => line.uuid);
    expect(new Set(uuids).size).toBe(uuids.length);
    expect(uuids.every(isUuid)).toBe(true);
  });

  test('in any order and with any event missing, it throws nothing and every line reads', () => {
    fc.assert(
      fc.property(fc.shuffledSubarray(toolTurn), (events) => {
        for (const line of lines(events, { includePartialMessages: true })) SDKMessageSchema.parse(line);
      }),
    );
  });
});
