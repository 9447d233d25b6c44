import { LOG_FORMAT_VERSION } from '@rondo/protocol/values';
import { briefText } from '../event/brief-line.ts';
import { crc32 } from './crc32.ts';

/** Lines above this are no lines of ours: a reader leaves them out. */
export const MAX_LINE_BYTES = 64 * 1024 * 1024;

/** A writer's bound, so that no text, whatever its characters, becomes a line above {@link MAX_LINE_BYTES}. */
const MAX_TEXT_LENGTH = 20 * 1024 * 1024;

const formatName = 'rondo.log';
const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
const LINE_FEED = 10;
const CLOSING_BRACE = 125;
/** Where ordinary batches are put together: how long one gets is known afterwards, and room for the worst is much to clear. */
let scratch: Uint8Array | undefined;
const SCRATCH_BYTES = 256 * 1024;
/** Room for what is spliced in: sum, end mark and line feed. */
const SUFFIX_ROOM = 48;
const suffixPattern = /,"sum":"([0-9a-f]{8})"(?:,"end":([1-9][0-9]{0,8}))?\}$/;

/** A line whose checksum is right. */
export interface LogLine {
  /** The JSON text as it was given to the writer. */
  readonly text: string;
  /** On the last line of a batch: how many lines the batch has. */
  readonly end: number | undefined;
  /** Long strings are left out of the text. */
  readonly isBrief: boolean;
}

export interface LogHeader {
  readonly version: number;
  readonly sessionId: string;
}

/** JSON text of a log's first line. It is the first line of the first batch, so a log has a header as soon as it has an event. */
export function logHeader(sessionId: string): string {
  return JSON.stringify({ format: formatName, version: LOG_FORMAT_VERSION, sessionId });
}

/** What a first line says when it is a header of any version. */
export function readLogHeader(text: string): LogHeader | undefined {
  if (!text.startsWith(`{"format":"${formatName}"`)) return undefined;
  let header: unknown;
  try {
    header = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (typeof header !== 'object' || header === null || !('version' in header) || !('sessionId' in header))
    return undefined;
  const { version, sessionId } = header;
  return typeof version === 'number' && typeof sessionId === 'string' ? { version, sessionId } : undefined;
}

/** @throws TypeError for a text that cannot be a line: not one JSON object without line feeds, or too long. */
export function assertLogText(text: string): void {
  if (!text.endsWith('}')) throw new TypeError('an event of the log is a JSON object: its text ends in "}"');
  if (text.includes('\n')) throw new TypeError('an event of the log is one line: its JSON text has a line feed');
  if (text.length > MAX_TEXT_LENGTH) {
    throw new TypeError(
      `an event of ${text.length} characters is above the ${MAX_TEXT_LENGTH} of a line: keep its content in a blob`,
    );
  }
}

/**
 * The bytes of one batch: each JSON text with a checksum over its bytes spliced in before its closing brace, and on the
 * last line the number of lines. The count makes a batch whole or not, whatever order its sectors reached the disk in.
 */
export function encodeBatch(texts: readonly string[]): Uint8Array {
  let room = 0;
  for (const text of texts) room += text.length * 3 + SUFFIX_ROOM;
  const bytes = room > SCRATCH_BYTES ? new Uint8Array(room) : (scratch ??= new Uint8Array(SCRATCH_BYTES));
  let length = 0;
  texts.forEach((text, index) => {
    length = putLine(bytes, length, text, index === texts.length - 1 ? `,"end":${texts.length}` : '');
  });
  return bytes === scratch ? bytes.slice(0, length) : bytes.subarray(0, length);
}

function putLine(bytes: Uint8Array, start: number, text: string, end: string): number {
  const brace = start + encoder.encodeInto(text, bytes.subarray(start)).written - 1;
  const sum = crc32(bytes, start, brace).toString(16).padStart(8, '0');
  return brace + encoder.encodeInto(`,"sum":"${sum}"${end}}\n`, bytes.subarray(brace)).written;
}

/**
 * The line that these bytes, without their line feed, are; undefined when they are damaged.
 * @param briefly leaves long strings out of results.
 */
export function readLogLine(bytes: Uint8Array, briefly = false): LogLine | undefined {
  if (bytes[bytes.length - 1] !== CLOSING_BRACE) return undefined;
  const suffix = suffixPattern.exec(decoder.decode(bytes.subarray(-SUFFIX_ROOM)));
  if (suffix === null) return undefined;
  const [whole, sum = '', end] = suffix;
  const brace = bytes.length - whole.length;
  if (crc32(bytes, 0, brace) !== Number.parseInt(sum, 16)) return undefined;
  // The closing brace is put back into the bytes for a moment: a string that is put together would be copied once more,
  // and of long lines there are many.
  const after = bytes[brace] ?? 0;
  bytes[brace] = CLOSING_BRACE;
  const json = bytes.subarray(0, brace + 1);
  const brief = briefly ? briefText(json) : undefined;
  const text = brief ?? decoder.decode(json);
  bytes[brace] = after;
  return { text, end: end === undefined ? undefined : Number(end), isBrief: brief !== undefined };
}

/** Where the next line feed is, or -1. */
export function lineEnd(bytes: Uint8Array, from: number): number {
  return bytes.indexOf(LINE_FEED, from);
}
