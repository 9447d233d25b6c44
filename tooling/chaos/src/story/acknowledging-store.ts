import type { AnyEvent } from '@rondo/protocol';
import type { EncodedEvent, EventStore, LogDamage, OwnedLog } from '@rondo/runtime';

/** What a store told whoever wrote to it. */
export interface Ledger {
  /** Events whose append was answered, in order. */
  readonly acknowledged: AnyEvent[];
  /** What opening an existing log found to be lost, and where the log ends after it. */
  opened?: { readonly damage: LogDamage | undefined; readonly size: number };
}

/** The store, with a note of everything that it acknowledges. */
export function acknowledgingStore(store: EventStore, ledger: Ledger, sizeOfLog: () => number): EventStore {
  const noting = (log: OwnedLog): OwnedLog => ({
    ...log,
    async append(events: readonly EncodedEvent[]) {
      await log.append(events);
      ledger.acknowledged.push(...events.map(({ event }) => event));
    },
  });
  return {
    ...store,
    create: async (sessionId) => noting(await store.create(sessionId)),
    async acquire(sessionId, options) {
      const log = await store.acquire(sessionId, options);
      ledger.opened = { damage: log.damage, size: sizeOfLog() };
      return noting(log);
    },
  };
}
