import { createHash } from 'node:crypto';
import { lstatSync, readdirSync, readlinkSync, realpathSync, statSync } from 'node:fs';
import { isAbsolute, join, relative } from 'node:path';
import { eachChunk } from '../settings/regular-file.ts';
import { isFolder, isThere, namedPaths } from './named-paths.ts';

/** A file below the folder that settings name, and its content. */
export interface LocalScript {
  /** Relative to the folder. */
  readonly name: string;
  readonly hash: string;
}

/** What an interpreter runs of a folder that it is given. */
export const mainFiles: readonly string[] = [
  'index.js',
  'index.mjs',
  'index.cjs',
  'index.ts',
  'package.json',
  '__main__.py',
  'Makefile',
];

/**
 * The files below the folder that any text in the value names: a hook's script, a helper, a module that `NODE_OPTIONS`
 * requires. Of a folder named by a variable (`PATH`) or by a pattern each file in it; of another one what an interpreter would
 * run. What those files load in turn is not followed.
 */
export function localScripts(value: unknown, folder: string, variablesOf?: unknown): LocalScript[] {
  const root = realpathSync(folder);
  const names = new Set<string>();
  for (const { path, pattern } of namedPaths(value, { folder }))
    addPlace(names, { path, folder, root }, pattern === true);
  for (const { path } of namedPaths(variablesOf, { folder })) addPlace(names, { path, folder, root }, true);
  return [...names].sort().map((name) => ({ name, hash: fileHash(join(root, name)) }));
}

interface Place {
  readonly path: string;
  readonly folder: string;
  readonly root: string;
}

function addPlace(names: Set<string>, { path, folder, root }: Place, whole: boolean): void {
  const below = placeBelow(path, folder, root);
  if (below === undefined) return;
  const place = join(root, below);
  if (!isFolder(place)) {
    if (below !== '' && isThere(place)) names.add(below);
    return;
  }
  // The folder itself is named by whatever runs in it.
  if (below === '' && !whole) return;
  for (const name of whole ? readdirSync(place) : mainFiles) addFile(names, root, join(below, name));
}

/** Where below the folder it is; undefined elsewhere. */
function placeBelow(path: string, folder: string, root: string): string | undefined {
  return [folder, root]
    .map((base) => relative(base, path))
    .find((below) => below !== '..' && !below.startsWith('../') && !isAbsolute(below));
}

function addFile(names: Set<string>, root: string, below: string): void {
  if (isThere(join(root, below)) && !lstatSync(join(root, below)).isDirectory()) names.add(below);
}

/** Where a link leads counts with what is there. */
export function fileHash(path: string): string {
  const hash = createHash('sha256');
  try {
    if (lstatSync(path).isSymbolicLink()) hash.update(`link ${readlinkSync(path)}\0`);
    if (statSync(path).isFile()) eachChunk(path, Number.POSITIVE_INFINITY, (chunk) => void hash.update(chunk));
  } catch (error) {
    hash.update(`unreadable ${error instanceof Error && 'code' in error ? String(error.code) : ''}`);
    // Nobody knows what it is: it is another one once it is written to or can be read.
    const stats = statSync(path, { throwIfNoEntry: false });
    if (stats !== undefined) hash.update(`${stats.dev}:${stats.ino}:${stats.size}:${stats.mtimeMs}:${stats.ctimeMs}`);
  }
  return hash.digest('hex');
}
