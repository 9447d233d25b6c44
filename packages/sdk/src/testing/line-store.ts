import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import type { SessionStore, SessionStoreEntry } from '../store/session-store.ts';

/** A store in one file, for one session. It hears of each line before that is added. */
export function lineStore(path: string, beforeLine: (count: number) => void = () => {}): SessionStore {
  const read = (): SessionStoreEntry[] =>
    existsSync(path)
      ? readFileSync(path, 'utf8')
          .split('\n')
          .flatMap((line) => (line === '' ? [] : [JSON.parse(line) as SessionStoreEntry]))
      : [];
  return {
    append(_key, entries) {
      const known = new Set(read().map(({ uuid }) => uuid));
      for (const entry of entries) {
        if (known.has(entry.uuid)) continue;
        beforeLine(known.size + 1);
        appendFileSync(path, `${JSON.stringify(entry)}\n`);
        known.add(entry.uuid);
      }
      return Promise.resolve();
    },
    load: () => Promise.resolve(existsSync(path) ? read() : null),
  };
}
