import type { AnyEvent, SessionInfo, TurnRecord } from '@rondo/protocol';
import { RondoError } from '@rondo/protocol/values';
import type { StoredSession } from '../event/event-store.ts';
import type { SessionState } from '../event/session-state.ts';

/** What a list shows of a session, from its state. */
export function sessionInfoOf(state: SessionState): SessionInfo {
  const binding = state.binding;
  const active = state.active;
  const status = state.terminated
    ? 'terminated'
    : active === undefined
      ? 'waiting'
      : active.blocked
        ? 'blocked'
        : 'running';
  return {
    id: state.sessionId,
    status,
    cwd: binding?.cwd ?? '',
    model: binding?.model ?? '',
    agentName: binding?.agent.name ?? '',
    createdAt: state.createdAt,
    updatedAt: state.updatedAt,
    turns: state.turns.size,
    cursor: state.cursor,
    ...(state.title === undefined ? {} : { title: state.title }),
    ...(state.tag === undefined ? {} : { tag: state.tag }),
    ...(state.firstPrompt === undefined ? {} : { firstPrompt: state.firstPrompt }),
    ...(active === undefined ? {} : { activeTurnId: active.turnId }),
    ...(state.lastTurnId === undefined ? {} : { lastTurnId: state.lastTurnId }),
  };
}

/** The same of a session that nobody here has open, from what its store keeps. */
export function sessionInfoOfStored(stored: StoredSession): SessionInfo {
  const { sessionId, binding, lastSeq, ...facts } = stored;
  return {
    id: sessionId,
    cwd: binding.cwd,
    model: binding.model,
    agentName: binding.agent.name,
    cursor: `${sessionId}:${lastSeq}`,
    ...facts,
  };
}

/**
 * Where a turn is as of the state.
 * @throws RondoError `turn.not_found`.
 */
export async function recordOfTurn(
  state: SessionState,
  turnId: string,
  read: (after: number) => AsyncIterable<AnyEvent>,
): Promise<TurnRecord> {
  const active = state.active;
  if (active?.turnId === turnId) {
    const common = { sessionId: state.sessionId, turnId, cursor: state.cursor, text: active.text };
    const open = [...state.callbacks.values()].filter((callback) => !callback.settled && callback.turnId === turnId);
    if (open.length > 0) return { type: 'blocked', ...common, callbacks: open.map((one) => one.callback) };
    return { type: 'running', ...common, startedAt: active.startedAt };
  }
  const kept = state.records.get(turnId);
  if (kept !== undefined) return kept;
  const place = state.turns.get(turnId);
  if (place?.endSeq !== undefined) {
    for await (const event of read(place.endSeq - 1)) {
      if (event.type === 'turn.ended' && event.turnId === turnId) return event.record;
      break;
    }
  }
  throw new RondoError('turn.not_found', `session ${state.sessionId} has no turn ${turnId}`, {
    details: { sessionId: state.sessionId, turnId },
  });
}
