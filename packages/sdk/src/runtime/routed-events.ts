import type { StreamEvent } from '@rondo/protocol';
import { isRondoError } from '@rondo/protocol/values';
import type { EventBatch, Runtime } from '@rondo/runtime';
import type { OwnerConnections } from './owner-connections.ts';
import type { OwnersRuntime } from './session-bindings.ts';

/** How often, and how long, a new owner is looked for at an address of its own. */
const LOOK_EVERY_MS = 250;
const LOOK_FOR_MS = 5000;

export interface EventSources {
  readonly runtime: OwnersRuntime;
  readonly owners: OwnerConnections;
  /** Where the session's owner is reached, when another process is that. */
  readonly addressOf: (sessionId: string) => Promise<string | undefined>;
}

type SubscribeOptions = Parameters<Runtime['subscribe']>[1];

/**
 * A session's events with the pieces that are shown and not stored: of its owner while there is one to be reached, else
 * of the log, over any number of owners. Durable events come once each and in order.
 */
export async function* routedEvents(
  sources: EventSources,
  sessionId: string,
  options: SubscribeOptions,
): AsyncGenerator<EventBatch, void> {
  const { runtime, owners, addressOf } = sources;
  const { signal } = options;
  let place: Pick<SubscribeOptions, 'after' | 'fromTurn'> = options;
  let unreachable: string | undefined;
  const passed = (events: EventBatch): EventBatch => {
    const cursor = lastCursor(events);
    if (cursor !== undefined) place = { after: cursor };
    return events;
  };
  while (!signal.aborted) {
    const address = runtime.isOpen(sessionId) ? undefined : await addressOf(sessionId);
    if (address === undefined || address === unreachable) {
      const source = yield* storedEvents();
      if (source === 'ended') return;
      continue;
    }
    const reached = yield* ownersEvents(address);
    unreachable = reached ? undefined : address;
    if (reached && (await isOver())) return;
  }

  /** Of this process, or of the log, until somebody else is found to be the owner. */
  async function* storedEvents(): AsyncGenerator<EventBatch, 'ended' | 'moved'> {
    const moved = new AbortController();
    const look = lookForOwner(() => moved.abort());
    try {
      const { after, fromTurn } = place;
      const events = runtime.subscribe(sessionId, {
        ...(after === undefined ? {} : { after }),
        ...(fromTurn === undefined ? {} : { fromTurn }),
        deltas: true,
        signal: AbortSignal.any([signal, moved.signal]),
      });
      for await (const batch of events) {
        yield passed(batch);
        if (batch.some(({ type }) => type === 'session.acquired')) {
          unreachable = undefined;
          look.again();
        }
      }
      return moved.signal.aborted ? 'moved' : 'ended';
    } catch (error) {
      if (moved.signal.aborted && !signal.aborted) return 'moved';
      throw error;
    } finally {
      look.stop();
    }
  }

  function lookForOwner(found: () => void): { again(): void; stop(): void } {
    let until = performance.now() + LOOK_FOR_MS;
    let timer: NodeJS.Timeout | undefined;
    let isStopped = false;
    const look = async (): Promise<void> => {
      timer = undefined;
      const address = runtime.isOpen(sessionId) ? undefined : await addressOf(sessionId).catch(() => undefined);
      if (isStopped) return;
      if (address !== undefined && address !== unreachable) found();
      else if (performance.now() < until) timer = setTimeout(() => void look(), LOOK_EVERY_MS).unref();
    };
    timer = setTimeout(() => void look(), LOOK_EVERY_MS).unref();
    return {
      again() {
        until = performance.now() + LOOK_FOR_MS;
        timer ??= setTimeout(() => void look(), LOOK_EVERY_MS).unref();
      },
      stop() {
        isStopped = true;
        clearTimeout(timer);
      },
    };
  }

  /** Over the owner's socket, until it is gone. False when it was not there. */
  async function* ownersEvents(address: string): AsyncGenerator<EventBatch, boolean> {
    const { owner, leave } = await owners.take(address);
    let reached = false;
    try {
      const { after } = place;
      // Something that only an owner answers: a socket that nobody serves is found out before any event is waited for.
      await owner.request('session/read', { sessionId });
      reached = true;
      const events = owner
        .session(sessionId)
        .events({ ...(after === undefined ? {} : { after }), deltas: true, signal });
      for await (const event of events) yield passed([event]);
    } catch (error) {
      if (signal.aborted) return reached;
      if (!isGone(error)) throw error;
    } finally {
      leave();
    }
    return reached;
  }

  async function isOver(): Promise<boolean> {
    return (await runtime.readSession({ sessionId })).status === 'terminated';
  }
}

/** The owner, or the way to it, is no more: the session may be anybody's. */
export function isGone(error: unknown): boolean {
  return (
    isRondoError(error, 'channel.closed') ||
    isRondoError(error, 'host.closing') ||
    isRondoError(error, 'observation.lost')
  );
}

function lastCursor(events: readonly StreamEvent[]): string | undefined {
  return events.findLast((event) => 'id' in event)?.id;
}
