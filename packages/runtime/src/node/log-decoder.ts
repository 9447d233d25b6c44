import { LOG_FORMAT_VERSION, RondoError } from '@rondo/protocol/values';
import type { AnyEvent } from '@rondo/protocol';
import { markBrief } from '../event/brief-line.ts';
import { lineEnd, type LogLine, MAX_LINE_BYTES, readLogHeader, readLogLine } from './log-line.ts';

/** A place just behind a whole batch. */
export interface LogPosition {
  /** Bytes from the start of the log. */
  readonly offset: number;
  /** The last event before it, 0 at the start. */
  readonly seq: number;
}

export const logStart: LogPosition = { offset: 0, seq: 0 };

export interface DecodedBatch {
  readonly events: readonly AnyEvent[];
  /** Where the batch ends. */
  readonly position: LogPosition;
  /** Lines that could not be read and were left out, since the batch before. */
  readonly damagedLines: number;
}

export interface LogDecoder {
  /** Takes the log's next bytes and returns the batches that they complete. */
  push(bytes: Uint8Array): readonly DecodedBatch[];
}

export interface LogDecoderOptions {
  readonly sessionId: string;
  readonly from: LogPosition;
  /** The event of a line's JSON text, undefined when it is none. */
  readonly decode: (text: string) => AnyEvent | undefined;
  /** From this offset on, results come without their long texts: see `isBrief`. Absent: all events come whole. */
  readonly briefFrom?: number | undefined;
  readonly maxLineBytes?: number;
}

/**
 * Reads a log from bytes in pieces of any size. What is damaged is left out and counted, what is whole is kept: lines
 * of a damaged batch come with the next whole one, because only bit rot can stand before a batch that was committed
 * later. A batch at the end that is not whole never comes.
 * @throws RondoError from `push`: `log.unsupported` for a newer format, `log.damaged` for another session's log.
 */
export function createLogDecoder({
  sessionId,
  from,
  decode,
  briefFrom = Number.POSITIVE_INFINITY,
  maxLineBytes = MAX_LINE_BYTES,
}: LogDecoderOptions): LogDecoder {
  let offset = from.offset;
  let seq = from.seq;
  // One place for the beginnings of all lines, used again: a place each is garbage that a long log makes faster than it
  // is collected.
  let carried = new Uint8Array(0);
  let carriedBytes = 0;
  let events: AnyEvent[] = [];
  /** Since the last end mark. */
  let wholeLines = 0;
  /** Since the last whole batch. */
  let damagedLines = 0;

  const eventOf = ({ text, isBrief }: LogLine, bytes: Uint8Array): AnyEvent | undefined => {
    const event = decode(text);
    if (!isBrief) return event;
    if (event?.type !== 'tool.completed' || event.remembered !== undefined) {
      const whole = readLogLine(bytes);
      return whole && decode(whole.text);
    }
    markBrief(event);
    return event;
  };

  const takeText = (line: LogLine, bytes: Uint8Array): boolean => {
    if (isHeader(line.text, sessionId)) return true;
    const event = eventOf(line, bytes);
    // A repeated or earlier number is a copied line: the first one counts.
    if (event === undefined || event.seq <= seq) return false;
    seq = event.seq;
    events.push(event);
    return true;
  };

  const takeLine = (bytes: Uint8Array | undefined, length: number): DecodedBatch | undefined => {
    const line = bytes === undefined ? undefined : readLogLine(bytes, offset >= briefFrom);
    const whole = bytes !== undefined && line !== undefined && takeText(line, bytes);
    if (whole) wholeLines += 1;
    else damagedLines += 1;
    offset += length + 1;
    if (line?.end === undefined) return undefined;
    // More whole lines than the batch has are those of a damaged batch before it.
    const complete = wholeLines >= line.end;
    // A line that is gone without a trace is damage too.
    if (wholeLines !== line.end && damagedLines === 0) damagedLines = 1;
    wholeLines = 0;
    if (!complete) return undefined;
    const batch = { events, position: { offset, seq }, damagedLines };
    events = [];
    damagedLines = 0;
    return batch;
  };

  /** The line that ends so; it holds until more is carried. */
  const joined = (last: Uint8Array): Uint8Array | undefined => {
    if (carriedBytes + last.length > maxLineBytes) return undefined;
    if (carriedBytes === 0) return last;
    makeRoom(carriedBytes + last.length);
    carried.set(last, carriedBytes);
    return carried.subarray(0, carriedBytes + last.length);
  };

  const carry = (rest: Uint8Array): void => {
    const length = carriedBytes + rest.length;
    // Beyond the bound the line is lost whatever follows: its bytes need not be kept.
    if (length <= maxLineBytes) {
      makeRoom(length);
      carried.set(rest, carriedBytes);
    } else carried = new Uint8Array(0);
    carriedBytes = length;
  };

  const makeRoom = (length: number): void => {
    if (length <= carried.length) return;
    const wider = new Uint8Array(Math.min(maxLineBytes, Math.max(length, carried.length * 2)));
    wider.set(carried.subarray(0, Math.min(carriedBytes, carried.length)));
    carried = wider;
  };

  return {
    push(bytes) {
      const batches: DecodedBatch[] = [];
      let start = 0;
      for (let end = lineEnd(bytes, 0); end !== -1; end = lineEnd(bytes, start)) {
        const last = bytes.subarray(start, end);
        const batch = takeLine(joined(last), carriedBytes + last.length);
        if (batch !== undefined) batches.push(batch);
        carriedBytes = 0;
        start = end + 1;
      }
      if (start < bytes.length) carry(bytes.subarray(start));
      return batches;
    },
  };
}

function isHeader(text: string, sessionId: string): boolean {
  const header = readLogHeader(text);
  if (header === undefined) return false;
  if (header.version > LOG_FORMAT_VERSION) {
    throw new RondoError(
      'log.unsupported',
      `The log of session ${sessionId} has format ${header.version}; this version reads up to ${LOG_FORMAT_VERSION}. Open it with the newer version that wrote it.`,
      { details: { sessionId, version: header.version, supported: LOG_FORMAT_VERSION } },
    );
  }
  if (header.sessionId !== sessionId) {
    throw new RondoError(
      'log.damaged',
      `The log in the place of session ${sessionId} belongs to session ${header.sessionId}: move its folder back to that name.`,
      { details: { sessionId, belongsTo: header.sessionId } },
    );
  }
  return true;
}
