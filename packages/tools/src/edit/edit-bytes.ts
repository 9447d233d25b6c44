import { ToolError } from '@rondo/runtime';
import { detectTextFormat, encodeText, encodingName, textIn, type TextFormat } from '../file/text-encoding.ts';
import { describeMismatch } from './describe-mismatch.ts';
import { findMatches, withoutOverlaps, type TextSpan } from './find-matches.ts';
import { replacementsFor } from './replacement.ts';

/** Bytes of a file that were replaced. */
export interface ByteChange {
  /** Place in the file before any change. */
  readonly at: number;
  readonly removed: Buffer;
  readonly added: Buffer;
}

export interface EditedBytes {
  readonly bytes: Buffer;
  readonly changes: readonly ByteChange[];
  readonly before: string;
  readonly after: string;
  /** The line of each replacement, from 1. */
  readonly lines: readonly number[];
}

export interface TextEdit {
  readonly oldString: string;
  readonly newString: string;
  readonly replaceAll: boolean;
}

/**
 * Applies an edit to a file's bytes; those outside the matches come out as they went in, since they are never decoded
 * and encoded again.
 * @throws ToolError when the text is not there, is there more than once, or cannot be written in the file's encoding.
 */
export function editBytes(path: string, bytes: Buffer, edit: TextEdit): EditedBytes {
  const format = detectTextFormat(bytes);
  if (format === undefined)
    throw new ToolError(`${path} is binary (${bytes.length} bytes); Edit changes text files only.`);
  const before = textIn(bytes, format);
  const matches = findMatches(before, edit.oldString);
  if (matches.spans.length === 0)
    throw new ToolError(`old_string was not found in ${path}. ${describeMismatch(before, edit.oldString)}`);
  if (matches.spans.length > 1 && !edit.replaceAll) throw notUnique(path, before, matches.spans);

  const replacements = replacementsFor(before, matches, edit.newString);
  const { measure, encode } = encoderOf(path, format);
  const changes: ByteChange[] = [];
  const pieces: Buffer[] = [];
  let copied = 0;
  let character = 0;
  let byte = format.markBytes;
  for (const { start, end, text } of replacements) {
    const at = byte + measure(before.slice(character, start));
    const until = at + measure(before.slice(start, end));
    const added = encode(text);
    changes.push({ at, removed: bytes.subarray(at, until), added });
    pieces.push(bytes.subarray(copied, at), added);
    [copied, byte, character] = [until, until, end];
  }
  const edited = Buffer.concat([...pieces, bytes.subarray(copied)]);
  return {
    bytes: edited,
    changes,
    before,
    after: textIn(edited, format),
    lines: linesOf(before, withoutOverlaps(matches.spans)),
  };
}

/** The bytes before an edit, from those after it. */
export function revertChanges(bytes: Buffer, changes: readonly ByteChange[]): Buffer {
  const pieces: Buffer[] = [];
  let shift = 0;
  let copied = 0;
  for (const { at, removed, added } of changes) {
    pieces.push(bytes.subarray(copied, at + shift), removed);
    copied = at + shift + added.length;
    shift += added.length - removed.length;
  }
  return Buffer.concat([...pieces, bytes.subarray(copied)]);
}

function encoderOf(path: string, format: TextFormat) {
  const encode = (text: string): Buffer => {
    const encoded = encodeText(text, format.encoding);
    if ('bytes' in encoded) return encoded.bytes;
    const { missing } = encoded;
    const code = missing.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0');
    throw new ToolError(
      `new_string has ${JSON.stringify(missing)} (U+${code}), which the encoding of ${path}, ${encodingName(format)}, does not have. Use another character, or replace the file with Write, which makes it UTF-8.`,
    );
  };
  const width = format.encoding === 'windows-1252' ? 1 : 2;
  const measure = (text: string) => (format.encoding === 'utf-8' ? Buffer.byteLength(text) : text.length * width);
  return { encode, measure };
}

const mostLinesNamed = 10;

function notUnique(path: string, text: string, spans: readonly TextSpan[]): ToolError {
  const lines = linesOf(text, spans.slice(0, mostLinesNamed)).join(', ');
  const more = spans.length > mostLinesNamed ? ', …' : '';
  return new ToolError(
    `old_string occurs ${spans.length} times in ${path} (lines ${lines}${more}) and must occur once. Take in more of the text around the place that is meant, or set replace_all to change every one.`,
  );
}

function linesOf(text: string, spans: readonly TextSpan[]): number[] {
  let line = 1;
  let at = 0;
  return spans.map(({ start }) => {
    line += text.slice(at, start).match(/\r\n|\n|\r/g)?.length ?? 0;
    at = start;
    return line;
  });
}
