import { RondoError } from '@rondo/protocol/values';
import type { AnyEvent } from '@rondo/protocol';
import { blobHash } from './blob-hash.ts';
import type {
  BlobStore,
  EncodedEvent,
  EventStore,
  ListOptions,
  OwnedLog,
  ReadOptions,
  StoredSession,
} from './event-store.ts';
import { emptyLogState, foldBatch, type LogState } from './log-state.ts';
import { comparePlaces, formatPlace, readPlace } from './list-place.ts';
import { storedSession } from './session-summary.ts';

interface MemorySession {
  readonly events: AnyEvent[];
  state: LogState;
  epoch: number;
  /** The log that may append, while there is one. */
  owner: OwnedLog | undefined;
  readonly waiting: Set<() => void>;
  readonly blobs: Map<string, Uint8Array>;
}

/** Sessions that live as long as the process: for tests, and for those who want nothing kept. */
export function createMemoryStore(): EventStore {
  const sessions = new Map<string, MemorySession>();

  const find = (sessionId: string): MemorySession => {
    const session = sessions.get(sessionId);
    if (session !== undefined) return session;
    throw new RondoError('session.not_found', `There is no session ${sessionId} in this process's memory.`, {
      details: { sessionId },
    });
  };

  async function* read(sessionId: string, { after = 0, signal }: ReadOptions = {}): AsyncGenerator<AnyEvent, void> {
    const { events } = find(sessionId);
    const committed = events.length;
    for (let index = firstAfter(events, after); index < committed; index += 1) {
      if (signal?.aborted === true) {
        throw new RondoError('operation.aborted', `Reading session ${sessionId} was aborted.`, {
          cause: signal.reason,
        });
      }
      const event = events[index];
      if (event !== undefined) yield event;
    }
  }

  async function* tail(
    sessionId: string,
    options: ReadOptions & { readonly signal: AbortSignal },
  ): AsyncGenerator<AnyEvent, void> {
    const { after = 0, signal } = options;
    const session = find(sessionId);
    for (let index = firstAfter(session.events, after); !signal.aborted; ) {
      const event = session.events[index];
      if (event === undefined) {
        await nextChange(session, signal);
        continue;
      }
      index += 1;
      yield event;
    }
  }

  return {
    async create(sessionId) {
      if (sessions.has(sessionId)) {
        throw new RondoError('session.exists', `Session ${sessionId} exists already. Open it, or choose another ID.`, {
          details: { sessionId },
        });
      }
      const session: MemorySession = {
        events: [],
        state: emptyLogState,
        epoch: 0,
        owner: undefined,
        waiting: new Set(),
        blobs: new Map(),
      };
      sessions.set(sessionId, session);
      return own(sessionId, session);
    },
    async acquire(sessionId) {
      const session = find(sessionId);
      if (session.owner !== undefined) throw inUse(sessionId);
      return own(sessionId, session);
    },
    async remove(sessionId) {
      if (find(sessionId).owner !== undefined) throw inUse(sessionId);
      sessions.delete(sessionId);
    },
    read,
    tail,
    list: async (options = {}) => listOf(sessions, options),
    async describe(sessionId) {
      const session = sessions.get(sessionId);
      return session === undefined ? undefined : storedSession(sessionId, session.state.summary, session.state);
    },
    blobs: (sessionId) => memoryBlobs(() => find(sessionId).blobs),
    outputDirectory: () => undefined,
    async close() {
      for (const session of sessions.values()) await session.owner?.release();
    },
  };
}

function inUse(sessionId: string): RondoError {
  return new RondoError('session.in_use', `Session ${sessionId} is open already, in this process.`, {
    details: { sessionId },
  });
}

const stored = Promise.resolve();

function own(sessionId: string, session: MemorySession): OwnedLog {
  session.epoch = Math.max(session.epoch, session.state.epoch) + 1;
  function assertWritable(): void {
    const details = { sessionId };
    if (session.owner !== log) {
      const message = `The log of session ${sessionId} was given up; acquire it again to write.`;
      throw new RondoError('session.write_failed', message, { details });
    }
    if (log.readOnly) {
      const message = `Session ${sessionId} holds an event that must be understood to continue it, and is not.`;
      throw new RondoError('session.read_only', message, { details });
    }
  }

  const log: OwnedLog = {
    sessionId,
    epoch: session.epoch,
    lastSeq: session.state.seq,
    damage: undefined,
    readOnly: session.state.readOnly,
    append(events) {
      try {
        assertWritable();
        commit(sessionId, session, events);
        return stored;
      } catch (error) {
        return Promise.reject(error);
      }
    },
    async release() {
      if (session.owner === log) session.owner = undefined;
    },
  };
  session.owner = log;
  return log;
}

function commit(sessionId: string, session: MemorySession, encoded: readonly EncodedEvent[]): void {
  if (encoded.length === 0) return;
  const events = encoded.map(({ event }) => event);
  session.events.push(...events);
  session.state = foldBatch(sessionId, session.state, { events, offset: session.events.length, damagedLines: 0 });
  for (const wake of session.waiting) wake();
}

function nextChange(session: MemorySession, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const wake = (): void => {
      session.waiting.delete(wake);
      signal.removeEventListener('abort', wake);
      resolve();
    };
    session.waiting.add(wake);
    signal.addEventListener('abort', wake, { once: true });
  });
}

/** Numbers only grow, and mostly by one: the place is found by bisection. */
function firstAfter(events: readonly AnyEvent[], after: number): number {
  let low = 0;
  let high = events.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((events[middle]?.seq ?? 0) <= after) low = middle + 1;
    else high = middle;
  }
  return low;
}

function listOf(
  sessions: ReadonlyMap<string, MemorySession>,
  { cwd, limit = Number.POSITIVE_INFINITY, before }: ListOptions,
) {
  const last = before === undefined ? undefined : readPlace(before);
  const all: StoredSession[] = [];
  for (const [sessionId, { state }] of sessions) {
    const session = storedSession(sessionId, state.summary, state);
    if (session === undefined || (cwd !== undefined && session.binding.cwd !== cwd)) continue;
    if (last === undefined || comparePlaces(last, session) < 0) all.push(session);
  }
  all.sort(comparePlaces);
  const page = all.slice(0, limit);
  const end = page.at(-1);
  return end === undefined || page.length === all.length
    ? { sessions: page }
    : { sessions: page, next: formatPlace(end) };
}

function memoryBlobs(blobs: () => Map<string, Uint8Array>): BlobStore {
  return {
    async write(bytes) {
      const hash = await blobHash(bytes);
      if (!blobs().has(hash)) blobs().set(hash, bytes.slice());
      return { hash, bytes: bytes.length };
    },
    async read(hash, range) {
      const whole = blobs().get(hash);
      if (whole === undefined)
        throw new RondoError('blob.not_found', `There is no blob ${hash} beside this session's log.`, {
          details: { hash },
        });
      const offset = range?.offset ?? 0;
      return whole.slice(offset, offset + (range?.length ?? whole.length));
    },
  };
}
