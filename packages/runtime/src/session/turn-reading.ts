import type { AnyEvent, EndedRecord, MethodResult, SessionInfo, TurnRecord } from '@rondo/protocol';
import { RondoError } from '@rondo/protocol/values';
import type { StoredSession } from '../event/event-store.ts';
import { gitBranchIn, modeSetBy } from '../event/session-summary.ts';
import type { ActiveTurn, SessionState } from '../event/session-state.ts';
import { parentIdOf, rootIdOf } from '../event/session-tree-id.ts';
import { openQuestions, questionsBelow, type TreeState } from '../event/tree-state.ts';

/** What a list shows of a session, from its state. */
export function sessionInfoOf(state: SessionState): SessionInfo {
  const binding = state.binding;
  const active = state.active;
  const parentId = parentIdOf(state.sessionId);
  const mode = modeSetBy(state.permissions);
  const gitBranch = gitBranchIn(state.environment ?? '');
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
    ...(mode === undefined ? {} : { permissionMode: mode }),
    ...(state.title === undefined ? {} : { title: state.title }),
    ...(state.tag === undefined ? {} : { tag: state.tag }),
    ...(state.archived ? { archived: true } : {}),
    ...(state.firstPrompt === undefined ? {} : { firstPrompt: state.firstPrompt }),
    ...(gitBranch === undefined ? {} : { gitBranch }),
    ...(active === undefined ? {} : { activeTurnId: active.turnId }),
    ...(state.lastTurnId === undefined ? {} : { lastTurnId: state.lastTurnId }),
    ...(state.lastTurnAt === undefined ? {} : { lastTurnAt: state.lastTurnAt }),
    ...(parentId === undefined ? {} : { parentId, rootId: rootIdOf(state.sessionId) }),
    ...(state.termination === undefined ? {} : { termination: state.termination }),
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
 * Where a turn is as of the state: the cursor is the session's, however long ago the turn ended.
 * @throws RondoError `turn.not_found`.
 */
export async function recordOfTurn(
  tree: TreeState,
  state: SessionState,
  turnId: string,
  read: (after: number) => AsyncIterable<AnyEvent>,
): Promise<TurnRecord> {
  const { active, cursor } = state;
  if (active?.turnId === turnId) {
    if (state.terminated) return { ...endedWithSession(state, active), cursor };
    const common = { sessionId: state.sessionId, turnId, cursor, text: active.text };
    const callbacks = [...openQuestions(state), ...questionsBelow(tree, state.sessionId)];
    if (callbacks.length > 0) return { type: 'blocked', ...common, callbacks };
    return { type: 'running', ...common, startedAt: active.startedAt };
  }
  const kept = state.records.get(turnId);
  if (kept !== undefined) return { ...kept, cursor };
  const place = state.turns.get(turnId);
  if (place?.endSeq !== undefined) {
    for await (const event of read(place.endSeq - 1)) {
      if (event.type === 'turn.ended' && event.turnId === turnId) return { ...event.record, cursor };
      break;
    }
  }
  throw turnNotFound(state.sessionId, turnId);
}

/** How a turn ended whose session ended without saying so. */
function endedWithSession({ sessionId, termination }: SessionState, active: ActiveTurn): EndedRecord {
  const { turnId, text, toolCalls, usage } = active;
  const facts = { sessionId, turnId, cursor: '', text, toolCalls, usage, terminalReason: 'session_ended' };
  if (termination?.type === 'failed') {
    const message = termination.message ?? `session ${sessionId} failed`;
    return { type: 'failed', ...facts, error: { message } };
  }
  return { type: 'interrupted', ...facts, cause: termination?.type === 'cancelled' ? 'cancelled' : 'session_ended' };
}

export interface TurnPageOptions {
  readonly limit: number;
  /** A turn of the session: those that started before it follow. */
  readonly before?: string | undefined;
}

/**
 * A session's turns as of the state, the last one first.
 * @throws RondoError `turn.not_found` for a `before` that the session does not have.
 */
export async function listTurns(
  tree: TreeState,
  state: SessionState,
  { limit, before }: TurnPageOptions,
  read: (after: number) => AsyncIterable<AnyEvent>,
): Promise<MethodResult<'turn/list'>> {
  const ids = [...state.turns.keys()];
  const end = before === undefined ? ids.length : ids.indexOf(before);
  if (end < 0) throw turnNotFound(state.sessionId, before ?? '');
  const page = ids.slice(Math.max(0, end - limit), end).reverse();
  const turns: MethodResult<'turn/list'>['turns'] = [];
  for (const turnId of page) {
    const { startSeq = 0, endSeq } = state.turns.get(turnId) ?? {};
    const record = await recordOfTurn(tree, state, turnId, read);
    turns.push({
      turnId,
      status: record.type === 'unknownOutcome' ? record.outcome : record.type,
      text: record.text,
      startedAt: await timeOf(startSeq, read),
      ...(endSeq === undefined ? {} : { endedAt: await timeOf(endSeq, read) }),
    });
  }
  const next = page.at(-1);
  return { turns, ...(next === undefined || end <= limit ? {} : { next }) };
}

async function timeOf(seq: number, read: (after: number) => AsyncIterable<AnyEvent>): Promise<string> {
  for await (const event of read(seq - 1)) return event.at;
  return '';
}

function turnNotFound(sessionId: string, turnId: string): RondoError {
  return new RondoError('turn.not_found', `session ${sessionId} has no turn ${turnId}`, {
    details: { sessionId, turnId },
  });
}
