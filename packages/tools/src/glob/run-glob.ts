import fs from 'node:fs';
import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { ToolError, type ToolContext, type ToolResult } from '@rondo/runtime';
import { absentFileError, isMissing, locateFile, specialFileName } from '../file/locate-file.ts';
import { type NameBytes, nameText, orderKey, pathBelow, printableName } from '../search/file-names.ts';
import { compareKeys, createFirstInOrder } from '../search/first-in-order.ts';
import { createNameReader } from '../search/name-reader.ts';
import { openSearch } from '../search/open-search.ts';
import { globArgs, readGlob } from '../search/read-glob.ts';
import { emptyNotes, incompleteNotes, withNotes } from '../search/search-notes.ts';
import type { GlobInput } from './glob-input.ts';
import { splitPattern } from './split-pattern.ts';

/** What programs get of a search for files. */
export interface GlobOutput {
  readonly durationMs: number;
  /** Of `filenames`. */
  readonly numFiles: number;
  /** Newest first; of the same age, by path. */
  readonly filenames: readonly string[];
  readonly truncated: boolean;
  /** How many there are, where not all are given. */
  readonly totalFiles?: number;
}

const mostFiles = 100;

/** Runs one Glob. */
export async function runGlob(input: GlobInput, context: ToolContext): Promise<ToolResult> {
  const started = performance.now();
  const found = await findFiles(input, context);
  const { paths, total } = found;
  const notes = [...found.notes];
  if (total > paths.length) {
    notes.unshift(`The ${paths.length} newest of ${total} files. Narrow pattern or path to see others.`);
  }
  const output: GlobOutput = {
    durationMs: Math.round(performance.now() - started),
    numFiles: paths.length,
    filenames: paths,
    truncated: total > paths.length,
    ...(total > paths.length ? { totalFiles: total } : {}),
  };
  const text = paths.length === 0 ? 'No files found' : paths.map(printableName).join('\n');
  return { content: withNotes(text, notes), structured: { ...output, filenames: [...paths] } };
}

interface FoundFiles {
  readonly paths: readonly string[];
  readonly total: number;
  readonly notes: readonly string[];
}

interface DatedFile {
  readonly name: NameBytes;
  readonly modifiedMs: number;
}

/**
 * Of two cores one asks for the files' times while the other lists them: a second thread that lists would cost more than
 * it brings.
 */
const listing = ['--files', ...(availableParallelism() > 2 ? [] : ['--threads=1'])];

async function findFiles(input: GlobInput, context: ToolContext): Promise<FoundFiles> {
  const { folder, pattern } = splitPattern(input);
  const glob = readGlob('pattern', pattern);
  const root = await locateFile(folder, context, 'path');
  if (root.stats?.isDirectory() !== true) {
    await requireFolder(input.path, context);
    return { paths: [], total: 0, notes: [] };
  }
  using search = await openSearch(root, context);
  const newest = createFirstInOrder<DatedFile>(mostFiles, newestFirst);
  let total = 0;
  const readNames = createNameReader((name) => {
    if (!glob.matches(nameText(name)) || !search.isShown(name)) return;
    const modifiedMs = modifiedAt(search.folder.target, name);
    if (modifiedMs === undefined) return;
    total += 1;
    newest.add({ name, modifiedMs });
  });
  const end = await search.walk([...listing, ...globArgs(glob)], (chunk) => {
    readNames(chunk);
    return 'more';
  });
  if (end.refusal !== undefined) throw new ToolError(`The files could not be listed: ${end.refusal}`);
  const paths = newest.items().map(({ name }) => search.pathOf(name));
  const notes = [...incompleteNotes(search, end), ...(total === 0 ? emptyNotes(search) : [])];
  return { paths, total, notes };
}

function newestFirst(left: DatedFile, right: DatedFile): number {
  return right.modifiedMs - left.modifiedMs || compareKeys(orderKey(left.name), orderKey(right.name));
}

/** Undefined when the file is gone by now. One that cannot be asked, in a folder that may be listed only, is old. */
function modifiedAt(folder: string, name: NameBytes): number | undefined {
  try {
    return fs.lstatSync(pathBelow(folder === '/' ? '' : folder, name), { throwIfNoEntry: false })?.mtimeMs;
  } catch (error) {
    return isMissing(error) ? undefined : 0;
  }
}

/** A folder that the pattern begins with may be missing, one that the call names as path may not. */
async function requireFolder(path: string | undefined, context: ToolContext): Promise<void> {
  if (path === undefined || path === '') return;
  const folder = resolve(context.cwd, path);
  const stats = fs.statSync(folder, { throwIfNoEntry: false });
  if (stats === undefined) throw await absentFileError(folder, context);
  if (stats.isDirectory()) return;
  throw new ToolError(
    `${folder} is ${specialFileName(stats) ?? 'a file'}, and Glob looks in folders. Search in a file with Grep.`,
  );
}
