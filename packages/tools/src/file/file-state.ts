import { hash } from 'node:crypto';
import fs, { type BigIntStats } from 'node:fs';
import { ToolError, type ToolContext, type ToolResult } from '@rondo/runtime';
import { isInSession, type LocatedFile } from './locate-file.ts';

/** Largest file whose content is hashed when it is read; a larger one is known by its size and time of change. */
export const largestHashedFile = 8 * 1024 * 1024;

export function hashBytes(bytes: Buffer): string {
  return `sha256-${hash('sha256', bytes, 'hex')}`;
}

/** A file too large to hash, as it was: any write changes this. */
export function stampOf({ size, mtimeNs, ino }: Pick<BigIntStats, 'size' | 'mtimeNs' | 'ino'>): string {
  return `stamp-${size}-${mtimeNs}-${ino}`;
}

/** What a tool result asks the session to remember about a file it has seen or written whole or in part. */
export function rememberFile(target: string, hash: string): NonNullable<ToolResult['remembered']> {
  return { [`file:${target}`]: { hash } };
}

// Calls of one step share what the session remembered before the step; what they wrote themselves is known here.
const written = new Map<string, string>();
const mostWritten = 1000;

/** Notes that a session wrote the file, so that its next call of the same step does not take that for a foreign change. */
export function noteWritten(sessionId: string, target: string, hash: string): void {
  const key = `${sessionId}\0${target}`;
  written.delete(key);
  written.set(key, hash);
  const [oldest] = written.keys();
  if (written.size > mostWritten && oldest !== undefined) written.delete(oldest);
}

type Session = Pick<ToolContext, 'sessionId' | 'remembered' | 'cwd' | 'additionalDirectories'>;

/**
 * Holds when the session may change the file as it now is: it is as the session last saw it, or the session has never
 * seen it and it lies in a folder of the session.
 * @param bytes what the file holds now; undefined when it is too large to be read.
 * @throws ToolError otherwise.
 */
export async function requireCurrent(
  { path, target }: Pick<LocatedFile, 'path' | 'target'>,
  bytes: Buffer | undefined,
  session: Session,
): Promise<void> {
  const known = session.remembered[`file:${target}`];
  const seen = typeof known === 'object' && known !== null && 'hash' in known ? known['hash'] : undefined;
  if (seen === undefined) {
    if (await isInSession(target, session)) return;
    throw new ToolError(
      `${path} has not been read yet and lies outside the session's folders. Read it first, then change it.`,
    );
  }
  const now = bytes === undefined ? undefined : hashBytes(bytes);
  if (now !== undefined && (seen === now || written.get(`${session.sessionId}\0${target}`) === now)) return;
  if (typeof seen === 'string' && seen.startsWith('stamp-') && seen === stampOf(fs.statSync(target, { bigint: true })))
    return;
  throw new ToolError(`${path} has changed on disk since it was read. Read it again, then change it.`);
}
