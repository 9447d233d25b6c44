import { RondoError } from '@rondo/protocol/values';
import type { AppendOptions, EncodedEvent } from '../event/event-store.ts';
import { assertLogText, encodeBatch, logHeader } from './log-line.ts';
import { foldBatch, type LogState } from '../event/log-state.ts';
import type { OpenFile } from './file-system.ts';
import type { Lease } from './owners.ts';
import { createRestingFile, type RestingFile } from './resting-file.ts';
import { createTurnstile } from './turnstile.ts';

/** A log that is open for writing. */
export interface WritableLog {
  readonly file: OpenFile;
  /** Opens the file of that inode again after it was closed. @throws RondoError `session.write_failed` where it is gone. */
  readonly reopen: (inode: number) => Promise<OpenFile>;
  /** Up to where it was read or cut: behind the last whole batch. */
  readonly state: LogState;
  readonly lease: Lease;
  /** Resolves when the folder entries on the way to a new log are durable: what is in it is, only then. */
  readonly entriesSynced?: Promise<void>;
}

export interface LogWriter {
  append(events: readonly EncodedEvent[], options?: AppendOptions): Promise<void>;
  /** Commits at once what was appended in the background. */
  hurry(): void;
  /** What is committed; undefined until the log is open. */
  state(): LogState | undefined;
  /** A write or sync failed: what the file has behind the committed state was refused and must not come back. */
  isUncertain(): boolean;
  /** Resolves when no append is pending any more, and the file is closed; with the lease, if there was one. Later appends are refused. */
  close(): Promise<Lease | undefined>;
}

