import type { LiveTree } from './live-tree.ts';

/** The session trees that a runtime owns, is opening, or is giving up, by their roots, and the bindings they are used by. */
export interface TreeTable {
  /** The session, once it is open; undefined when this runtime does not own it. */
  get(sessionId: string): Promise<LiveTree> | undefined;
  /** Registers a session while it is being opened, so that calls that follow at once wait for it. */
  register(sessionId: string, opening: Promise<LiveTree>): Promise<LiveTree>;
  /** Resolves when the session's log is free, however its last writes went. */
  giveUp(session: LiveTree): Promise<void>;
  /** Resolves when a former owner of this runtime has given the session's log up: whoever opens one waits for that. */
  left(sessionId: string): Promise<void>;
  /**
   * Does something with a session that nobody here owns, or with its owner. In the first case whoever opens the session
   * meanwhile waits.
   */
  borrow<Value>(sessionId: string, work: (owner: LiveTree | undefined) => Promise<Value>): Promise<Value>;
  use(bindingId: string, sessionId: string): void;
  /** Gives up the binding's sessions that no other binding uses, each when its work has ended; resolves then. */
  leave(bindingId: string): Promise<void>;
  /** Gives up all of them at once. */
  closeAll(): Promise<void>;
}

export function createTreeTable(): TreeTable {
  const live = new Map<string, Promise<LiveTree>>();
  const leaving = new Map<string, Promise<void>>();
  /** What each binding uses, and how many bindings use each session. */
  const usedBy = new Map<string, Set<string>>();
  const users = new Map<string, number>();

  function giveUp(session: LiveTree): Promise<void> {
    const { rootId: sessionId } = session;
    const before = leaving.get(sessionId);
    if (before !== undefined) return before;
    live.delete(sessionId);
    const left = session
      .close()
      .catch(ignore)
      .finally(() => leaving.delete(sessionId));
    leaving.set(sessionId, left);
    return left;
  }

  async function giveUpWhenIdle(sessionId: string): Promise<void> {
    const opening = live.get(sessionId);
    const session = await opening?.catch(ignore);
    if (session === undefined) return;
    await session.settled();
    if (!session.idle() || live.get(sessionId) !== opening) return;
    if (users.has(sessionId)) return;
    await giveUp(session);
  }

  return {
    get: (sessionId) => live.get(sessionId),
    register(sessionId, opening) {
      live.set(sessionId, opening);
      opening.catch(() => {
        if (live.get(sessionId) === opening) live.delete(sessionId);
      });
      return opening;
    },
    giveUp,
    async left(sessionId) {
      await leaving.get(sessionId);
    },
    async borrow(sessionId, work) {
      while (leaving.has(sessionId)) await leaving.get(sessionId);
      const owner = live.get(sessionId);
      if (owner !== undefined) return await work(await owner);
      const working = work(undefined);
      const left = working.then(ignore, ignore).finally(() => leaving.delete(sessionId));
      leaving.set(sessionId, left);
      try {
        return await working;
      } finally {
        await left;
      }
    },
    use(bindingId, sessionId) {
      const sessions = usedBy.get(bindingId) ?? new Set();
      if (sessions.has(sessionId)) return;
      usedBy.set(bindingId, sessions.add(sessionId));
      users.set(sessionId, (users.get(sessionId) ?? 0) + 1);
    },
    async leave(bindingId) {
      const sessions = usedBy.get(bindingId) ?? new Set<string>();
      usedBy.delete(bindingId);
      for (const sessionId of sessions) {
        const others = (users.get(sessionId) ?? 1) - 1;
        if (others > 0) users.set(sessionId, others);
        else users.delete(sessionId);
      }
      await Promise.all(Array.from(sessions, giveUpWhenIdle));
    },
    async closeAll() {
      const sessions = [...live.values()];
      live.clear();
      await Promise.all(sessions.map((opening) => opening.then((session) => session.close(), ignore)));
      await Promise.all(leaving.values());
    },
  };
}

/** A session that could not be opened has told whoever asked for it, and holds nothing. */
const ignore = (): undefined => undefined;
