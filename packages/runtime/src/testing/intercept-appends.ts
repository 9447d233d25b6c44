import type { EncodedEvent, EventStore, OwnedLog } from '../event/event-store.ts';

/** Called before each append; the append waits for it, and fails with what it throws. */
export type AppendInterceptor = (events: readonly EncodedEvent['event'][]) => void | Promise<void>;

/** The same store with a hand on every append. As a log must, one whose append failed refuses all that follow. */
export function interceptAppends(store: EventStore, intercept: AppendInterceptor): EventStore {
  const wrap = (log: OwnedLog): OwnedLog => {
    let last: Promise<void> = Promise.resolve();
    return {
      sessionId: log.sessionId,
      epoch: log.epoch,
      lastSeq: log.lastSeq,
      damage: log.damage,
      readOnly: log.readOnly,
      append(events) {
        const appended = last.then(async () => {
          await intercept(events.map(({ event }) => event));
          await log.append(events);
        });
        appended.catch(() => {});
        last = appended;
        return appended;
      },
      async release() {
        await last.catch(() => {});
        await log.release();
      },
    };
  };
  return {
    ...store,
    create: async (sessionId) => wrap(await store.create(sessionId)),
    acquire: async (sessionId) => wrap(await store.acquire(sessionId)),
  };
}
