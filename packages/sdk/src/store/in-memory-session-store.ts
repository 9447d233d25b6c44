import type { SessionKey, SessionStore, SessionStoreEntry, SessionStoreListEntry } from './session-store.ts';

/** A store that lives as long as its process: for tests, and as the shortest adapter there is. */
export class InMemorySessionStore implements SessionStore {
  readonly #transcripts = new Map<
    string,
    { key: SessionKey; entries: Map<string, SessionStoreEntry>; mtime: number }
  >();
  #unnamed = 0;

  append(key: SessionKey, entries: SessionStoreEntry[]): Promise<void> {
    if (entries.length === 0) return Promise.resolve();
    const name = nameOf(key);
    const known = this.#transcripts.get(name) ?? { key: { ...key }, entries: new Map(), mtime: 0 };
    this.#transcripts.set(name, known);
    known.mtime = Date.now();
    for (const entry of entries) {
      const id = entry.uuid ?? `unnamed ${(this.#unnamed += 1)}`;
      // A copy: what its caller does with it later changes nothing here.
      if (!known.entries.has(id)) known.entries.set(id, structuredClone(entry));
    }
    return Promise.resolve();
  }

  load(key: SessionKey): Promise<SessionStoreEntry[] | null> {
    const known = this.#transcripts.get(nameOf(key));
    return Promise.resolve(known === undefined ? null : structuredClone([...known.entries.values()]));
  }

  listSessions(projectKey: string): Promise<SessionStoreListEntry[]> {
    const listed: SessionStoreListEntry[] = [];
    for (const { key, mtime } of this.#transcripts.values())
      if (key.projectKey === projectKey && key.subpath === undefined) listed.push({ sessionId: key.sessionId, mtime });
    return Promise.resolve(listed);
  }

  delete(key: SessionKey): Promise<void> {
    for (const [name, known] of this.#transcripts) {
      const isOf = known.key.projectKey === key.projectKey && known.key.sessionId === key.sessionId;
      if (isOf && (key.subpath === undefined || known.key.subpath === key.subpath)) this.#transcripts.delete(name);
    }
    return Promise.resolve();
  }

  listSubkeys({ projectKey, sessionId }: { projectKey: string; sessionId: string }): Promise<string[]> {
    const subpaths: string[] = [];
    for (const { key } of this.#transcripts.values())
      if (key.projectKey === projectKey && key.sessionId === sessionId && key.subpath !== undefined)
        subpaths.push(key.subpath);
    return Promise.resolve(subpaths);
  }
}

function nameOf({ projectKey, sessionId, subpath }: SessionKey): string {
  return JSON.stringify([projectKey, sessionId, subpath ?? null]);
}
