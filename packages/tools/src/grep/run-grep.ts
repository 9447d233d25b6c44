import type { ToolContext, ToolResult } from '@rondo/runtime';
import { locateFile } from '../file/locate-file.ts';
import { type NameBytes, printableName } from '../search/file-names.ts';
import { openSearch, type Search } from '../search/open-search.ts';
import { counted, emptyNotes, incompleteNotes, withNotes } from '../search/search-notes.ts';
import { findMatching } from './find-matching.ts';
import type { GrepInput } from './grep-input.ts';
import { contextOf, matchArgs } from './match-args.ts';
import type { ParsedLine } from './parse-lines.ts';
import { readLines } from './read-lines.ts';

/** What programs get of a search in files. `num…` is about what is given, `total…` about all there is. */
export interface GrepOutput {
  readonly mode: 'content' | 'files_with_matches' | 'count';
  readonly numFiles: number;
  /** Of the page, by path. */
  readonly filenames: readonly string[];
  /** The lines, or the counts. */
  readonly content?: string;
  readonly numLines?: number;
  /** Lines with a match in the files of the page. */
  readonly numMatches?: number;
  /** How many entries are given, where more follow. */
  readonly appliedLimit?: number;
  readonly appliedOffset?: number;
  /** Where a limit or an offset left files out. */
  readonly totalFiles?: number;
}

const defaultLimit = 250;
/** Characters that a model can take at once. An entry has one at least, and its line break. */
const budget = 100_000;
const mostEntries = budget / 2;

interface PageRequest {
  readonly offset: number;
  readonly limit: number;
}

/** Runs one Grep. */
export async function runGrep(input: GrepInput, context: ToolContext): Promise<ToolResult> {
  const { path = '', output_mode: mode = 'files_with_matches', head_limit: most = defaultLimit, offset = 0 } = input;
  const page = { offset, limit: most === 0 ? mostEntries : Math.min(most, mostEntries) };
  using search = await openSearch(await locateFile(path === '' ? '.' : path, context, 'path'), context);
  // Awaited, since the search is closed on return.
  return await (mode === 'content' ? showLines(search, input, page) : showFiles(search, input, mode, page));
}

async function showFiles(
  search: Search,
  input: GrepInput,
  mode: 'files_with_matches' | 'count',
  { offset, limit }: PageRequest,
): Promise<ToolResult> {
  const isCount = mode === 'count';
  const found = await findMatching(search, input, { counts: isCount, most: offset + limit });
  const { totalFiles, totalCount } = found;
  const entries = withinBudget(
    found.files.slice(offset).map((file) => ({ ...file, path: search.pathOf(file.name) })),
    ({ path, count }) => (isCount ? `${printableName(path)}:${count}` : printableName(path)),
  );
  const hasMore = offset + entries.length < totalFiles;
  const lines = entries.map(({ line }) => line);
  const filenames = entries.map(({ item }) => item.path);
  const numMatches = entries.reduce((sum, { item }) => sum + item.count, 0);
  const notes = [
    ...pageNotes('file', { offset, shown: entries.length, total: totalFiles, hasMore }),
    ...(isCount && totalFiles > 0
      ? [`${counted(totalCount, 'matching line')} in ${counted(totalFiles, 'file')}.`]
      : []),
    ...incompleteNotes(search, found.end),
    ...(totalFiles === 0 ? emptyNotes(search) : []),
  ];
  const nothing = isCount ? 'No matches found' : 'No files found';
  const output: GrepOutput = {
    mode,
    numFiles: filenames.length,
    filenames,
    ...(isCount ? { content: lines.join('\n'), numMatches } : {}),
    ...applied(offset, entries.length, hasMore),
    ...(filenames.length < totalFiles ? { totalFiles } : {}),
  };
  return resultOf(lines, totalFiles === 0 ? nothing : undefined, notes, output);
}

