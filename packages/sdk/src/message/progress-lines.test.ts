import type { AnyEvent, SessionEvent, TransientEvent } from '@rondo/protocol';
import { SDKMessage } from '@rondo/protocol';
import { sampleBinding } from '@rondo/runtime/testing';
import { expect, test } from 'vitest';
import { createProjection } from './project-message.ts';
import type { ProjectionOptions } from './projection-state.ts';

const sessionId = '0b9a1c1e-0000-4000-8000-000000000001';
const turnId = 't1';
type Draft<Event> = Event extends SessionEvent ? Omit<Event, 'seq' | 'id' | 'at' | 'sessionId'> : never;

/** The lines of events a second apart. */
function linesOf(drafts: readonly (Draft<SessionEvent> | TransientEvent)[], options: Partial<ProjectionOptions> = {}) {
  const projection = createProjection({ sessionId, ...options });
  const lines = drafts.flatMap((draft, index) => {
    if ('after' in draft) return projection.push(draft);
    const at = new Date(Date.UTC(2025, 0, 1, 0, 0, index)).toISOString();
    return projection.push({ ...draft, seq: index + 1, id: `${sessionId}:${index + 1}`, at, sessionId } as AnyEvent);
  });
  for (const line of lines) expect(SDKMessage.parse(line)).toEqual(line);
  return lines;
}

const started = { type: 'turn.started', turnId, binding: sampleBinding() } satisfies Draft<SessionEvent>;
const entry = {
  type: 'assistant',
  id: 'e1',
  model: 'anthropic/claude-test',
  content: [{ type: 'tool_call', toolCallId: 'c1', name: 'Bash', input: { command: 'make' } }],
} as const;
const called: Draft<SessionEvent>[] = [
  started,
  { type: 'entry.completed', turnId, entry: { ...entry, content: [...entry.content] } },
  {
    type: 'tool.requested',
    turnId,
    callId: 'e1#0',
    toolCallId: 'c1',
    name: 'Bash',
    toolKind: 'builtin',
    entryId: 'e1',
    block: 0,
  },
];
const progress = (more: Partial<TransientEvent>): TransientEvent =>
  ({ type: 'tool.progress', sessionId, turnId, after: 'c', callId: 'e1#0', progress: null, ...more }) as TransientEvent;

test('a call that lasts is told of while it does; what its tool says meanwhile is not', () => {
  const lines = linesOf([
    ...called,
    progress({ progress: { output: 'half' } } as Partial<TransientEvent>),
    progress({ elapsedMs: 5000 } as Partial<TransientEvent>),
    progress({ elapsedMs: 10_400 } as Partial<TransientEvent>),
    progress({ callId: 'unheard of', elapsedMs: 1 } as Partial<TransientEvent>),
  ]);
  expect(lines.filter(({ type }) => type === 'tool_progress')).toMatchObject([
    { tool_use_id: 'c1', tool_name: 'Bash', elapsed_time_seconds: 5, parent_tool_use_id: null },
    { tool_use_id: 'c1', tool_name: 'Bash', elapsed_time_seconds: 10 },
  ]);
  expect(new Set(lines.map(({ uuid }) => uuid)).size).toBe(lines.length);
});

test('a title, a mode and several of them are told, each under a uuid of its own', () => {
  const mode = (to: 'plan' | 'acceptEdits') => ({ type: 'setMode', mode: to, destination: 'session' }) as const;
  const lines = linesOf([
    { type: 'session.updated', title: 'Tests', permissions: [mode('plan'), mode('acceptEdits')] },
  ]);
  expect(lines).toMatchObject([
    { subtype: 'status', permissionMode: 'plan' },
    { subtype: 'status', permissionMode: 'acceptEdits' },
    { subtype: 'session_title_changed', title: 'Tests' },
  ]);
  expect(new Set(lines.map(({ uuid }) => uuid)).size).toBe(3);
});

test('another model that takes over is told in place of a retry', () => {
  const retried = { type: 'model.retried', turnId, requestId: 'r', attempt: 1, maxRetries: 3, delayMs: 0 } as const;
  const error = { code: 'model.overloaded', message: 'busy' };
  const lines = linesOf([
    started,
    { ...retried, status: 529, error },
    { ...retried, status: 529, error, model: 'anthropic/claude-a', fallbackModel: 'openai/b' },
  ]);
  expect(lines.slice(1)).toMatchObject([
    { subtype: 'api_retry', error: 'overloaded', error_status: 529 },
    { subtype: 'model_fallback', trigger: 'overloaded', original_model: 'claude-a', fallback_model: 'openai/b' },
  ]);
});

test('a prompt that waits in a hook when the process dies leaves a turn without a beginning, and the next one whole', () => {
  const hook = { turnId, hookId: 'h', name: 'UserPromptSubmit/*/0', event: 'UserPromptSubmit' };
  const next = { ...started, turnId: 't2' };
  const lines = linesOf([started, { type: 'hook.started', ...hook }, next, ...called.slice(1)]);
  expect(lines.map((line) => ('subtype' in line ? line.subtype : line.type))).toEqual(['init', 'assistant']);
});

test('time to the first token counts the tries that failed', () => {
  const request = { type: 'model.requested', turnId, requestId: 'r', model: 'm', messages: 1 } as const;
  const completed = { type: 'model.completed', turnId, requestId: 'r', entryId: 'e1', model: 'm' } as const;
  const lines = linesOf([
    started,
    request,
    { type: 'entry.completed', turnId, entry: { ...entry, content: [{ type: 'text', text: 'hi' }] } },
    request,
    {
      ...completed,
      stopReason: 'end_turn',
      usage: { inputTokens: 1, outputTokens: 1 },
      durationMs: 300,
      timeToFirstTokenMs: 20,
    },
    {
      type: 'turn.ended',
      turnId,
      record: {
        type: 'completed',
        sessionId,
        turnId,
        cursor: 'c',
        text: 'hi',
        toolCalls: [],
        usage: [],
        terminalReason: 'completed',
        stopReason: 'end_turn',
      },
    },
  ]);
  expect(lines.at(-1)).toMatchObject({ ttft_stream_ms: 2020, ttft_ms: 2300 });
});
