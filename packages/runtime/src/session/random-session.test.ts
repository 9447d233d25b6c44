import type { AnyEvent, ContentBlock } from '@rondo/protocol';
import { expect, test } from 'vitest';
import { applyEvent } from '../event/apply-event.ts';
import { emptySessionState, type SessionState } from '../event/session-state.ts';
import { treeOf } from '../event/tree-state.ts';
import { playRandomSession, type RandomSession } from '../testing/random-session.ts';
import { storedEvents } from '../testing/session-scene.ts';
import { recordOfTurn, sessionInfoOf } from './turn-reading.ts';

function folded(sessionId: string, events: readonly AnyEvent[]): SessionState {
  const state = emptySessionState(sessionId);
  for (const event of events) applyEvent(state, event);
  return state;
}

/** What a hook has put in the place of messages. */
function isMasked([only]: readonly ContentBlock[]): boolean {
  return only?.type === 'text' && only.text === 'masked';
}

async function checkSession({ world, scene, store }: RandomSession, sessionId: string): Promise<void> {
  const events = await storedEvents(store, sessionId);
  // What was said goes into a fork whole.
  const isFork = sessionId !== scene.sessionId;
  expect(events.map((event) => event.seq)).toEqual(events.map((_, index) => index + 1));
  const requested = new Map<string, string>();
  const completed = new Map<string, number>();
  const openTurns = new Set<string>();
  const openCallbacks = new Map<string, string>();
  const openEntries = new Set<string>();
  const said = new Map<string, number>();
  const judged = new Set<string>();
  let kept = 0;
  for (const event of events) {
    switch (event.type) {
      case 'turn.started':
        expect(openTurns.size).toBe(0);
        openTurns.add(event.turnId);
        break;
      case 'turn.ended':
        expect(openTurns.delete(event.turnId)).toBe(true);
        expect([...openCallbacks.values()]).not.toContain(event.turnId);
        expect([...openEntries]).toEqual([]);
        for (const [callId, turnId] of requested)
          if (turnId === event.turnId) expect([callId, completed.get(callId)]).toEqual([callId, 1]);
        break;
      case 'entry.added':
        openEntries.add(event.entry.type === 'assistant' ? event.entry.id : '');
        break;
      case 'entry.discarded':
        // A hook takes whole entries back too.
        expect(openEntries.delete(event.entryId) || isFork || event.reason.startsWith('hook_')).toBe(true);
        break;
      case 'entry.completed':
        expect([...openTurns]).toContain(event.turnId);
        if (event.entry.type === 'assistant') expect(openEntries.delete(event.entry.id) || isFork).toBe(true);
        if (event.entry.type === 'message' && event.entry.messageId !== undefined && !isMasked(event.entry.content))
          said.set(event.entry.messageId, (said.get(event.entry.messageId) ?? 0) + 1);
        break;
      case 'tool.requested':
        expect(requested.has(event.callId)).toBe(false);
        requested.set(event.callId, event.turnId);
        break;
      case 'tool.completed':
        expect([...openTurns]).toContain(event.turnId);
        completed.set(event.callId, (completed.get(event.callId) ?? 0) + 1);
        break;
      case 'tool.started':
        if (world.hooked) expect([...judged]).toContain(`preToolCall/${event.callId}/random`);
        break;
      case 'hook.completed':
        if (event.outcome['type'] === 'interrupted') break;
        expect(judged.has(event.hookId) && !event.hookId.startsWith('postToolCall/')).toBe(false);
        judged.add(event.hookId);
        // What a failed run kept does not count.
        if (event.state !== undefined) expect(event.state?.value).toBe((kept += 1));
        break;
      case 'callback.opened':
        openCallbacks.set(event.callback.type === 'unknown' ? '' : event.callback.id, event.turnId);
        break;
      case 'callback.resolved':
        expect(openCallbacks.delete(event.callbackId)).toBe(true);
        break;
      default:
        break;
    }
  }
  for (const count of said.values()) expect(count).toBe(1);
  const state = folded(sessionId, events);
  expect(await scene.runtime.readSession({ sessionId })).toEqual(sessionInfoOf(state));
  for (const turnId of state.turns.keys()) {
    const record = await recordOfTurn(treeOf([state], state.seq), state, turnId, (after) =>
      store.read(sessionId, { after }),
    );
    expect(await scene.runtime.readTurn({ sessionId, turnId })).toEqual(record);
  }
  if (isFork) return;
  const waiting = new Set(state.queue.map((message) => message.messageId));
  for (const messageId of world.accepted) expect(said.has(messageId) || waiting.has(messageId)).toBe(true);
}

async function playSession(seed: number, options: { readonly mayFail?: boolean } = {}): Promise<void> {
  const session = await playRandomSession(seed, { ...options, onFork: checkSession });
  const { world, scene, store } = session;
  await checkSession(session, scene.sessionId);
  const { length } = await storedEvents(store, scene.sessionId);
  expect(world.shown).toEqual(Array.from({ length }, (_, index) => index + 1));
  expect(world.problems).toEqual([]);
  for (const [callId, runs] of world.runs) expect([callId, runs]).toEqual([callId, 1]);
  await scene.runtime.close();
}

test.each(Array.from({ length: 40 }, (_, index) => index + 1))(
  'whatever is done to a session in whatever order, it stays whole (seed %i)',
  async (seed) => playSession(seed),
);

test.each(Array.from({ length: 20 }, (_, index) => index + 1001))(
  'also on a disk that fails now and then (seed %i)',
  async (seed) => playSession(seed, { mayFail: true }),
);
