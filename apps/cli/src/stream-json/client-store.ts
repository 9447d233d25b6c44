import type { Options, SessionKey, SessionStore, SessionStoreEntry, SessionStoreListEntry } from '@rondo/sdk';
import type { ClientRequests } from './client-requests.ts';
import { type Frame, isFrame } from './read-frames.ts';

/** A client gives up a line of the wire above 64 MiB. */
const mostCharacters = 48 * 1024 * 1024;

/** An append is given up after a minute, and made again. What is asked of the client is taken back then. */
const appendMs = 65_000;

/** The client times what it is asked for; that it is gone is heard of otherwise. */
const noLimitMs = 2 ** 31 - 1;

/**
 * The client's store, which is reached by asking the client: a call has been done once the client says so.
 * @param described what `initialize` said of it. A client that said nothing is asked to keep lines, and to give those it has.
 */
export function clientStore(
  requests: ClientRequests,
  described: unknown,
): Pick<Options, 'sessionStore' | 'sessionStoreFlush' | 'loadTimeoutMs'> {
  const known: Frame = isFrame(described) ? described : {};
  const { projectKey, flush } = known;
  const named = (own: string): string => (typeof projectKey === 'string' ? projectKey : own);
  const keyed = (key: SessionKey): SessionKey => ({ ...key, projectKey: named(key.projectKey) });
  const ask = (what: string, fields: object, signal?: AbortSignal): Promise<Frame> =>
    requests.ask(
      `session_store_${what}`,
      { ...fields },
      { whenGone: 'fails', ...(signal === undefined ? {} : { signal }) },
    );

  const sessionStore: SessionStore = {
    async append(key, entries) {
      // Lines that are added together are few, or short: only one that is alone can be as long as that.
      const { length } = entries.length === 1 ? JSON.stringify(entries[0]) : '';
      if (length > mostCharacters) throw new Error(`a line of ${length} characters is too long for the client to take`);
      await ask('append', { key: keyed(key), entries }, AbortSignal.timeout(appendMs));
    },
    async load(key) {
      const lines: SessionStoreEntry[] = [];
      for (;;) {
        const { entries, more } = await ask('load', { key: keyed(key), from: lines.length });
        if (entries === null) return null;
        if (!Array.isArray(entries)) throw unfit('session_store_load', 'entries');
        for (const entry of entries as SessionStoreEntry[]) lines.push(entry);
        if (more !== true || entries.length === 0) return lines;
      }
    },
    ...(known['listSessions'] === true
      ? {
          async listSessions(own) {
            const { sessions } = await ask('list_sessions', { projectKey: named(own) });
            if (!Array.isArray(sessions)) throw unfit('session_store_list_sessions', 'sessions');
            return sessions as SessionStoreListEntry[];
          },
        }
      : {}),
    ...(known['listSubkeys'] === true
      ? {
          async listSubkeys(key) {
            const { subkeys } = await ask('list_subkeys', { ...key, projectKey: named(key.projectKey) });
            if (!Array.isArray(subkeys)) throw unfit('session_store_list_subkeys', 'subkeys');
            return subkeys as string[];
          },
        }
      : {}),
  };
  return {
    sessionStore,
    ...(flush === 'eager' || flush === 'batched' ? { sessionStoreFlush: flush } : {}),
    ...(isFrame(described) ? { loadTimeoutMs: noLimitMs } : {}),
  };
}

function unfit(subtype: string, field: string): Error {
  return new Error(`the client's answer to ${subtype} has no list of ${field}`);
}
