import fs from 'node:fs';
import type { NameBytes } from '../search/file-names.ts';
import type { Search } from '../search/open-search.ts';
import type { RipgrepEnd } from '../search/run-ripgrep.ts';
import { type OpenedFile, openMatched, readLinePart } from './open-matched.ts';
import { createLineParser, type ParsedLine } from './parse-lines.ts';
import { shortenLine, wholeLineBytes } from './shorten-line.ts';

export interface LinesRequest {
  /** Those with a match, in order. */
  readonly files: readonly NameBytes[];
  /** What matches, for ripgrep. */
  readonly args: readonly string[];
  readonly before: number;
  readonly after: number;
  /** Matches may go over several lines. */
  readonly multiline: boolean;
  /** Lines to leave out first. */
  readonly offset: number;
  readonly limit: number;
  /** Most characters of lines. */
  readonly budget: number;
  readonly format: (name: NameBytes, line: ParsedLine, text: string) => string;
}

export interface Lines {
  /** As results give them. `--` stands where lines of a file are left out between matches. */
  readonly lines: readonly string[];
  /** Those that the lines are of. */
  readonly files: readonly NameBytes[];
  /** Lines follow. */
  readonly hasMore: boolean;
  /** Lines there are up to the end of these, those left out at first too. */
  readonly seen: number;
  readonly binaryFiles: readonly NameBytes[];
  readonly end: RipgrepEnd;
}

/** Files opened for one run of ripgrep. */
const mostAtOnce = 250;
const finished: RipgrepEnd = { ending: 'finished', failures: [], failureCount: 0 };

/** Reads one page of the lines that match, in order, and no further than it needs. */
export async function readLines(search: Search, request: LinesRequest): Promise<Lines> {
  const { offset, limit } = request;
  const page = createPage(request);
  let end = finished;
  for (let from = 0; from < request.files.length && !page.isOver() && end.ending === 'finished'; ) {
    const count = Math.min(mostAtOnce, offset + limit + 1 - page.seen());
    const names = request.files.slice(from, from + count);
    from += names.length;
    const opened = search.file === undefined ? openAll(search, names) : [search.file];
    try {
      if (opened.length > 0) end = joinEnds(end, await readOpened(search, request, opened, page));
    } finally {
      if (search.file === undefined) for (const { descriptor } of opened) fs.closeSync(descriptor);
    }
  }
  return page.result(end);
}

function openAll(search: Search, names: readonly NameBytes[]): OpenedFile[] {
  return names.flatMap((name) => openMatched(search.folder.target, name) ?? []);
}

async function readOpened(
  search: Search,
  { before, after, args }: LinesRequest,
  opened: readonly OpenedFile[],
  page: Page,
): Promise<RipgrepEnd> {
  const parse = createLineParser({
    onLine: (line) => {
      const file = opened[line.file];
      return file === undefined ? 'more' : page.add(file, line);
    },
    onBinary: (index) => {
      const file = opened[index];
      if (file !== undefined) page.addBinary(file.name);
    },
  });
  const form = [
    '--line-number',
    '--column',
    '--byte-offset',
    '--no-heading',
    '--no-context-separator',
    `--max-columns=${wholeLineBytes}`,
    '--max-columns-preview',
    `--before-context=${before}`,
    `--after-context=${after}`,
  ];
  return search.read(
    opened.map(({ descriptor }) => descriptor),
    [...form, ...args],
    parse,
  );
}

interface Page {
  add(file: OpenedFile, line: ParsedLine): 'more' | 'enough';
  addBinary(name: NameBytes): void;
  isOver(): boolean;
  seen(): number;
  result(end: RipgrepEnd): Lines;
}

function createPage({ before, after, multiline, offset, limit, budget, format }: LinesRequest): Page {
  const lines: string[] = [];
  const files = new Set<NameBytes>();
  const binaryFiles = new Set<NameBytes>();
  const hasContext = before + after > 0;
  let seen = 0;
  let characters = 0;
  let hasMore = false;
  let last: { readonly name: NameBytes; readonly line: number; readonly matchStart: number | undefined } | undefined;

  /** False when the page is full before this line. */
  const addLine = (text: () => string, name?: NameBytes): boolean => {
    if (seen < offset) {
      seen += 1;
      return true;
    }
    const line = lines.length < limit ? text() : undefined;
    if (line === undefined || (lines.length > 0 && characters + line.length > budget)) {
      hasMore = true;
      return false;
    }
    seen += 1;
    characters += line.length + 1;
    lines.push(line);
    if (name !== undefined) files.add(name);
    return true;
  };

  return {
    add({ name, descriptor }, line) {
      const isNext = last?.name === name && line.line === last.line + 1;
      if (hasContext && last !== undefined && !isNext && !addLine(() => '--')) return 'enough';
      // ripgrep gives each line of a match the column in which its first one begins.
      const goesOn = multiline && isNext && line.matchStart === last?.matchStart;
      last = { name, line: line.line, matchStart: line.matchStart };
      const { bytes, byte } = line;
      const matchStart = goesOn ? 0 : line.matchStart;
      const readPart = (start: number, length: number): Buffer | undefined =>
        readLinePart(descriptor, byte + start, length);
      const text = (): string => format(name, line, shortenLine({ bytes, matchStart, readPart }));
      return addLine(text, name) ? 'more' : 'enough';
    },
    addBinary: (name) => binaryFiles.add(name),
    isOver: () => hasMore,
    seen: () => seen,
    result: (end) => ({ lines, files: [...files], hasMore, seen, binaryFiles: [...binaryFiles], end }),
  };
}

/** What went wrong with a file was said when it was found to match, where it was not read in vain. */
function joinEnds(first: RipgrepEnd, second: RipgrepEnd): RipgrepEnd {
  return { ...first, ending: second.ending };
}
