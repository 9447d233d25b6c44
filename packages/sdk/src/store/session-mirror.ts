import { randomUUID } from 'node:crypto';
import type { AnyEvent, SDKMessage } from '@rondo/protocol';
import { parseCursor } from '@rondo/protocol/values';
import { createTranscriptProjection } from '../transcript/project-transcript.ts';
import { storeCall, type Sleep } from './store-call.ts';
import type { SessionKey, SessionStore, SessionStoreEntry } from './session-store.ts';

export interface SessionMirrorOptions {
  readonly store: Pick<SessionStore, 'append'>;
  readonly key: SessionKey;
  /** Whose events these are; the session of the key unless given. */
  readonly sessionId?: string;
  /** UUIDs of the lines that the store has already. */
  readonly known: ReadonlySet<string>;
  readonly flush: 'batched' | 'eager';
  /** The session's events from its first one on, whole, and then those that follow. */
  readonly events: AsyncIterator<AnyEvent>;
  /** Hears what could not be mirrored. */
  readonly show: (line: SDKMessage) => void;
  readonly sleep?: Sleep;
  readonly appendTimeoutMs?: number;
  readonly closeMs?: number;
  /** Characters of lines that may wait before no more events are read. */
  readonly mostWaiting?: number;
}

/** Sends a session's transcript to a store as it grows. It is never waited for but at its end. */
export interface SessionMirror {
  /** Resolves when everything up to the cursor is in the store, or some seconds later. Never rejects. */
  close(cursor: string): Promise<void>;
}

const MOST_LINES = 500;
const MOST_CHARACTERS = 1024 * 1024;
/** Of lines that wait in memory for a store that does not take them. The log has them all. */
const MOST_WAITING_CHARACTERS = 16 * MOST_CHARACTERS;
/** Where so many wait, nothing more is read, and the store is asked again after this. */
const FULL_RETRY_MS = 30_000;
const ATTEMPTS = 3;
const APPEND_TIMEOUT_MS = 60_000;
/** Most time that a query's end waits for its mirror. */
const CLOSE_MS = 5000;
const RETRY_MS = 200;

/**
 * Lines go to the store in their order, one call at a time. A call that fails is made again, with the same lines under the same
 * UUIDs; after three attempts that is told, and they are sent with the next ones. Whatever is left at the end is sent by whoever goes
 * on with the session and the store: what a store has is asked of it, not remembered.
 */
export function startSessionMirror(options: SessionMirrorOptions): SessionMirror {
  const { store, key, known, flush, events, show } = options;
  const { appendTimeoutMs = APPEND_TIMEOUT_MS, closeMs = CLOSE_MS, mostWaiting = MOST_WAITING_CHARACTERS } = options;
  const projection = createTranscriptProjection(options.sessionId ?? key.sessionId);
  const waiting: { readonly entry: SessionStoreEntry; readonly size: number }[] = [];
  let characters = 0;
  let seq = 0;
  let sending: Promise<void> | undefined;
  let isClosing = false;
  let isClosed = false;
  const closing = Promise.withResolvers<void>();
  let reached: { readonly seq: number; readonly done: () => void } | undefined;

  async function follow(): Promise<void> {
    try {
      for (;;) {
        const { done, value: event } = await events.next();
        if (done === true) return;
        see(event);
        while (characters > mostWaiting && !isClosed) if (!(await makeRoom())) return;
      }
    } catch (error) {
      if (!isClosed) tell(error);
    } finally {
      reached?.done();
    }
  }

  function see(event: AnyEvent): void {
    const lines = projection.push(event).filter(({ uuid }) => !known.has(uuid));
    for (const line of lines) {
      const entry = line as unknown as SessionStoreEntry;
      const size = JSON.stringify(entry).length;
      waiting.push({ entry, size });
      characters += size;
    }
    seq = event.seq;
    const isDue = flush === 'eager' ? lines.length > 0 : event.type === 'turn.ended';
    if (isDue || waiting.length >= MOST_LINES || characters >= MOST_CHARACTERS) send();
    if (reached !== undefined && seq >= reached.seq) reached.done();
  }

  /** False where the store takes nothing and there is no time left. */
  async function makeRoom(): Promise<boolean> {
    const before = waiting.length;
    send();
    await sending;
    if (waiting.length < before) return true;
    if (isClosing) return false;
    await Promise.race([pause(FULL_RETRY_MS), closing.promise]);
    return true;
  }

  function send(): void {
    sending ??= sendAll().finally(() => {
      sending = undefined;
    });
  }

  /** Until nothing waits, or a batch cannot be sent. */
  async function sendAll(): Promise<void> {
    // What comes at once goes together.
    await Promise.resolve();
    while (waiting.length > 0) {
      const count = batchLength();
      try {
        await attempt(waiting.slice(0, count).map(({ entry }) => entry));
      } catch (error) {
        return tell(error);
      }
      for (const { size } of waiting.splice(0, count)) characters -= size;
    }
  }

  /** As many as are sent at once: a line that is longer than all may be together goes alone. */
  function batchLength(): number {
    let size = 0;
    const end = waiting.findIndex((line, index) => index === MOST_LINES || (size += line.size) > MOST_CHARACTERS);
    return end < 0 ? waiting.length : Math.max(end, 1);
  }

  async function attempt(batch: readonly SessionStoreEntry[]): Promise<void> {
    for (let count = 1; ; count += 1) {
      try {
        // A copy: an adapter may keep what it is given.
        return await storeCall('append', appendTimeoutMs, () => store.append({ ...key }, structuredClone([...batch])), {
          sleep: options.sleep,
        });
      } catch (error) {
        if (count === ATTEMPTS || isClosed) throw error;
        await pause(RETRY_MS * 4 ** (count - 1));
      }
    }
  }

  async function pause(ms: number): Promise<void> {
    const { signal } = new AbortController();
    await (options.sleep ?? ((time) => new Promise<void>((resolve) => void setTimeout(resolve, time).unref())))(
      ms,
      signal,
    );
  }

  const tell = (error: unknown): void => show(mirrorError(key, error));

  const following = follow();

  async function finish(cursor: string): Promise<void> {
    const last = parseCursor(cursor)?.seq ?? 0;
    if (seq < last) {
      const arrived = Promise.withResolvers<void>();
      reached = { seq: last, done: arrived.resolve };
      await Promise.race([arrived.promise, following]);
    }
    await sending;
    if (waiting.length > 0) {
      send();
      await sending;
    }
  }

  return {
    async close(cursor) {
      isClosing = true;
      closing.resolve();
      const over = new AbortController();
      const sleep: Sleep =
        options.sleep ??
        ((ms, signal) =>
          new Promise((resolve) => {
            const timer = setTimeout(resolve, ms);
            signal.addEventListener('abort', () => (clearTimeout(timer), resolve()), { once: true });
          }));
      const late = sleep(closeMs, over.signal).then(() => 'late' as const);
      const end = await Promise.race([finish(cursor).then(() => 'done' as const), late]);
      over.abort();
      isClosed = true;
      if (end === 'late') {
        const left = `${waiting.length} lines or more are not in the session store yet; they are sent when the session is resumed with it`;
        tell(new Error(left));
      }
      await events.return?.();
    },
  };
}

/** What a program is told of lines that its store did not take. */
export function mirrorError(key: SessionKey, error: unknown): SDKMessage {
  return {
    type: 'system',
    subtype: 'mirror_error',
    error: error instanceof Error ? error.message : String(error),
    key: { ...key },
    uuid: randomUUID(),
    session_id: key.sessionId,
  };
}