async function showLines(search: Search, input: GrepInput, { offset, limit }: PageRequest): Promise<ToolResult> {
  // Every file with a match gives a line at least.
  const found = await findMatching(search, input, { counts: false, most: offset + limit + 1 });
  const hasNumbers = input['-n'] !== false;
  const shown = new Map<NameBytes, string>();
  const shownPath = (name: NameBytes): string => {
    const known = shown.get(name) ?? printableName(search.pathOf(name));
    shown.set(name, known);
    return known;
  };
  const read = await readLines(search, {
    files: found.files.map(({ name }) => name),
    args: [...found.engine, ...matchArgs(input)],
    ...contextOf(input),
    multiline: input.multiline === true,
    offset,
    limit,
    budget,
    format(name: NameBytes, { line, matchStart }: ParsedLine, text: string) {
      const mark = matchStart === undefined ? '-' : ':';
      return `${shownPath(name)}${mark}${hasNumbers ? `${line}${mark}` : ''}${text}`;
    },
  });
  const hasMore = read.hasMore || (found.totalFiles > found.files.length && read.end.ending === 'finished');
  const end = found.end.ending === 'timeout' ? found.end : { ...found.end, ending: read.end.ending };
  const total = hasMore || end.ending === 'timeout' ? undefined : read.seen;
  const notes = [
    ...pageNotes('line', { offset, shown: read.lines.length, total, hasMore }),
    ...binaryNotes(read.binaryFiles.map(shownPath)),
    ...incompleteNotes(search, end),
    ...(found.totalFiles === 0 ? emptyNotes(search) : []),
  ];
  const output: GrepOutput = {
    mode: 'content',
    numFiles: read.files.length,
    filenames: read.files.map((name) => search.pathOf(name)),
    content: read.lines.join('\n'),
    numLines: read.lines.length,
    ...applied(offset, read.lines.length, hasMore),
    ...(read.files.length < found.totalFiles ? { totalFiles: found.totalFiles } : {}),
  };
  const isEmpty = read.lines.length === 0 && offset === 0 && read.binaryFiles.length === 0;
  return resultOf(read.lines, isEmpty ? 'No matches found' : undefined, notes, output);
}

/** What the entries of a page are. */
type EntryNoun = 'file' | 'line';

interface PageFacts {
  readonly offset: number;
  readonly shown: number;
  /** Undefined where nobody counted. */
  readonly total: number | undefined;
  readonly hasMore: boolean;
}

function pageNotes(noun: EntryNoun, { offset, shown, total, hasMore }: PageFacts): string[] {
  const range = `${noun === 'file' ? 'Files' : 'Lines'} ${offset + 1} to ${offset + shown}${total === undefined ? '' : ` of ${total}`}`;
  if (hasMore) return [`${range}; more follow: go on with offset: ${offset + shown}.`];
  if (offset === 0) return [];
  if (shown > 0) return [`${range}, the last.`];
  return total === undefined ? [] : [`offset ${offset} is past the end, which comes after ${counted(total, noun)}.`];
}

function binaryNotes(paths: readonly string[]): string[] {
  if (paths.length === 0) return [];
  return [
    `Binary, so that matches from there on are not shown: ${paths.slice(0, 5).join(', ')}${paths.length > 5 ? ' …' : ''}.`,
  ];
}

function applied(offset: number, shown: number, hasMore: boolean): Pick<GrepOutput, 'appliedLimit' | 'appliedOffset'> {
  return { ...(hasMore ? { appliedLimit: shown } : {}), ...(offset > 0 ? { appliedOffset: offset } : {}) };
}

/** As many as fit, one at least. */
function withinBudget<Item>(
  items: readonly Item[],
  lineOf: (item: Item) => string,
): { readonly item: Item; readonly line: string }[] {
  const entries: { readonly item: Item; readonly line: string }[] = [];
  let characters = 0;
  for (const item of items) {
    const line = lineOf(item);
    if (entries.length > 0 && characters + line.length > budget) break;
    characters += line.length + 1;
    entries.push({ item, line });
  }
  return entries;
}

function resultOf(
  lines: readonly string[],
  nothing: string | undefined,
  notes: readonly string[],
  output: GrepOutput,
): ToolResult {
  const text = nothing ?? lines.join('\n');
  return {
    content: text === '' ? `[${notes.join(' ')}]` : withNotes(text, notes),
    structured: { ...output, filenames: [...output.filenames] },
  };
}
