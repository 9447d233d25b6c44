import fs from 'node:fs';
import { join } from 'node:path';

/** Looking at more would hold every call up. */
const mostEntries = 10_000;

/** What is copied in by links by design, and holds nothing that rules are about. */
const skipped = new Set(['node_modules', '.git']);

/** What tells that two names are one file's; undefined of a file that has one name, and of what is no file. */
export function identityOf(path: string): string | undefined {
  return identityOfFile(statOf(() => fs.statSync(path, { throwIfNoEntry: false, bigint: true })));
}

/**
 * The names below these folders, or at them, of a file that has several names on the disk. A file with one name, and what
 * is no file, costs one look. Undefined where there was too much to look at, or too little could be read.
 */
export async function otherNames(path: string, folders: readonly string[]): Promise<readonly string[] | undefined> {
  const identity = identityOf(path);
  if (identity === undefined) return [];
  const shared = await sharedFiles(folders);
  return shared && (shared.get(identity) ?? []).filter((name) => name !== path);
}

/** The files below these folders, or at them, that have several names, by their identity. Undefined as above. */
export function sharedFiles(folders: readonly string[]): Promise<ReadonlyMap<string, readonly string[]> | undefined> {
  const search: Search = { names: new Map(), left: mostEntries };
  return Promise.resolve(folders.every((folder) => lookAt(folder, search)) ? search.names : undefined);
}

interface Search {
  readonly names: Map<string, string[]>;
  left: number;
}

function lookAt(path: string, search: Search): boolean {
  if (search.left <= 0) return false;
  search.left -= 1;
  const found = statOf(() => fs.lstatSync(path, { throwIfNoEntry: false, bigint: true }));
  const identity = identityOfFile(found);
  if (identity !== undefined) search.names.set(identity, [...(search.names.get(identity) ?? []), path]);
  if (found?.isDirectory() !== true) return true;
  const names = namesIn(path);
  return names?.every((name) => skipped.has(name) || lookAt(join(path, name), search)) ?? false;
}

function identityOfFile(file: fs.BigIntStats | undefined): string | undefined {
  return file?.isFile() === true && file.nlink > 1n ? `${file.dev}:${file.ino}` : undefined;
}

/** Where nobody may look, nothing is read either. */
function statOf(stat: () => fs.BigIntStats | undefined): fs.BigIntStats | undefined {
  try {
    return stat();
  } catch {
    return undefined;
  }
}

function namesIn(folder: string): readonly string[] | undefined {
  try {
    return fs.readdirSync(folder);
  } catch {
    return undefined;
  }
}
