import { createHash } from 'node:crypto';
import { lstatSync, readdirSync, readFileSync, readlinkSync, realpathSync, statSync } from 'node:fs';
import { isAbsolute, join, relative, resolve } from 'node:path';

/** A file below the folder that settings name, and its content. */
export interface LocalScript {
  /** Relative to the folder. */
  readonly name: string;
  readonly hash: string;
}

const variables = /\$\{?(?:CLAUDE|RONDO)_PROJECT_DIR\}?/g;
/** What may stand around a path in a shell line, an option or a list of folders. */
const separators = /[\s'"`;|&<>()={},:[\]]+/;
/** What an interpreter runs of a folder that it is given. */
const mainFiles = ['index.js', 'index.mjs', 'index.cjs', 'index.ts', 'package.json', '__main__.py', 'Makefile'];

/**
 * The files below the folder that any text in the value names: a hook's script, a helper, a module that `NODE_OPTIONS`
 * requires. Of a folder named by a variable (`PATH`) each file in it; of another one what an interpreter would run. What those
 * files load in turn is not followed.
 */
export function localScripts(value: unknown, folder: string, variablesOf?: unknown): LocalScript[] {
  const root = realpathSync(folder);
  const names = new Set<string>();
  for (const below of placesIn(value, folder, root)) {
    if (isFolder(join(root, below))) for (const name of mainFiles) addFile(names, root, join(below, name));
    else names.add(below);
  }
  for (const below of placesIn(variablesOf, folder, root)) {
    if (!isFolder(join(root, below))) names.add(below);
    else for (const name of readdirSync(join(root, below))) addFile(names, root, join(below, name));
  }
  return [...names].sort().map((name) => ({ name, hash: hashOf(join(root, name)) }));
}

function* placesIn(value: unknown, folder: string, root: string): Generator<string> {
  for (const text of textsIn(value)) {
    const expanded = text.replaceAll(variables, folder);
    // A word may be quoted in part.
    const bare = expanded.replaceAll(/["'\\]/g, '');
    const words = [expanded, ...[expanded, bare].flatMap((line) => [...line.split(separators), ...line.split(/\s+/)])];
    for (const word of new Set(words)) {
      const below = placeBelow(word, folder, root);
      if (below !== undefined && below !== '') yield below;
    }
  }
}

function* textsIn(value: unknown): Generator<string> {
  if (typeof value === 'string') yield value;
  else if (Array.isArray(value)) for (const entry of value) yield* textsIn(entry);
  else if (typeof value === 'object' && value !== null) for (const entry of Object.values(value)) yield* textsIn(entry);
}

/** Where below the folder the word leads; undefined where it names nothing there. */
function placeBelow(word: string, folder: string, root: string): string | undefined {
  if (word === '' || word.includes('\0') || word.length > 4096) return undefined;
  const path = isAbsolute(word) ? word : resolve(folder, word);
  for (const base of [folder, root]) {
    const below = relative(base, path);
    if (below === '..' || below.startsWith('../') || isAbsolute(below)) continue;
    return lstatSync(join(root, below), { throwIfNoEntry: false }) === undefined ? undefined : below;
  }
  return undefined;
}

function addFile(names: Set<string>, root: string, below: string): void {
  const status = lstatSync(join(root, below), { throwIfNoEntry: false });
  if (status !== undefined && !status.isDirectory()) names.add(below);
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}

/** Where a link leads counts with what is there. */
function hashOf(path: string): string {
  const hash = createHash('sha256');
  if (lstatSync(path).isSymbolicLink()) hash.update(`link ${readlinkSync(path)}\0`);
  try {
    if (statSync(path).isFile()) hash.update(readFileSync(path));
  } catch (error) {
    // Nobody knows what it is: it is another one when it can be read.
    hash.update(`unreadable ${error instanceof Error && 'code' in error ? String(error.code) : ''}`);
  }
  return hash.digest('hex');
}
