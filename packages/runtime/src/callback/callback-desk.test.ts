import type { CallbackAnswer, ClientToolAnswer, OpenApproval, OpenClientToolCall, OpenSignIn } from '@rondo/protocol';
import { describe, expect, test } from 'vitest';
import { applyEvent } from '../event/apply-event.ts';
import type { EventDraft } from '../event/event-draft.ts';
import { emptySessionState } from '../event/session-state.ts';
import { createCallbackDesk } from './callback-desk.ts';

const common = { sessionId: 's', turnId: 't', title: 'a question', openedAt: '2026-01-01T00:00:00Z' };
const approval = (id: string, source: 'policy' | 'hook' = 'policy'): OpenApproval => ({
  type: 'approval',
  id,
  ...common,
  request: {
    callId: id,
    toolCallId: id,
    tool: { name: 'Charge' },
    input: {},
    inputHash: 'h',
    source,
    sessionRule: { toolName: 'Charge' },
  },
});
const signIn = (id: string): OpenSignIn => ({
  type: 'sign_in',
  id,
  ...common,
  requests: [{ sourceId: 'mail' }, { sourceId: 'files' }],
});
const clientCall = (id: string): OpenClientToolCall => ({
  type: 'client_tool',
  id,
  ...common,
  call: { toolCallId: id, toolId: 'client.pick', name: 'pick', arguments: {} },
});

function openDesk() {
  const state = emptySessionState('s');
  const drafts: EventDraft[] = [];
  const emit = (added: readonly EventDraft[]) => {
    for (const draft of added) {
      drafts.push(draft);
      const seq = state.seq + 1;
      applyEvent(state, { ...draft, seq, id: `s:${seq}`, at: '', sessionId: 's' });
    }
    return { committed: Promise.resolve() };
  };
  emit([{ type: 'turn.started', turnId: 't', binding: {} as never }]);
  const desk = createCallbackDesk({ state, emit, checkUpdates: () => [] });
  const statuses = () => drafts.flatMap((draft) => (draft.type === 'turn.updated' ? [draft.status] : []));
  return { state, desk, drafts, statuses };
}

describe('an answer', () => {
  const allow: CallbackAnswer = { type: 'allow', scope: 'once' };
  const result: ClientToolAnswer = { type: 'tool_result', result: 1 };
  const both: ClientToolAnswer = { type: 'tool_result', result: 1, error: 'no' };
  test.each([
    ['a result for an approval', approval('q'), result],
    ['an approval for a sign-in', signIn('q'), allow],
    ['an approval for a client tool call', clientCall('q'), allow],
    ['a result and an error at once', clientCall('q'), both],
    ['content and an error at once', clientCall('q'), { ...both, result: null, content: [] }],
    ['a source left out', signIn('q'), { type: 'sign_in', connected: ['mail'], denied: [] }],
    ['a source too many', signIn('q'), { type: 'sign_in', connected: ['mail', 'files'], denied: ['chat'] }],
    ['a source named twice', signIn('q'), { type: 'sign_in', connected: ['mail', 'files'], denied: ['mail'] }],
    ['the whole session for what a hook asked', approval('q', 'hook'), { type: 'allow', scope: 'session' }],
  ] as const)('that does not fit is refused and stores nothing: %s', async (_what, question, answer) => {
    const { desk, drafts, state } = openDesk();
    void desk.ask<typeof question>(question);
    const before = drafts.length;
    await expect(desk.answer('q', answer as CallbackAnswer, 'me')).rejects.toMatchObject({ code: 'answer.unfit' });
    expect(drafts).toHaveLength(before);
    expect(state.callbacks.get('q')?.settled).toBe(false);
  });

  test('of each kind settles its question once, and only an approval’s comes back', async () => {
    const { desk } = openDesk();
    const asked = [desk.ask(approval('a')), desk.ask(signIn('b')), desk.ask(clientCall('c'))] as const;
    const signedIn: CallbackAnswer = { type: 'sign_in', connected: ['mail'], denied: ['files'] };
    expect(await desk.answer('a', allow, 'me')).toEqual({ type: 'answered', sessionId: 's', answer: allow });
    expect(await desk.answer('b', signedIn, 'me')).toEqual({ type: 'answered', sessionId: 's', answer: null });
    expect(await desk.answer('c', result, 'me')).toEqual({ type: 'answered', sessionId: 's', answer: null });
    expect(await Promise.all(asked)).toEqual([
      { type: 'answered', answer: allow, by: 'me' },
      { type: 'answered', answer: signedIn, by: 'me' },
      { type: 'answered', answer: result, by: 'me' },
    ]);
    for (const id of ['a', 'b', 'c'])
      expect(await desk.answer(id, result, 'you')).toEqual({ type: 'alreadySettled', sessionId: 's' });
    expect(await desk.answer('d', result, 'you')).toEqual({ type: 'notFound' });
    expect(await desk.ask(clientCall('c'))).toEqual({ type: 'answered', answer: result, by: 'recorded' });
  });

  test('of two that come at once the first counts', async () => {
    const { desk, drafts } = openDesk();
    const asked = desk.ask(clientCall('c'));
    const outcomes = await Promise.all([
      desk.answer('c', result, 'me'),
      desk.answer('c', { type: 'tool_result', result: 2 }, 'you'),
    ]);
    expect(outcomes.map(({ type }) => type)).toEqual(['answered', 'alreadySettled']);
    expect(await asked).toMatchObject({ answer: result, by: 'me' });
    expect(drafts.filter(({ type }) => type === 'callback.resolved')).toHaveLength(1);
  });
});

describe('a turn with several open questions', () => {
  test('is blocked from the first to the last, in whatever order they are answered', async () => {
    const { desk, statuses } = openDesk();
    for (const id of ['1', '2', '3']) void desk.ask(clientCall(id));
    expect(statuses()).toEqual(['blocked']);
    for (const id of ['3', '1']) await desk.answer(id, { type: 'tool_result' }, 'me');
    expect(statuses()).toEqual(['blocked']);
    await desk.answer('2', { type: 'tool_result' }, 'me');
    expect(statuses()).toEqual(['blocked', 'running']);
  });

  test('goes on when the last one is withdrawn, and says nothing more when it ends', async () => {
    const { desk, statuses } = openDesk();
    const first = desk.ask(clientCall('1'));
    const second = desk.ask(signIn('2'));
    desk.withdraw('1');
    expect(statuses()).toEqual(['blocked']);
    desk.withdraw('2');
    expect(statuses()).toEqual(['blocked', 'running']);
    const third = desk.ask(clientCall('3'));
    desk.close('3');
    expect(statuses()).toEqual(['blocked', 'running', 'blocked']);
    for (const outcome of [first, second, third]) expect(await outcome).toEqual({ type: 'closed' });
  });
});
