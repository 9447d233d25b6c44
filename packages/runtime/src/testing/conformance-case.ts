import assert from 'node:assert/strict';
import { isRondoError, type ErrorCode } from '@rondo/protocol/values';
import type { AnyEvent } from '@rondo/protocol';
import type { EncodedEvent, EventStore, ReadOptions } from '../event/event-store.ts';

/** Where the stores of one case keep their sessions. */
export interface StorePlace {
  /** A host on this place. Where a place serves one host only, always the same one. */
  open(): EventStore | Promise<EventStore>;
  /** Deletes the place when the case is over and its hosts are closed. */
  dispose(): void | Promise<void>;
}

/** One promise of a contract. `run` rejects when the implementation does not keep it. */
export interface ConformanceCase<Subject> {
  readonly name: string;
  run(make: () => Subject | Promise<Subject>): Promise<void>;
}

/** A case that gets a way to open hosts, which are closed behind it. */
export function storeCase(
  name: string,
  check: (open: () => Promise<EventStore>) => Promise<void>,
): ConformanceCase<StorePlace> {
  return {
    name,
    async run(make) {
      const place = await make();
      const opened: EventStore[] = [];
      try {
        await check(async () => {
          const store = await place.open();
          opened.push(store);
          return store;
        });
      } finally {
        for (const store of opened) await store.close();
        await place.dispose();
      }
    },
  };
}

export async function collect(events: AsyncIterable<AnyEvent>): Promise<AnyEvent[]> {
  const all: AnyEvent[] = [];
  for await (const event of events) all.push(event);
  return all;
}

export async function assertStored(
  store: EventStore,
  sessionId: string,
  expected: readonly EncodedEvent[],
  options?: ReadOptions,
): Promise<void> {
  const stored = await collect(store.read(sessionId, options));
  assert.deepEqual(
    stored,
    expected.map(({ event }) => event),
  );
}

export async function assertRejects(promise: Promise<unknown>, code: ErrorCode): Promise<void> {
  await assert.rejects(promise, (error: unknown) => {
    assert.ok(isRondoError(error), `expected a Rondo error ${code}, got ${String(error)}`);
    assert.equal(error.code, code);
    return true;
  });
}
