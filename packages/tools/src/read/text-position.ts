import type { TextFormat } from '../file/text-encoding.ts';
import type { ByteSource } from './byte-source.ts';

/** A place in a text. Lines count from 1, characters (UTF-16 units) within the line from 0. */
export interface TextPosition {
  readonly line: number;
  readonly character: number;
  readonly byte: number;
}

/** How the text is cut into lines and characters. */
export interface TextLayout {
  readonly format: TextFormat;
  /** `\r` only for a text that has no `\n`. */
  readonly lineEnd: '\n' | '\r';
}

export interface Advance {
  readonly position: TextPosition;
  /** True when the text ended before the place that was looked for. */
  readonly atEnd: boolean;
}

export interface AdvanceOptions {
  readonly signal: AbortSignal;
  /** Give up after so many bytes. */
  readonly mostBytes?: number;
  /** Hears of places passed on the way, so that a later search can start there. */
  readonly onPosition?: (position: TextPosition) => void;
}

const chunkBytes = 1024 * 1024;

/** Reads on from a place to the start of a line, or to the end. */
export async function advanceToLine(
  source: ByteSource,
  layout: TextLayout,
  from: TextPosition,
  line: number,
  options: AdvanceOptions,
): Promise<Advance> {
  const { width, offset } = unitOf(layout);
  const end = layout.lineEnd.charCodeAt(0);
  let position = from;
  let byte = from.byte;
  const last = from.byte + (options.mostBytes ?? Infinity);
  while (position.line < line && byte < last) {
    options.signal.throwIfAborted();
    const chunk = await source.read(byte, chunkBytes);
    let lines = 0;
    let lineStart = 0;
    for (let at = offset; at < chunk.length; at += width) {
      if (chunk[at] !== end || (width === 2 && chunk[at ^ 1] !== 0)) continue;
      lines += 1;
      lineStart = at - offset + width;
      if (position.line + lines === line) break;
    }
    if (lines > 0) {
      position = { line: position.line + lines, character: 0, byte: byte + lineStart };
      options.onPosition?.(position);
    }
    byte += chunk.length;
    if (chunk.length < chunkBytes && position.line < line) return { position: { ...position, byte }, atEnd: true };
  }
  return { position, atEnd: false };
}

/** Reads on from a place in a line to a character of the same line, or to the line's end. */
export async function advanceToCharacter(
  source: ByteSource,
  layout: TextLayout,
  from: TextPosition,
  character: number,
  options: AdvanceOptions,
): Promise<Advance> {
  let position = from;
  while (position.character < character) {
    options.signal.throwIfAborted();
    const chunk = await source.read(position.byte, chunkBytes);
    const step = countCharacters(chunk, layout, character - position.character);
    position = {
      line: position.line,
      character: position.character + step.characters,
      byte: position.byte + step.bytes,
    };
    options.onPosition?.(position);
    if (step.ended || chunk.length < chunkBytes) return { position, atEnd: position.character < character };
  }
  return { position, atEnd: false };
}

/**
 * Counts whole characters up to a line's end, at most `most` UTF-16 units. A character of two units that begins below
 * the bound is counted whole. One that is cut off at the end of the bytes is left for the next chunk.
 */
export function countCharacters(
  chunk: Buffer,
  layout: TextLayout,
  most: number,
): { readonly characters: number; readonly bytes: number; readonly ended: boolean } {
  const { width, offset } = unitOf(layout);
  const end = layout.lineEnd.charCodeAt(0);
  const isUtf8 = layout.format.encoding === 'utf-8';
  let characters = 0;
  let at = 0;
  while (at + width <= chunk.length && characters < most) {
    const value = chunk[at + offset] ?? 0;
    if (value === end && (width === 1 || chunk[at + (offset ^ 1)] === 0)) return { characters, bytes: at, ended: true };
    if (!isUtf8 || value < 0x80) {
      at += width;
      characters += 1;
      continue;
    }
    let next = at + 1;
    while (next < chunk.length && ((chunk[next] ?? 0) & 0xc0) === 0x80) next += 1;
    if (next === chunk.length && at > 0 && chunk.length - at < 4) break;
    characters += value >= 0xf0 ? 2 : 1;
    at = next;
  }
  return { characters, bytes: at, ended: false };
}

/** How many bytes a unit has, and which of them holds the value of an ASCII character. */
export function unitOf({ format }: TextLayout): { readonly width: 1 | 2; readonly offset: 0 | 1 } {
  if (format.encoding === 'utf-16le') return { width: 2, offset: 0 };
  if (format.encoding === 'utf-16be') return { width: 2, offset: 1 };
  return { width: 1, offset: 0 };
}
