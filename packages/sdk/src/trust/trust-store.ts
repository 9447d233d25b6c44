import { hash, randomUUID } from 'node:crypto';
import { closeSync, fsyncSync, mkdirSync, openSync, readdirSync, renameSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { RondoError } from '@rondo/protocol/values';
import { readRegularFile } from '../settings/regular-file.ts';

/** What somebody trusted of one folder. */
export interface TrustedFolder {
  /** Where links lead: another name of the same folder is the same folder. */
  readonly folder: string;
  /** When it was last said, ISO 8601. */
  readonly trustedAt: string;
  /** The hash of each part, by its name. */
  readonly parts: Readonly<Record<string, string>>;
}

/**
 * What was trusted, a file a folder, below the home: `<home>/trust/`. A file that cannot be read trusts nothing.
 */
export interface TrustStore {
  /** The file that says what is trusted of this folder, whether it is there or not. */
  fileOf(folder: string): string;
  read(folder: string): TrustedFolder | undefined;
  /** On disk when it returns. */
  write(trusted: TrustedFolder): void;
  remove(folder: string): boolean;
  list(): TrustedFolder[];
}

export function createTrustStore(home: string): TrustStore {
  const place = join(home, 'trust');
  const fileOf = (folder: string): string => join(place, `${hash('sha256', folder)}.json`);
  return {
    fileOf,
    read: (folder) => {
      const trusted = readTrusted(fileOf(folder));
      return trusted?.folder === folder ? trusted : undefined;
    },
    write(trusted) {
      mkdirSync(place, { recursive: true, mode: 0o700 });
      const file = fileOf(trusted.folder);
      const beside = `${file}.${randomUUID()}.tmp`;
      const handle = openSync(beside, 'wx', 0o600);
      try {
        writeSync(handle, `${JSON.stringify(trusted, undefined, 2)}\n`);
        fsyncSync(handle);
      } finally {
        closeSync(handle);
      }
      renameSync(beside, file);
      const entry = openSync(place, 'r');
      try {
        fsyncSync(entry);
      } finally {
        closeSync(entry);
      }
    },
    remove(folder) {
      const file = fileOf(folder);
      if (readTrusted(file) === undefined) return false;
      rmSync(file, { force: true });
      return true;
    },
    list() {
      let names: string[];
      try {
        names = readdirSync(place);
      } catch (error) {
        if (isMissing(error)) return [];
        throw new RondoError('input.invalid', `${place} cannot be read: ${(error as Error).message}`, { cause: error });
      }
      return names
        .filter((name) => name.endsWith('.json'))
        .map((name) => readTrusted(join(place, name)))
        .filter((trusted) => trusted !== undefined)
        .sort((one, other) => (one.folder < other.folder ? -1 : 1));
    },
  };
}

function readTrusted(file: string): TrustedFolder | undefined {
  try {
    const value: unknown = JSON.parse(readRegularFile(file, 16 * 1024 * 1024)?.toString('utf8') ?? '');
    return isTrusted(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isTrusted(value: unknown): value is TrustedFolder {
  if (typeof value !== 'object' || value === null) return false;
  const { folder, trustedAt, parts } = value as Partial<Record<keyof TrustedFolder, unknown>>;
  return (
    typeof folder === 'string' &&
    typeof trustedAt === 'string' &&
    typeof parts === 'object' &&
    parts !== null &&
    Object.values(parts).every((hash) => typeof hash === 'string')
  );
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}
