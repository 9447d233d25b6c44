import type { Client } from '@rondo/client';
import { isRondoError, isUuid, RondoError } from '@rondo/protocol/values';
import type { Runtime } from '@rondo/runtime';
import { isRecord } from '../is-record.ts';
import { addTranscript } from '../transcript/add-transcript.ts';
import { agentIdOfSubpath, subagentSessionId } from '../transcript/agent-id.ts';
import { readChain, splitTranscript, type TranscriptEntry } from '../transcript/read-chain.ts';
import { treeLines } from '../transcript/tree-lines.ts';
import { projectKeyOf, type SessionStore, type SessionStoreListEntry } from './session-store.ts';
import { storedLines, storedSubpaths } from './stored-lines.ts';
import { LOAD_TIMEOUT_MS, storeCall } from './store-call.ts';

export interface LoadSessionOptions {
  readonly client: Client;
  readonly runtime: Pick<Runtime, 'importSession' | 'readTree'>;
  readonly store: SessionStore;
  readonly sessionId: string;
  readonly cwd: string;
  readonly timeoutMs?: number | undefined;
  /** Aborts when nobody wants the session any more. */
  readonly signal?: AbortSignal | undefined;
}

/** UUIDs of the lines that a store has of a session, and of each of its subagents by its subpath. */
export interface KnownLines {
  readonly own: ReadonlySet<string>;
  readonly below: ReadonlyMap<string, ReadonlySet<string>>;
  /** Sessions of subagents of which the store has every line that is here. */
  readonly whole: ReadonlySet<string>;
}

export const nothingKnown: KnownLines = { own: new Set(), below: new Map(), whole: new Set() };

/** So many transcripts of subagents are loaded at once. */
const AT_ONCE = 8;

/**
 * Makes the session that a store has one of this home, with its subagents, or adds to it what another host said in it.
 * @throws RondoError `store.unavailable` where the store fails or takes too long, `session.not_found` where neither it nor this home has
 * the session, `session.exists` where both went on with it.
 */
export async function loadSession(options: LoadSessionOptions): Promise<KnownLines> {
  const { client, runtime, store, sessionId, cwd, timeoutMs = LOAD_TIMEOUT_MS, signal } = options;
  const key = { projectKey: projectKeyOf(cwd), sessionId };
  const reading = { store, timeoutMs, signal };
  const entries = await storedLines(key, reading);
  if (entries.length === 0) {
    if (await isHere(client, sessionId)) return nothingKnown;
    throw new RondoError(
      'session.not_found',
      `there is no session ${sessionId}: neither here nor in the session store under ${key.projectKey}`,
      { details: { sessionId, projectKey: key.projectKey } },
    );
  }
  const { own, subagents } = splitTranscript(entries);
  const chains = new Map([...subagents].map(([agentId, lines]) => [agentId, readChain(lines, { of: 'subagent' })]));
  const below = new Map<string, ReadonlySet<string>>();
  const subpaths = await storedSubpaths(key, reading);
  for (let at = 0; at < subpaths.length; at += AT_ONCE) {
    const load = async (subpath: string): Promise<void> => {
      const agentId = agentIdOfSubpath(subpath);
      if (agentId === undefined) return;
      const lines = await storedLines({ ...key, subpath }, reading);
      below.set(subpath, uuidsOf(lines));
      if (lines.length > 0) chains.set(agentId, readChain(lines, { of: 'subagent' }));
    };
    await Promise.all(subpaths.slice(at, at + AT_ONCE).map(load));
  }
  const here = await treeLines(runtime, sessionId);
  await addTranscript({
    runtime,
    sessionId,
    here,
    chain: readChain(own),
    subagents: [...chains].map(([agentId, chain]) => ({ agentId, chain })),
    cwd,
  });
  const whole = new Set<string>();
  for (const [subpath, stored] of below) {
    const id = subagentSessionId(sessionId, agentIdOfSubpath(subpath) ?? '');
    if ([...(here?.get(id)?.all ?? [])].every((uuid) => stored.has(uuid))) whole.add(id);
  }
  return { own: uuidsOf(entries), below, whole };
}

function uuidsOf(entries: readonly TranscriptEntry[]): ReadonlySet<string> {
  return new Set(entries.flatMap(({ uuid }) => (typeof uuid === 'string' ? [uuid] : [])));
}

async function isHere(client: Client, sessionId: string): Promise<boolean> {
  try {
    await client.session(sessionId).read();
    return true;
  } catch (error) {
    if (isRondoError(error, 'session.not_found')) return false;
    throw error;
  }
}

/** The session of a folder that a store was last added to. @throws RondoError `store.unavailable`. */
export async function lastStoredSession(
  store: SessionStore,
  cwd: string,
  { timeoutMs = LOAD_TIMEOUT_MS, signal }: Pick<LoadSessionOptions, 'timeoutMs' | 'signal'> = {},
): Promise<string | undefined> {
  const listed: unknown = await storeCall(
    'listSessions',
    timeoutMs,
    () => store.listSessions?.(projectKeyOf(cwd)) ?? Promise.resolve([]),
    { signal },
  );
  if (!Array.isArray(listed) || !listed.every((one) => isRecord(one) && isUuid(one['sessionId'])))
    throw new RondoError('store.unavailable', 'listSessions of the session store gave what is no list of sessions');
  const sessions = listed as readonly SessionStoreListEntry[];
  return sessions.toSorted((one, other) => other.mtime - one.mtime)[0]?.sessionId;
}
