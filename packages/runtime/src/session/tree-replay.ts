import type { AnyEvent } from '@rondo/protocol';
import type { EventStore, OwnedLog, Replay, SnapshotOffer } from '../event/event-store.ts';
import type { SessionState } from '../event/session-state.ts';
import { isDescendant } from '../event/session-tree-id.ts';
import { applyBelow, treeOf, type TreeState } from '../event/tree-state.ts';
import { createSessionReplay, keptState, replayVersion, type SessionReplay } from './session-replay.ts';

/** What is kept of a tree: its sessions' states, the root's first, and the place of the last event. */
export interface KeptTree {
  readonly seq: number;
  readonly sessions: readonly SessionState[];
}

/** Folds a session and its subagents out of their log in one pass, or out of a snapshot and what follows. */
interface TreeReplay extends Replay {
  /** As of what was told until now. */
  state(): TreeState;
}

const version = `tree of ${replayVersion}`;

export function createTreeReplay(rootId: string): TreeReplay {
  const root = createSessionReplay(rootId);
  const sessions = new Map<string, SessionReplay>([[rootId, root]]);
  let seq = 0;

  function replayOf(sessionId: string): SessionReplay | undefined {
    const known = sessions.get(sessionId);
    if (known !== undefined || !isDescendant(sessionId, rootId)) return known;
    const replay = createSessionReplay(sessionId);
    sessions.set(sessionId, replay);
    return replay;
  }

  return {
    version,
    takesBrief: true,
    restore(value) {
      // Sealed by its store under our version: it is what `snapshotOf` made.
      const kept = value as KeptTree;
      if (kept.sessions[0]?.sessionId !== rootId) return false;
      for (const state of kept.sessions) replayOf(state.sessionId)?.restore(state);
      seq = kept.seq;
      return true;
    },
    apply(event: AnyEvent) {
      if (event.seq <= seq) return;
      seq = event.seq;
      const replay = event.sessionId === rootId ? root : replayOf(event.sessionId);
      replay?.apply(event);
      if (replay !== undefined && replay !== root)
        applyBelow((sessionId) => sessions.get(sessionId)?.state(), root.state(), event);
    },
    state: () =>
      treeOf(
        [...sessions.values()].map((replay) => replay.state()),
        seq,
      ),
  };
}

/** What a store may keep of the tree, so that a replay goes on from there. */
export function snapshotOf(tree: TreeState): SnapshotOffer {
  const value = (): KeptTree => ({ seq: tree.seq, sessions: [...tree.sessions.values()].map(keptState) });
  return { version, seq: tree.seq, value };
}

/** Owns the tree's log, which is read once. */
export async function acquireReplayed(
  store: EventStore,
  rootId: string,
): Promise<{ readonly log: OwnedLog; readonly state: TreeState }> {
  const replay = createTreeReplay(rootId);
  const log = await store.acquire(rootId, { replay });
  try {
    if (log.replayed !== true) for await (const event of store.read(rootId)) replay.apply(event);
    return { log, state: replay.state() };
  } catch (error) {
    await log.release().catch(() => {});
    throw error;
  }
}

/** The tree as its log says, without owning it. @throws RondoError `session.not_found`. */
export async function replayStored(store: EventStore, rootId: string): Promise<TreeState> {
  const replay = createTreeReplay(rootId);
  if (store.replay === undefined) for await (const event of store.read(rootId)) replay.apply(event);
  else await store.replay(rootId, replay);
  return replay.state();
}
