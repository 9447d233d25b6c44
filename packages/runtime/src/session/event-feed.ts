import type { AnyEvent, SessionEvent, TransientEvent } from '@rondo/protocol';
import type { Publication } from './tree-writer.ts';

/** What a subscription yields at once: durable events after their commit, deltas between them where asked for. */
export type EventBatch = readonly (AnyEvent | TransientEvent)[];

/** Committed events of a live session that a subscriber can have without reading the log. */
const KEPT_EVENTS = 256;
/** Deltas kept for a subscriber that is behind; beyond this the oldest go, their entry comes whole anyway. */
const KEPT_TRANSIENTS = 4096;

export interface EventFeedOptions {
  readonly sessionId: string;
  /** The log's events after a `seq`, committed ones only. */
  readonly read: (after: number) => AsyncIterable<AnyEvent>;
  /** `seq` of the last event that was committed when the feed was made. */
  readonly committed: number;
  /**
   * One delta for each block of the entry being written, for whoever comes late, and the `seq` of the last event that
   * was emitted by then, committed or not: the snapshot stands behind it.
   */
  readonly snapshot: () => { readonly behind: number; readonly deltas: readonly TransientEvent[] };
}

export interface FollowOptions {
  readonly after: number;
  /** All transients, or those of these types. */
  readonly deltas: boolean | readonly string[];
  readonly signal: AbortSignal;
}

/** What a session has committed, for any number of cursors. */
export interface EventFeed {
  publish(publication: Publication): void;
  follow(options: FollowOptions): AsyncIterableIterator<EventBatch, void>;
  /** `seq` of the last committed event. */
  committed(): number;
  /** Whether anybody asked for deltas, or for those of a type; nothing needs to be made for nobody. */
  wantsDeltas(type?: string): boolean;
  /** Ends every subscription: cleanly, or with the error. */
  end(error?: unknown): void;
}

interface Follower {
  readonly deltas: boolean | ReadonlySet<string>;
  /** Transients, each with the `seq` it stands behind. */
  transients: { readonly behind: number; readonly event: TransientEvent }[];
  /** How much of each block the snapshot held: deltas up to there may still be on their way, behind a commit. */
  readonly known: ReadonlyMap<string, number>;
  wake: () => void;
}

/**
 * Follows a session by cursor. A follower reads the log until it has caught up with the last kept events and takes the
 * rest from memory; however slow it is, it holds nothing up and loses nothing.
 */