interface PendingAppend {
  readonly events: readonly EncodedEvent[];
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/**
 * How long an append that nobody waits for may linger: a step of a turn that only reads is over in that time and costs
 * one sync, and a person who watches does not notice.
 */
const LINGER_MS = 20;

/**
 * Commits of all logs of this process that are under way at once: more than the thread pool has threads, since a loop with
 * much to do hears of their ends once in many milliseconds, and sessions that wait for their commits are held meanwhile.
 * Not all of them: a commit that waits in the pool is sealed, one that waits here still takes what is appended meanwhile.
 */
const commits = createTurnstile(12);

/**
 * Group commit: one write and one sync at a time, and what is appended meanwhile is the next batch, in order. What
 * nobody waits for goes with the next append that somebody does wait for, or after it has lingered. After a failure the tail is cut back to what is committed, if the disk lets us, and every append is refused: a sync that
 * failed has told us once, and a second one that succeeds would prove nothing.
 */
export function createLogWriter(sessionId: string, opening: Promise<WritableLog>, onCommit: () => void): LogWriter {
  let pending: PendingAppend[] = [];
  /** Somebody waits for what is pending. */
  let awaited = false;
  let lingering: NodeJS.Timeout | undefined;
  let committing: Promise<void> | undefined;
  let log: WritableLog | undefined;
  let resting: RestingFile | undefined;
  let state: LogState | undefined;
  let uncertain = false;
  let areEntriesSynced = false;
  /** Why nothing is written any more. Made once somebody hears of it: most logs are closed with nothing left to write. */
  let refusal: (() => RondoError<string>) | undefined;

  const refuse = (why: () => RondoError<string>): void => {
    if (refusal === undefined) {
      let error: RondoError<string> | undefined;
      refusal = () => (error ??= why());
    }
    const refused = pending;
    pending = [];
    for (const append of refused) append.reject(refusal());
  };

  const fail = (appends: readonly PendingAppend[], error: unknown): void => {
    const failure = error instanceof RondoError ? error : writeFailed(sessionId, error);
    for (const append of appends) append.reject(failure);
    refuse(() => failure);
  };

  const opened = opening.then(
    (writable) => {
      log = writable;
      resting = createRestingFile(writable.file, writable.reopen);
      resting.rest();
      state = writable.state;
    },
    (error: unknown) => fail([], error),
  );

  const commit = async (
    file: OpenFile,
    entriesSynced: Promise<void> | undefined,
    before: LogState,
    appends: readonly PendingAppend[],
  ): Promise<LogState> => {
    const events = appends.flatMap((append) => append.events);
    const texts = events.map((encoded) => encoded.json);
    const bytes = encodeBatch(before.offset === 0 ? [logHeader(sessionId), ...texts] : texts);
    await file.write(bytes, before.offset);
    if (entriesSynced === undefined) await file.sync();
    else await Promise.all([file.sync(), entriesSynced]);
    areEntriesSynced = true;
    return foldBatch(sessionId, before, {
      events: events.map((encoded) => encoded.event),
      offset: before.offset + bytes.length,
      damagedLines: 0,
    });
  };

  /** Commits what is pending; false when that failed. */
  const commitPending = async (log: WritableLog, resting: RestingFile, before: LogState): Promise<boolean> => {
    const appends = pending;
    pending = [];
    awaited = false;
    let file: OpenFile;
    try {
      log.lease.assertOwned();
      file = await resting.awake();
      assertUntouched(sessionId, file, before.offset);
    } catch (error) {
      // Nothing was written, and what is there may be another owner's: it is left alone.
      fail(appends, error);
      return false;
    }
    try {
      state = await commit(file, areEntriesSynced ? undefined : log.entriesSynced, before, appends);
    } catch (error) {
      uncertain = true;
      await cutBack(file, before.offset);
      fail(appends, error);
      return false;
    }
    for (const append of appends) append.resolve();
    onCommit();
    return true;
  };

  const run = async (): Promise<void> => {
    await opened;
    while (pending.length > 0 && awaited && log !== undefined && resting !== undefined && state !== undefined) {
      await commits.enter();
      try {
        if (!(await commitPending(log, resting, state))) return;
      } finally {
        commits.leave();
      }
    }
  };

  const schedule = (): void => {
    clearTimeout(lingering);
    lingering = undefined;
    awaited = true;
    committing ??= Promise.resolve()
      .then(run)
      .finally(() => {
        committing = undefined;
        if (pending.length === 0 || refusal !== undefined) resting?.rest();
        else if (awaited) schedule();
        else linger();
      });
  };

  const linger = (): void => {
    if (committing === undefined) lingering ??= setTimeout(schedule, LINGER_MS);
  };

  return {
    append(events, { background = false } = {}) {
      if (refusal !== undefined) return Promise.reject(refusal());
      if (events.length === 0) return Promise.resolve();
      return new Promise((resolve, reject) => {
        for (const { json } of events) assertLogText(json);
        pending.push({ events, resolve, reject });
        if (background) linger();
        else schedule();
      });
    },
    hurry() {
      if (pending.length > 0) schedule();
    },
    state: () => state,
    isUncertain: () => uncertain,
    async close() {
      if (pending.length > 0) schedule();
      await opened;
      while (committing !== undefined) await committing;
      refuse(() => {
        const message = `The log of session ${sessionId} was given up; acquire it again to write.`;
        return new RondoError('session.write_failed', message, { details: { sessionId } });
      });
      await resting?.close();
      return log?.lease;
    },
  };
}

/** Somebody else wrote to the file, or deleted it: whatever the reason, this writer's place in it is not its own. */
function assertUntouched(sessionId: string, file: OpenFile, committed: number): void {
  const { size, links } = file.status();
  if (size === committed && links > 0) return;
  const what = links === 0 ? 'was deleted' : `has ${size} bytes where ${committed} were written`;
  throw logChanged(sessionId, what, { size, committed, links });
}

export function logChanged(
  sessionId: string,
  what: string,
  details: Readonly<Record<string, number>> = {},
): RondoError {
  return new RondoError(
    'session.write_failed',
    `The log of session ${sessionId} ${what}: another program changed it. Open the session again.`,
    { details: { sessionId, ...details } },
  );
}

async function cutBack(file: OpenFile, committed: number): Promise<void> {
  try {
    const { size, links } = file.status();
    if (links > 0 && size > committed) await file.truncate(committed);
  } catch {
    // The writer refuses everything from here on, and the next owner cuts what is not whole.
  }
}

export function writeFailed(sessionId: string, cause: unknown): RondoError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new RondoError(
    'session.write_failed',
    `The log of session ${sessionId} could not be written: ${reason}. What was accepted before is kept; free the disk and open the session again.`,
    { details: { sessionId, reason }, cause },
  );
}
