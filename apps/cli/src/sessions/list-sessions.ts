import { resolve } from 'node:path';
import { RondoError } from '@rondo/protocol/values';
import { listSessions, type SDKSessionInfo } from '@rondo/sdk';
import type { SessionsValues } from '../command/flag-tables.ts';
import { printableLine } from '../terminal/printable-text.ts';

/** The sessions, latest first: a table, or with `--json` one array. */
export async function listSessionsText(values: SessionsValues): Promise<string> {
  const limit = readLimit(values.limit);
  // One more than is shown tells whether there are more.
  const sessions = await listSessions({
    limit: limit + 1,
    ...(values.dir === undefined ? {} : { dir: resolve(values.dir) }),
  });
  const shown = sessions.slice(0, limit);
  if (values.json) return `${JSON.stringify(shown, null, 2)}\n`;
  if (shown.length === 0) return 'No sessions yet. rondo starts one, rondo demo shows one.\n';
  const more = sessions.length > limit ? `There are more: --limit ${limit * 5}\n` : '';
  return `${sessionTable(shown, { width: process.stdout.columns ?? 120, now: Date.now() })}${more}`;
}

export interface SessionTableOptions {
  readonly width: number;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** A line a session: the beginning of its ID, when it was last used, what it is about, and its folder. */
export function sessionTable(sessions: readonly SDKSessionInfo[], { width, now }: SessionTableOptions): string {
  const rows = sessions.map(({ sessionId, lastModified, summary, cwd }) => ({
    id: sessionId.slice(0, 8),
    when: age(now - lastModified),
    about: summary,
    folder: cwd ?? '',
  }));
  const when = Math.max(...rows.map((row) => row.when.length));
  const rest = Math.max(20, width - 8 - when - 6);
  const folder = Math.min(Math.floor(rest * 0.4), Math.max(...rows.map((row) => row.folder.length)));
  const about = rest - folder;
  return rows
    .map((row) =>
      [
        row.id,
        row.when.padEnd(when),
        printableLine(row.about, about).padEnd(about),
        tail(printableLine(row.folder, 4096), folder),
      ].join('  '),
    )
    .map((line) => `${line.trimEnd()}\n`)
    .join('');
}

/** The end of a path says more than its beginning. */
function tail(path: string, width: number): string {
  return path.length <= width ? path : `…${path.slice(path.length - width + 1)}`;
}

function age(milliseconds: number): string {
  const minutes = Math.floor(milliseconds / 60_000);
  if (minutes < 1) return 'now';
  if (minutes < 60) return `${minutes} min ago`;
  if (minutes < 48 * 60) return `${Math.floor(minutes / 60)} h ago`;
  return `${Math.floor(minutes / 60 / 24)} days ago`;
}

function readLimit(limit: string | undefined): number {
  if (limit === undefined) return 20;
  if (/^\d+$/.test(limit) && Number(limit) > 0) return Number(limit);
  throw new RondoError('input.invalid', `--limit takes a whole number from 1, not "${limit}".`);
}