export function createEventFeed(options: EventFeedOptions): EventFeed {
  const followers = new Set<Follower>();
  let kept: SessionEvent[] = [];
  let committed = options.committed;
  let ended: { readonly error?: unknown } | undefined;

  function keptAfter(after: number): readonly SessionEvent[] | undefined {
    const first = kept[0];
    if (first === undefined) return after >= committed ? [] : undefined;
    if (after < first.seq - 1) return undefined;
    return after < committed ? kept.filter((event) => event.seq > after) : [];
  }

  /** Written by hand: what every session at work goes through costs a promise or two here, where a generator makes five. */
  function follow({ after, deltas, signal }: FollowOptions): AsyncIterableIterator<EventBatch, void> {
    let position = after;
    let follower: Follower | undefined;
    let behind: AsyncGenerator<AnyEvent[], void> | undefined;
    let isOver = false;
    /** Resolves when the log is not read any more. */
    let left: Promise<unknown> | undefined;
    /** The read that waits; whoever reads meanwhile comes after it. */
    let pending: Promise<IteratorResult<EventBatch, void>> | undefined;
    const onAbort = (): void => follower?.wake();

    function begin(): Follower {
      const kinds = typeof deltas === 'boolean' ? deltas : new Set(deltas);
      const made = lateFollower(kinds, kinds === false ? undefined : options.snapshot());
      followers.add(made);
      signal.addEventListener('abort', onAbort, { once: true });
      return made;
    }

    function leave(): IteratorResult<EventBatch, void> {
      isOver = true;
      signal.removeEventListener('abort', onAbort);
      if (follower !== undefined) followers.delete(follower);
      left ??= behind?.return().catch(() => {});
      return { done: true, value: undefined };
    }

    function step(): IteratorResult<EventBatch, void> | Promise<IteratorResult<EventBatch, void>> {
      if (isOver || signal.aborted) return leave();
      follower ??= begin();
      const events = behind === undefined ? keptAfter(position) : undefined;
      if (events === undefined) return stepBehind();
      dropLate(follower, position);
      const batch = interleave(events, follower, position);
      position = events[events.length - 1]?.seq ?? position;
      if (batch.length > 0) return { done: false, value: batch };
      if (ended !== undefined) {
        const over = leave();
        if (ended.error !== undefined) throw ended.error;
        return over;
      }
      const { promise, resolve } = Promise.withResolvers<void>();
      follower.wake = resolve;
      pending = promise.then(resumed);
      return pending;
    }

    function resumed(): ReturnType<typeof step> {
      pending = undefined;
      return step();
    }

    /** From the log, up to what is kept. */
    function stepBehind(): Promise<IteratorResult<EventBatch, void>> {
      behind ??= readBehind(position, signal);
      pending = behind.next().then(readOn, leaveWith);
      return pending;
    }

    function leaveWith(error: unknown): never {
      pending = undefined;
      leave();
      throw error;
    }

    function readOn({ done, value: batch }: IteratorResult<AnyEvent[], void>): ReturnType<typeof step> {
      pending = undefined;
      if (done !== true) {
        position = batch[batch.length - 1]?.seq ?? position;
        return { done: false, value: batch.filter((event) => event.sessionId === options.sessionId) };
      }
      behind = undefined;
      position = Math.max(position, (kept[0]?.seq ?? committed + 1) - 1);
      return step();
    }

    function readNext(): Promise<IteratorResult<EventBatch, void>> {
      if (pending !== undefined) return pending.then(readNext, readNext);
      try {
        const result = step();
        return result instanceof Promise ? result : Promise.resolve(result);
      } catch (error) {
        leave();
        return Promise.reject(error);
      }
    }

    return {
      next: readNext,
      async return() {
        leave();
        follower?.wake();
        await left;
        return { done: true, value: undefined };
      },
      [Symbol.asyncIterator]() {
        return this;
      },
    };
  }

  async function* readBehind(after: number, signal: AbortSignal): AsyncGenerator<AnyEvent[], void> {
    let batch: AnyEvent[] = [];
    for await (const event of options.read(after)) {
      if (signal.aborted) return;
      if (event.seq > committed) break;
      batch.push(event);
      if (batch.length < KEPT_EVENTS) continue;
      yield batch;
      batch = [];
    }
    if (batch.length > 0) yield batch;
  }

  return {
    publish({ events, transients }) {
      const last = events[events.length - 1];
      if (last !== undefined) {
        committed = last.seq;
        kept.push(...events);
        if (kept.length > KEPT_EVENTS * 2) kept = kept.slice(-KEPT_EVENTS);
      }
      for (const follower of followers) {
        if (follower.deltas !== false) {
          for (const event of transients) {
            if (wants(follower, event.type) && !isKnown(follower, event))
              follower.transients.push({ behind: committed, event });
          }
          if (follower.transients.length > KEPT_TRANSIENTS * 2)
            follower.transients = follower.transients.slice(-KEPT_TRANSIENTS);
        }
        if (last !== undefined || follower.transients.length > 0) follower.wake();
      }
    },
    follow,
    committed: () => committed,
    wantsDeltas(type) {
      for (const follower of followers) if (wants(follower, type)) return true;
      return false;
    },
    end(error) {
      ended ??= error === undefined ? {} : { error };
      for (const follower of followers) follower.wake();
    },
  };
}

function lateFollower(
  deltas: Follower['deltas'],
  snapshot: ReturnType<EventFeedOptions['snapshot']> | undefined,
): Follower {
  const transients = (snapshot?.deltas ?? [])
    .filter((event) => wants({ deltas }, event.type))
    .map((event) => ({ behind: snapshot?.behind ?? 0, event }));
  const known = new Map<string, number>();
  for (const { event } of transients) if ('offset' in event) known.set(blockOf(event), event.text.length);
  return { deltas, transients, known, wake: () => {} };
}

function wants({ deltas }: Pick<Follower, 'deltas'>, type: string | undefined): boolean {
  return typeof deltas === 'boolean' || type === undefined ? deltas !== false : deltas.has(type);
}

function isKnown({ known }: Follower, event: TransientEvent): boolean {
  if (known.size === 0 || !('offset' in event)) return false;
  const length = known.get(blockOf(event));
  return length !== undefined && event.offset + event.text.length <= length;
}

function blockOf({ entryId, block }: { readonly entryId: string; readonly block: number }): string {
  return `${entryId}#${block}`;
}

/** What stands before an event that has been shown would come too late. */
function dropLate(follower: Follower, position: number): void {
  const [first] = follower.transients;
  if (first === undefined || first.behind >= position) return;
  follower.transients = follower.transients.filter(({ behind }) => behind >= position);
}

/**
 * Events and the transients that stand behind them, in order, or behind `position` where there are no events. Takes them
 * from the follower; a snapshot that stands behind events to come stays.
 */
function interleave(events: readonly SessionEvent[], follower: Follower, position: number): EventBatch {
  if (follower.transients.length === 0) return events;
  const { transients } = follower;
  const batch: (SessionEvent | TransientEvent)[] = [];
  let next = 0;
  const takeBefore = (seq: number): void => {
    for (;;) {
      const transient = transients[next];
      if (transient === undefined || transient.behind >= seq) return;
      batch.push(transient.event);
      next += 1;
    }
  };
  for (const event of events) {
    takeBefore(event.seq);
    batch.push(event);
  }
  takeBefore((events.at(-1)?.seq ?? position) + 1);
  follower.transients = transients.slice(next);
  return batch;
}
