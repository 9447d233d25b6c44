import type * as sqlite from 'node:sqlite';

export type Sqlite = typeof sqlite;

const BUSY = 5;
const CORRUPT = 11;
const NOT_A_DATABASE = 26;

/** Node's SQLite, loaded when the first file of it is needed. */
export function loadSqlite(): Promise<Sqlite> {
  return import('node:sqlite');
}

export function isBusy(error: unknown): boolean {
  // The low byte is the result, the rest says more of it.
  return (resultCode(error) ?? 0) % 256 === BUSY;
}

export function isCorrupt(error: unknown): boolean {
  const code = (resultCode(error) ?? 0) % 256;
  return code === CORRUPT || code === NOT_A_DATABASE;
}

/** Tries again while another connection holds the file, without holding up this process, for five seconds. */
export async function whileBusy<Result>(attempt: () => Result): Promise<Result> {
  const started = process.uptime();
  for (;;) {
    try {
      return attempt();
    } catch (error) {
      if (!isBusy(error) || process.uptime() - started > 5) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, 2 + Math.random() * 8));
  }
}

function resultCode(error: unknown): number | undefined {
  if (!(error instanceof Error) || !('errcode' in error)) return undefined;
  return typeof error.errcode === 'number' ? error.errcode : undefined;
}
