import type { Client, Session } from '@rondo/client';
import type { SDKMessage, SessionInfo } from '@rondo/protocol';
import type { Runtime } from '@rondo/runtime';
import type { Options } from '../options/options.ts';
import { type KnownLines, lastStoredSession, loadSession, nothingKnown } from '../store/load-session.ts';
import { projectKeyOf } from '../store/session-store.ts';
import { startTreeMirror } from '../store/tree-mirror.ts';
import { findSession } from './open-session.ts';

export interface StoredRun {
  readonly found: SessionInfo | undefined;
  /** What the store has of it. */
  readonly known: KnownLines;
}

export interface FindOptions {
  readonly client: Client;
  readonly runtime: Pick<Runtime, 'importSession' | 'readTree'>;
  readonly options: Options;
  readonly cwd: string;
  /** Aborts when nobody wants the session any more. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * The session that the options ask to go on with, as the program's store has it: what another host said in it is here then.
 * @throws RondoError `store.unavailable`, `session.not_found`, `session.exists`.
 */
export async function findInStore({ client, runtime, options, cwd, signal }: FindOptions): Promise<StoredRun> {
  const { sessionStore: store, loadTimeoutMs } = options;
  if (store === undefined) return { found: await findSession(client, options, cwd), known: nothingKnown };
  const last =
    options.continue === true ? await lastStoredSession(store, cwd, { timeoutMs: loadTimeoutMs, signal }) : undefined;
  const sessionId = (options.resume ?? last)?.toLowerCase();
  if (sessionId === undefined) return { found: await findSession(client, options, cwd), known: nothingKnown };
  const known = await loadSession({ client, runtime, store, sessionId, cwd, timeoutMs: loadTimeoutMs, signal });
  return { found: await client.session(sessionId).read(), known };
}

/** What mirrors the session of a run, where its program has a store. */
export interface RunMirror {
  /** Who is shown what could not be mirrored. */
  watch(show: (line: SDKMessage) => void): void;
  close(): Promise<void>;
}

export interface MirrorOptions {
  readonly client: Client;
  readonly session: Session;
  readonly options: Options;
  readonly cwd: string;
  /** What the store has of the session; nothing unless given. */
  readonly known: KnownLines | undefined;
}

export function startMirror({
  client,
  session,
  options,
  cwd,
  known = nothingKnown,
}: MirrorOptions): RunMirror | undefined {
  const { sessionStore: store, sessionStoreFlush: flush = 'batched' } = options;
  if (store === undefined) return undefined;
  const untold: SDKMessage[] = [];
  let show = (line: SDKMessage): void => void untold.push(line);
  const key = { projectKey: projectKeyOf(cwd), sessionId: session.id };
  const mirror = startTreeMirror({ client, session, store, key, known, flush, show: (line) => show(line) });
  return {
    watch(given) {
      show = given;
      for (const line of untold.splice(0)) show(line);
    },
    close: mirror.close,
  };
}
