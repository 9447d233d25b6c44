import { mkdir, open, readdir, readFile, rm, stat } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import type { SessionKey, SessionStore, SessionStoreEntry } from '@rondo/sdk';

/**
 * Transcripts as files below a folder that several hosts share: a file a transcript, a line an entry. A line that was added is on disk
 * when `append` resolves; one that a crash cut short is left out when the file is read, and sent again by whoever goes on.
 */
export function fileSessionStore(folder: string): SessionStore {
  /** Appends to one file go one behind the other. */
  const last = new Map<string, Promise<void>>();

  const place = ({ projectKey, sessionId, subpath }: SessionKey): string => {
    const parts = [projectKey, sessionId, ...(subpath?.split('/') ?? ['transcript'])];
    // What comes from outside is no path.
    if (parts.some((part) => !/^[A-Za-z0-9._-]+$/.test(part) || /^\.+$/.test(part)))
      throw new Error(`no key: ${parts.join('/')}`);
    return `${join(folder, ...parts)}.jsonl`;
  };

  async function read(path: string): Promise<SessionStoreEntry[] | null> {
    const text = await readFile(path, 'utf8').catch((error: unknown) => {
      if (isMissing(error)) return undefined;
      throw error;
    });
    if (text === undefined) return null;
    const whole = text.slice(0, text.lastIndexOf('\n') + 1);
    return whole.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as SessionStoreEntry]));
  }

  async function add(path: string, entries: readonly SessionStoreEntry[]): Promise<void> {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    const known = new Set((await read(path))?.map(({ uuid }) => uuid));
    const added = entries.filter(({ uuid }) => uuid === undefined || !known.has(uuid));
    if (added.length === 0) return;
    const file = await open(path, 'a+', 0o600);
    try {
      const bytes = await file.readFile();
      // The rest of a line that a crash cut short.
      const whole = bytes.lastIndexOf(0x0a) + 1;
      if (whole < bytes.length) await file.truncate(whole);
      await file.write(added.map((entry) => `${JSON.stringify(entry)}\n`).join(''));
      await file.sync();
    } finally {
      await file.close();
    }
  }

  return {
    append(key, entries) {
      if (entries.length === 0) return Promise.resolve();
      const path = place(key);
      const lines = structuredClone(entries);
      const done = (last.get(path) ?? Promise.resolve()).catch(() => {}).then(() => add(path, lines));
      last.set(path, done);
      return done;
    },
    load: (key) => read(place(key)),
    async listSessions(projectKey) {
      const sessions = await readdir(join(folder, projectKey)).catch(() => []);
      const listed = await Promise.all(
        sessions.map(async (sessionId) => {
          const found = await stat(place({ projectKey, sessionId })).catch(() => undefined);
          return found === undefined ? [] : [{ sessionId, mtime: found.mtimeMs }];
        }),
      );
      return listed.flat();
    },
    async delete(key) {
      const path = place(key);
      await rm(key.subpath === undefined ? dirname(path) : path, { recursive: true, force: true });
    },
    async listSubkeys({ projectKey, sessionId }) {
      const top = join(folder, projectKey, sessionId);
      const files = await readdir(top, { recursive: true, withFileTypes: true }).catch(() => []);
      return files
        .filter((file) => file.isFile() && file.name.endsWith('.jsonl'))
        .map((file) => relative(top, join(file.parentPath, file.name)).replaceAll('\\', '/').slice(0, -'.jsonl'.length))
        .filter((subpath) => subpath !== 'transcript');
    },
  };
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}
