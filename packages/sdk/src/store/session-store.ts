/** Names one transcript in a store. */
export type SessionKey = {
  /** Of the folder of the session: its path, every character but letters and digits as a `-`. */
  projectKey: string;
  sessionId: string;
  /** Absent for the session itself. Of a subagent, an opaque name such as `subagents/agent-1a2b3c4d`. */
  subpath?: string;
};

/**
 * A line of a transcript. A store keeps it as it is, whatever its type: what it reads back has to be equal, but for the order of
 * its members. Lines with a `uuid` are named by it: one that comes again is the same line.
 */
export type SessionStoreEntry = { type: string; uuid?: string; timestamp?: string; [key: string]: unknown };

export type SessionStoreListEntry = {
  sessionId: string;
  /** When it was last appended to, in milliseconds since 1970 by the store's own clock. */
  mtime: number;
};

/**
 * A place outside of this host where transcripts are mirrored to, and where another host can go on from. What holds for an adapter
 * is in `store/README.md`, and as cases in `sessionStoreCases`.
 */
export interface SessionStore {
  /** Adds lines behind those that are there. May be called again with lines that a call before it had added or had not. */
  append(key: SessionKey, entries: SessionStoreEntry[]): Promise<void>;
  /** All lines in the order in which they were added, or null for a transcript that was never added to. */
  load(key: SessionKey): Promise<SessionStoreEntry[] | null>;
  /** The sessions of a folder. `continue` needs it. */
  listSessions?(projectKey: string): Promise<SessionStoreListEntry[]>;
  /** Removes a transcript; that of a session with all that is below it. One that is not there is no error. */
  delete?(key: SessionKey): Promise<void>;
  /** The subpaths below a session. */
  listSubkeys?(key: { projectKey: string; sessionId: string }): Promise<string[]>;
}

/** The folder's key: the same on every host where the folder has the same path. */
export function projectKeyOf(folder: string): string {
  return folder.replace(/[^A-Za-z0-9]/g, '-');
}
