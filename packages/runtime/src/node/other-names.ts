import fs from 'node:fs';
import { join } from 'node:path';

/** Looking at more would hold every call up. */
const mostEntries = 10_000;

/** What is copied in by links by design, and holds nothing that rules are about. */
const skipped = new Set(['node_modules', '.git']);

interface Search {
  readonly ino: bigint;
  readonly dev: bigint;
  readonly names: string[];
  left: number;
}

/**
 * The names below these folders, or at them, of a file that has several names on the disk. A file with one name, and what
 * is no file, costs one look. Undefined where there was too much to look at, or too little could be read.
 */
export async function otherNames(path: string, folders: readonly string[]): Promise<readonly string[] | undefined> {
  const file = fs.statSync(path, { throwIfNoEntry: false, bigint: true });
  if (file === undefined || !file.isFile() || file.nlink < 2n) return [];
  const search: Search = { ino: file.ino, dev: file.dev, names: [], left: mostEntries };
  for (const folder of folders) {
    if (!lookAt(folder, search)) return undefined;
  }
  return search.names.filter((name) => name !== path);
}

function lookAt(path: string, search: Search): boolean {
  if (search.left <= 0) return false;
  search.left -= 1;
  const found = fs.lstatSync(path, { throwIfNoEntry: false, bigint: true });
  if (found === undefined) return true;
  if (found.isFile()) {
    if (found.ino === search.ino && found.dev === search.dev) search.names.push(path);
    return true;
  }
  if (!found.isDirectory() || found.dev !== search.dev) return true;
  const names = namesIn(path);
  return names?.every((name) => skipped.has(name) || lookAt(join(path, name), search)) ?? false;
}

function namesIn(folder: string): readonly string[] | undefined {
  try {
    return fs.readdirSync(folder);
  } catch {
    return undefined;
  }
}
