import type { ToolResult } from '@rondo/runtime';
import { encodingName, textIn, type TextFormat } from '../file/text-encoding.ts';
import type { ByteSource } from './byte-source.ts';
import type { PositionCache } from './position-cache.ts';
import { readPage, type Page } from './read-page.ts';
import type { TextLayout, TextPosition } from './text-position.ts';

/** A file up to this size is read whole unless the call asks for less. */
export const wholeFileBytes = 256 * 1024;
/** Of a larger one, what a model can take at once. */
export const pageBytes = 100_000;

export interface TextFile {
  readonly path: string;
  readonly size: number;
  readonly format: TextFormat;
  /** The first part of it. */
  readonly bytes: Buffer;
  readonly source: ByteSource;
  readonly cache: PositionCache;
}

export interface TextRange {
  readonly offset?: number;
  readonly limit?: number;
  readonly character_offset?: number;
}

/** One page of a text as the model reads it: numbered lines, and at the end where to read on. */
export async function readTextPage(file: TextFile, range: TextRange, signal: AbortSignal): Promise<ToolResult> {
  const layout: TextLayout = { format: file.format, lineEnd: lineEndOf(file) };
  const request = {
    line: Math.max(1, range.offset ?? 1),
    character: range.character_offset ?? 0,
    limit: range.limit ?? Infinity,
    pageBytes: file.size <= wholeFileBytes ? wholeFileBytes : pageBytes,
  };
  const page = await readPage(file.source, layout, request, file.cache, signal);
  const { start, lines, totalLines } = page;
  const numbered = lines.map((line, index) => `${start.line + index}\t${line}`).join('\n');
  const notes = [...rangeNotes(page), ...formatNotes(file.format)];
  return {
    content: notes.length === 0 ? numbered : `${numbered}\n\n[${notes.join(' ')}]`,
    structured: {
      type: 'text',
      file: {
        filePath: file.path,
        content: lines.join('\n'),
        numLines: lines.length,
        startLine: start.line,
        totalLines,
        ...(page.totalIsExact ? {} : { totalLinesIsMinimum: true }),
        ...(start.character === 0 ? {} : { startCharacter: start.character }),
        ...(page.next === undefined ? {} : { next: nextRange(page.next) }),
      },
    },
  };
}

function rangeNotes({ start, lines, next, totalLines, totalIsExact }: Page): string[] {
  const notes: string[] = [];
  if (start.character > 0) notes.push(`Line ${start.line} is shown from its character ${start.character} on.`);
  if (next === undefined) return notes;
  const { offset, character_offset } = nextRange(next);
  const last = start.line + lines.length - 1;
  notes.push(`Lines ${start.line} to ${last} of ${totalIsExact ? '' : 'at least '}${totalLines}.`);
  if (character_offset === undefined) notes.push(`Read on with offset: ${offset}.`);
  else notes.push(`Line ${last} goes on: read on with offset: ${offset}, character_offset: ${character_offset}.`);
  return notes;
}

function formatNotes(format: TextFormat): string[] {
  return format.encoding === 'utf-8' ? [] : [`The file is ${encodingName(format)}; Edit and Write keep it so.`];
}

function nextRange({ line, character }: TextPosition): { readonly offset: number; readonly character_offset?: number } {
  return character === 0 ? { offset: line } : { offset: line, character_offset: character };
}

/** Lines end with `\r` only where the first part of the text has no `\n`, as files of old Macs do. */
function lineEndOf({ bytes, format }: TextFile): TextLayout['lineEnd'] {
  const sample = textIn(bytes.subarray(0, 65_536), format);
  return sample.includes('\r') && !sample.includes('\n') ? '\r' : '\n';
}
