import { ToolError } from '@rondo/runtime';
import { decodeText, isUtf8 } from '../file/text-encoding.ts';
import type { ByteSource } from './byte-source.ts';
import type { PositionCache } from './position-cache.ts';
import {
  advanceToCharacter,
  advanceToLine,
  countCharacters,
  unitOf,
  type TextLayout,
  type TextPosition,
} from './text-position.ts';

export interface PageRequest {
  /** First line, from 1. */
  readonly line: number;
  /** Characters of that line to leave out. */
  readonly character: number;
  /** Most lines. */
  readonly limit: number;
  /** Most bytes of text. */
  readonly pageBytes: number;
}

export interface Page {
  readonly start: TextPosition;
  /** Without their line breaks. The last one may be a part of its line. */
  readonly lines: readonly string[];
  /** Where the next page begins; undefined when this one reached the end. */
  readonly next: TextPosition | undefined;
  /** An empty line after a last line break counts. */
  readonly totalLines: number;
  /** False when the file is too long to count: it has at least so many. */
  readonly totalIsExact: boolean;
}

/** Counting the lines of what comes after a page stops here, and goes on with the next page. */
const mostCountedBytes = 64 * 1024 * 1024;

/**
 * Reads one page of a text, without holding more of it than that. Pages join without gap or overlap when each one begins
 * where the one before said.
 * @throws ToolError when the text ends before the page begins.
 */
export async function readPage(
  source: ByteSource,
  layout: TextLayout,
  request: PageRequest,
  cache: PositionCache,
  signal: AbortSignal,
): Promise<Page> {
  const start = await findStart(source, layout, request, cache, signal);
  const bytes = Buffer.from(await source.read(start.byte, request.pageBytes + 1));
  const reachesEnd = bytes.length <= request.pageBytes;
  const { length, end } = cutPage(bytes, layout, start, request, reachesEnd);
  const text = decodePage(bytes.subarray(0, length), layout);
  const isLast = reachesEnd && length === bytes.length;
  if (!isLast) cache.add(end);
  const next = isLast ? undefined : end;
  const lines = splitLines(text, layout, isLast);
  const total = await countLines(source, layout, next, start.line + lines.length - 1, cache, signal);
  // Where the limit fell on the last line break, the empty line after it is counted but not shown.
  return { start, lines: lines.slice(0, request.limit), next, ...total };
}

async function findStart(
  source: ByteSource,
  layout: TextLayout,
  { line, character }: PageRequest,
  cache: PositionCache,
  signal: AbortSignal,
): Promise<TextPosition> {
  const first = { line: 1, character: 0, byte: layout.format.markBytes };
  const options = { signal, onPosition: (position: TextPosition) => cache.add(position) };
  const known = cache.before(line, character) ?? first;
  const atLine = await advanceToLine(source, layout, known, line, options);
  if (atLine.atEnd) {
    throw new ToolError(`offset ${line} is past the end: the file has ${atLine.position.line} lines.`);
  }
  const found = await advanceToCharacter(source, layout, atLine.position, character, options);
  if (found.atEnd) {
    throw new ToolError(
      `character_offset ${character} is past the end of line ${line}, which has ${found.position.character} characters.`,
    );
  }
  return found.position;
}

/** How many of the bytes make the page, and the place after them. */
function cutPage(
  bytes: Buffer,
  layout: TextLayout,
  start: TextPosition,
  { limit, pageBytes }: PageRequest,
  reachesEnd: boolean,
): { readonly length: number; readonly end: TextPosition } {
  const { width, offset } = unitOf(layout);
  const lineEnd = layout.lineEnd.charCodeAt(0);
  let lines = 0;
  let length = 0;
  const usable = Math.min(bytes.length, pageBytes);
  let at = bytes.indexOf(lineEnd);
  for (; at !== -1 && at < usable && lines < limit; at = bytes.indexOf(lineEnd, at + 1)) {
    if (width === 2 && (at % 2 !== offset || bytes[at ^ 1] !== 0)) continue;
    lines += 1;
    length = at - offset + width;
  }
  if (lines < limit && reachesEnd) length = bytes.length;
  else if (lines === 0) {
    // One line longer than a page: cut between two characters.
    const part = countCharacters(bytes.subarray(0, usable), layout, Infinity);
    const character = start.character + part.characters;
    return { length: part.bytes, end: { line: start.line, character, byte: start.byte + part.bytes } };
  }
  return { length, end: { line: start.line + lines, character: 0, byte: start.byte + length } };
}

function decodePage(bytes: Buffer, { format }: TextLayout): string {
  // A large file is judged by its first part; a byte that is no UTF-8 may come later.
  const encoding = format.encoding === 'utf-8' && !isUtf8(bytes, true) ? 'windows-1252' : format.encoding;
  return decodeText(bytes, encoding);
}

function splitLines(text: string, { lineEnd }: TextLayout, isLast: boolean): string[] {
  const lines = text.split(lineEnd);
  if (!isLast && text.endsWith(lineEnd)) lines.pop();
  return lineEnd === '\n' ? lines.map((line) => (line.endsWith('\r') ? line.slice(0, -1) : line)) : lines;
}

async function countLines(
  source: ByteSource,
  layout: TextLayout,
  next: TextPosition | undefined,
  lastLine: number,
  cache: PositionCache,
  signal: AbortSignal,
): Promise<Pick<Page, 'totalLines' | 'totalIsExact'>> {
  if (next === undefined) cache.totalLines = lastLine;
  if (cache.totalLines !== undefined) return { totalLines: cache.totalLines, totalIsExact: true };
  const from = cache.farthest() ?? next ?? { line: 1, character: 0, byte: layout.format.markBytes };
  const options = { signal, mostBytes: mostCountedBytes, onPosition: (position: TextPosition) => cache.add(position) };
  const { position, atEnd } = await advanceToLine(source, layout, from, Infinity, options);
  if (atEnd) cache.totalLines = position.line;
  return { totalLines: Math.max(position.line, lastLine), totalIsExact: atEnd };
}
