import type { AnyEvent, OpenCallback } from '@rondo/protocol';
import { applyEvent } from './apply-event.ts';
import { emptySessionState, type SessionState } from './session-state.ts';
import { ancestorIdsOf, isDescendant, parentIdOf } from './session-tree-id.ts';

/** Everything that one log says: a session, and the subagents below it. Only `applyTreeEvent` changes it. */
export interface TreeState {
  readonly root: SessionState;
  /** `seq` of the log's last event, whichever session's it is. */
  seq: number;
  /** The root first, then its descendants as they were created. */
  readonly sessions: Map<string, SessionState>;
}

export function emptyTreeState(rootId: string): TreeState {
  return treeOf([emptySessionState(rootId)], 0);
}

/** @param states the root's first, the others as they were created. */
export function treeOf(states: readonly SessionState[], seq: number): TreeState {
  const [root] = states;
  if (root === undefined) throw new TypeError('a tree of sessions has a root');
  return { root, seq, sessions: new Map(states.map((state) => [state.sessionId, state])) };
}

export function applyTreeEvent(tree: TreeState, event: AnyEvent): void {
  if (event.seq <= tree.seq) return;
  tree.seq = event.seq;
  const state = event.sessionId === tree.root.sessionId ? tree.root : descendantOf(tree, event.sessionId);
  if (state === undefined) return;
  applyEvent(state, event);
  if (state !== tree.root) applyBelow((sessionId) => tree.sessions.get(sessionId), tree.root, event);
}

/** What a descendant's event means for those above it: it is paid for by their turns, and moves the root's last change. */
export function applyBelow(
  stateOf: (sessionId: string) => SessionState | undefined,
  root: SessionState,
  event: AnyEvent,
): void {
  root.updatedAt = event.at;
  const costUsd = costOf(event);
  if (costUsd === 0) return;
  for (const ancestorId of ancestorIdsOf(event.sessionId)) {
    const ancestor = stateOf(ancestorId);
    if (ancestor === undefined) continue;
    ancestor.totalCostUsd += costUsd;
    if (ancestor.active !== undefined) ancestor.active.costUsd += costUsd;
  }
}

function costOf(event: AnyEvent): number {
  switch (event.type) {
    case 'model.completed':
    case 'model.retried':
    case 'tool.classified':
    case 'hook.completed':
    case 'prompt.suggested':
      return event.costUsd ?? 0;
    default:
      return 0;
  }
}

function descendantOf(tree: TreeState, sessionId: string): SessionState | undefined {
  const known = tree.sessions.get(sessionId);
  if (known !== undefined || !isDescendant(sessionId, tree.root.sessionId)) return known;
  const state = emptySessionState(sessionId);
  // A tree's session inputs are its root's.
  state.inputs = tree.root.inputs;
  tree.sessions.set(sessionId, state);
  return state;
}

/** The session's direct subagents, the newest last. */
export function childrenOf(tree: TreeState, sessionId: string): SessionState[] {
  if (tree.sessions.size === 1) return [];
  return [...tree.sessions.values()].filter((state) => parentIdOf(state.sessionId) === sessionId);
}

/** Every session below this one, the newest last: a session comes behind its parent. */
export function descendantsOf(tree: TreeState, sessionId: string): SessionState[] {
  if (tree.sessions.size === 1) return [];
  return [...tree.sessions.values()].filter((state) => isDescendant(state.sessionId, sessionId));
}

/** The questions that wait in sessions below this one. */
export function questionsBelow(tree: TreeState, sessionId: string): OpenCallback[] {
  return descendantsOf(tree, sessionId).flatMap(openQuestions);
}

export function openQuestions(state: SessionState): OpenCallback[] {
  const open: OpenCallback[] = [];
  for (const { callback, settled } of state.callbacks.values()) if (!settled) open.push(callback);
  return open;
}
