import { decodeText, isUtf8 } from '../file/text-encoding.ts';

/** Bytes up to which ripgrep gives a line whole; of a longer one it gives the beginning. */
export const wholeLineBytes = 2000;
/** Bytes that a result gives of a line. */
const shownBytes = 500;
/** Of these, what stands before the match. */
const leadBytes = 150;

export interface FoundLine {
  /** Without its line break. Of a long line the beginning. */
  readonly bytes: Buffer;
  /** Of the line's first match, in bytes, from 0; undefined for a line that only stands beside one. */
  readonly matchStart: number | undefined;
  /** Gives a part of the line from a byte of it on, where `bytes` lacks it. */
  readonly readPart: (start: number, length: number) => Buffer | undefined;
}

/** The line as results give it: a long one is cut around its match, and says so. */
export function shortenLine({ bytes, matchStart = 0, readPart }: FoundLine): string {
  const isWhole = bytes.length <= wholeLineBytes;
  if (isWhole && bytes.length <= shownBytes) return decodeLine(bytes);
  const start = matchStart <= shownBytes - leadBytes ? 0 : matchStart - leadBytes;
  const isHere = isWhole || start + shownBytes <= wholeLineBytes;
  // One byte more, which tells whether the line goes on.
  const read = isHere ? undefined : readPart(start, shownBytes + 1);
  const from = isHere || read !== undefined ? start : 0;
  const rest = read ?? bytes.subarray(from);
  const part = rest.subarray(0, shownBytes);
  const text = decodeLine(wholeCharacters(part, from > 0));
  const before = from > 0 ? `[… from byte ${from + 1} of the line] ` : '';
  const isEnd = rest.length <= shownBytes;
  return `${before}${text}${isEnd ? '' : ' [… the line goes on]'}`;
}

function decodeLine(bytes: Buffer): string {
  const line = bytes.at(-1) === 0x0d ? bytes.subarray(0, -1) : bytes;
  return decodeText(line, isUtf8(line, true) ? 'utf-8' : 'windows-1252');
}

/** Without the parts of UTF-8 characters that a cut left at its ends. */
function wholeCharacters(bytes: Buffer, isCutBefore: boolean): Buffer {
  let start = 0;
  while (isCutBefore && start < 3 && ((bytes[start] ?? 0) & 0xc0) === 0x80) start += 1;
  let end = bytes.length;
  while (end > bytes.length - 3 && ((bytes[end - 1] ?? 0) & 0xc0) === 0x80) end -= 1;
  const lead = bytes[end - 1] ?? 0;
  const length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc0 ? 2 : 1;
  return bytes.subarray(start, end - 1 + length <= bytes.length ? bytes.length : end - 1);
}
