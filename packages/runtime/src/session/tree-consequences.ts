import type { EndedRecord, SessionEvent, Termination } from '@rondo/protocol';
import type { EventDraft } from '../event/event-draft.ts';
import type { SessionState } from '../event/session-state.ts';
import { ancestorIdsOf } from '../event/session-tree-id.ts';
import { openQuestions, questionsBelow, type TreeState } from '../event/tree-state.ts';
import { parkedNotice } from './session-notices.ts';
import type { PlacedDraft } from './tree-writer.ts';

/** Events of one session, and what they bring about in others. All of it is one batch. */
export interface Consequences {
  readonly drafts: readonly EventDraft[];
  readonly elsewhere: readonly PlacedDraft[];
}

/**
 * What a session's events mean for the sessions around it. A question below blocks every turn above it until the last
 * one is settled; what is allowed for the session is allowed for the tree; a subagent's session ends with its turn; a
 * parked turn that was answered stays parked.
 */
export function consequencesOf(tree: TreeState, state: SessionState, drafts: readonly EventDraft[]): Consequences {
  const own: EventDraft[] = [];
  const elsewhere: PlacedDraft[] = [];
  const isRoot = state === tree.root;
  for (const draft of drafts) {
    if (isRunning(draft) && questionsBelow(tree, state.sessionId).length > 0) continue;
    if (!isRoot && draft.type === 'session.updated' && draft.permissions !== undefined) {
      const { permissions } = draft;
      elsewhere.push({ sessionId: tree.root.sessionId, draft: { type: 'session.updated', permissions } });
      continue;
    }
    own.push(draft);
    if (!isRoot && draft.type === 'turn.ended') own.push(endOfSubagent(draft.record));
  }
  if (!isRoot) elsewhere.push(...blockedAbove(tree, state, drafts));
  const parked = drafts.some(({ type }) => type === 'callback.resolved') ? stillParked(tree) : undefined;
  if (parked !== undefined) elsewhere.push(parked);
  return { drafts: own, elsewhere };
}

function isRunning(draft: EventDraft): boolean {
  return draft.type === 'turn.updated' && draft.status === 'running';
}

function blockedAbove(tree: TreeState, state: SessionState, drafts: readonly EventDraft[]): PlacedDraft[] {
  const isOpened = drafts.some(({ type }) => type === 'callback.opened');
  const settled = isOpened ? new Set<string>() : settledBy(state, drafts);
  if (!isOpened && settled.size === 0) return [];
  const above = ancestorIdsOf(state.sessionId).flatMap((sessionId) => {
    const ancestor = tree.sessions.get(sessionId);
    return ancestor?.active === undefined ? [] : [{ sessionId, ancestor, turnId: ancestor.active.turnId }];
  });
  if (isOpened) return above.map(({ sessionId, turnId }) => turnUpdated(sessionId, turnId, 'blocked'));
  return above
    .filter(({ ancestor }) => ancestor.active?.blocked === true && !hasOtherQuestions(tree, ancestor, settled))
    .map(({ sessionId, turnId }) => turnUpdated(sessionId, turnId, 'running'));
}

function turnUpdated(sessionId: string, turnId: string, status: 'blocked' | 'running'): PlacedDraft {
  return { sessionId, draft: { type: 'turn.updated', turnId, status } };
}

/** The open questions that these events settle, by their IDs; a turn that ends settles all of its own. */
function settledBy(state: SessionState, drafts: readonly EventDraft[]): ReadonlySet<string> {
  const settled = new Set<string>();
  for (const draft of drafts) {
    if (draft.type === 'callback.resolved' && state.callbacks.get(draft.callbackId)?.settled === false)
      settled.add(draft.callbackId);
    if (draft.type !== 'turn.ended') continue;
    for (const [id, callback] of state.callbacks) if (!callback.settled) settled.add(id);
  }
  return settled;
}

function hasOtherQuestions(tree: TreeState, ancestor: SessionState, settled: ReadonlySet<string>): boolean {
  const open = [...openQuestions(ancestor), ...questionsBelow(tree, ancestor.sessionId)];
  return open.some((callback) => callback.type === 'unknown' || !settled.has(callback.id));
}

function stillParked({ root }: TreeState): PlacedDraft | undefined {
  const turnId = root.active?.turnId;
  const missing = turnId === undefined ? undefined : root.parked.get(turnId);
  if (turnId === undefined || missing === undefined) return undefined;
  return { sessionId: root.sessionId, draft: parkedNotice(turnId, missing) };
}

/** A subagent has one turn. */
function endOfSubagent(record: Extract<SessionEvent, { type: 'turn.ended' }>['record']): EventDraft {
  return { type: 'session.updated', status: 'terminated', termination: terminationOf(record as EndedRecord) };
}

function terminationOf(record: EndedRecord): Termination {
  switch (record.type) {
    case 'completed':
      return { type: 'completed' };
    case 'failed':
      return { type: 'failed', message: record.error.message };
    default:
      return { type: 'cancelled' };
  }
}
