import type { Client } from '@rondo/client';
import { isRondoError, RondoError } from '@rondo/protocol/values';
import type { Runtime } from '@rondo/runtime';
import { addTranscript } from '../transcript/add-transcript.ts';
import { readChain } from '../transcript/read-chain.ts';
import { projectKeyOf, type SessionStore } from './session-store.ts';
import { LOAD_TIMEOUT_MS, storeCall } from './store-call.ts';

export interface LoadSessionOptions {
  readonly client: Client;
  readonly runtime: Pick<Runtime, 'importSession'>;
  readonly store: SessionStore;
  readonly sessionId: string;
  readonly cwd: string;
  readonly timeoutMs?: number | undefined;
  /** Aborts when nobody wants the session any more. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Makes the session that a store has one of this home, or adds to it what another host said in it.
 * @returns the UUIDs of the lines that the store has.
 * @throws RondoError `store.unavailable` where the store fails or takes too long, `session.not_found` where neither it nor this home has
 * the session, `session.exists` where both went on with it.
 */
export async function loadSession(options: LoadSessionOptions): Promise<ReadonlySet<string>> {
  const { client, runtime, store, sessionId, cwd, timeoutMs = LOAD_TIMEOUT_MS, signal } = options;
  const key = { projectKey: projectKeyOf(cwd), sessionId };
  const entries = await storeCall('load', timeoutMs, () => store.load(key), { signal });
  if (entries === null || entries.length === 0) {
    const isHere = await client
      .session(sessionId)
      .read()
      .then(
        () => true,
        (error: unknown) => {
          if (isRondoError(error, 'session.not_found')) return false;
          throw error;
        },
      );
    if (isHere) return new Set();
    throw new RondoError(
      'session.not_found',
      `there is no session ${sessionId}: neither here nor in the session store under ${key.projectKey}`,
      { details: { sessionId, projectKey: key.projectKey } },
    );
  }
  await addTranscript({ client, runtime, sessionId, chain: readChain(entries), cwd });
  return new Set(entries.flatMap(({ uuid }) => (uuid === undefined ? [] : [uuid])));
}

/** The session of a folder that a store was last added to. @throws RondoError `store.unavailable`. */
export async function lastStoredSession(
  store: SessionStore,
  cwd: string,
  { timeoutMs = LOAD_TIMEOUT_MS, signal }: Pick<LoadSessionOptions, 'timeoutMs' | 'signal'> = {},
): Promise<string | undefined> {
  const listed = await storeCall(
    'listSessions',
    timeoutMs,
    () => store.listSessions?.(projectKeyOf(cwd)) ?? Promise.resolve([]),
    { signal },
  );
  return listed.toSorted((one, other) => other.mtime - one.mtime)[0]?.sessionId;
}
