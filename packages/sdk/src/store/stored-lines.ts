import { RondoError } from '@rondo/protocol/values';
import { isRecord } from '../is-record.ts';
import type { TranscriptEntry } from '../transcript/read-chain.ts';
import type { SessionKey, SessionStore } from './session-store.ts';
import { storeCall } from './store-call.ts';

export interface ReadStoreOptions {
  readonly store: SessionStore;
  readonly timeoutMs: number;
  /** Aborts when nobody waits for it any more. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * The lines that a store has under a key; none where there is no such transcript.
 * @throws RondoError `store.unavailable` where it fails, takes too long, or gives what is no transcript, or another session's.
 */
export async function storedLines(
  key: SessionKey,
  { store, timeoutMs, signal }: ReadStoreOptions,
): Promise<readonly TranscriptEntry[]> {
  const entries: unknown = await storeCall('load', timeoutMs, () => store.load({ ...key }), { signal });
  if (entries === null || entries === undefined) return [];
  if (!Array.isArray(entries)) throw unfit('load', `${typeof entries}, which is no list of lines`);
  return entries.map((entry: unknown, at) => {
    if (!isEntry(entry)) throw unfit('load', `no line of a transcript as number ${at + 1}`);
    const { sessionId } = entry;
    if (typeof sessionId === 'string' && sessionId.toLowerCase() !== key.sessionId)
      throw unfit('load', `a line of session ${sessionId}, asked for ${key.sessionId}`);
    return entry;
  });
}

/** The names below a session, each once; none where the store cannot tell. @throws RondoError `store.unavailable`. */
export async function storedSubpaths(
  key: { readonly projectKey: string; readonly sessionId: string },
  { store, timeoutMs, signal }: ReadStoreOptions,
): Promise<readonly string[]> {
  const list = (): Promise<unknown> => store.listSubkeys?.({ ...key }) ?? Promise.resolve([]);
  const names = await storeCall('listSubkeys', timeoutMs, list, { signal });
  if (!Array.isArray(names) || !names.every((name) => typeof name === 'string'))
    throw unfit('listSubkeys', 'what is no list of names');
  return [...new Set<string>(names)];
}

function isEntry(value: unknown): value is TranscriptEntry {
  return isRecord(value) && typeof value['type'] === 'string';
}

function unfit(what: string, given: string): RondoError {
  return new RondoError('store.unavailable', `${what} of the session store gave ${given}`);
}
