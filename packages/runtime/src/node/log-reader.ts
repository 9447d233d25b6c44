import type { AnyEvent } from '@rondo/protocol';
import { createLogDecoder, logStart, type DecodedBatch, type LogPosition } from './log-decoder.ts';
import { lineEnd, readLogLine } from './log-line.ts';
import type { Replay } from '../event/event-store.ts';
import { foldBatch, type LogState } from '../event/log-state.ts';
import type { OpenFile } from './file-system.ts';

const CHUNK_BYTES = 256 * 1024;

export type DecodeEvent = (text: string) => AnyEvent | undefined;

export interface LogRange {
  readonly sessionId: string;
  readonly from: LogPosition;
  /** Bytes from here on are not looked at. */
  readonly limit: number;
  /** From this offset on, results come without their long texts. */
  readonly briefFrom?: number | undefined;
}

/** Loads the schemas, once: only who reads a log needs them. */
export async function loadEventDecoder(): Promise<DecodeEvent> {
  const { decodeEvent } = await import('../event/decode-event.ts');
  return decodeEvent;
}

/** The whole batches of a range of the file, in bounded memory: a chunk, and the batch that it ends in. */
export async function* readBatches(file: OpenFile, range: LogRange): AsyncGenerator<readonly DecodedBatch[], void> {
  const next = await openBatches(file, range);
  for (let batches = await next(); batches !== undefined; batches = await next()) if (batches.length > 0) yield batches;
}

/** Gives the batches that each chunk completes, one chunk a call, and undefined behind the last. */
async function openBatches(
  file: OpenFile,
  { sessionId, from, limit, briefFrom }: LogRange,
): Promise<() => Promise<readonly DecodedBatch[] | undefined>> {
  const decoder = createLogDecoder({ sessionId, from, decode: await loadEventDecoder(), briefFrom });
  const chunk = new Uint8Array(Math.max(0, Math.min(CHUNK_BYTES, limit - from.offset)));
  let { offset } = from;
  return async () => {
    if (offset >= limit) return undefined;
    const count = await file.read(chunk.subarray(0, Math.min(chunk.length, limit - offset)), offset);
    if (count === 0) return undefined;
    offset += count;
    return decoder.push(chunk.subarray(0, count));
  };
}

/** So much of a log is told whole; what a list and a conversation show of it at once is mostly in there. */
const TOLD_WHOLE_BYTES = 2 * 1024 * 1024;

/** Continues a state to the end of what is whole, and tells the replay each event on the way. */
export async function foldLog(
  file: OpenFile,
  sessionId: string,
  from: LogState,
  limit: number,
  replay?: Pick<Replay, 'apply' | 'takesBrief'>,
): Promise<LogState> {
  const takesBrief = replay === undefined || replay.takesBrief === true;
  const toldWhole = replay === undefined ? 0 : TOLD_WHOLE_BYTES;
  const briefFrom = takesBrief ? from.offset + toldWhole : undefined;
  let state = from;
  // No generator: the list of its requests, once it is old, keeps every batch alive until a full collection, and a long
  // log is read faster than those come.
  const next = await openBatches(file, { sessionId, from, limit, briefFrom });
  for (let batches = await next(); batches !== undefined; batches = await next()) {
    for (const { events, position, damagedLines } of batches) {
      state = foldBatch(sessionId, state, { events, offset: position.offset, damagedLines });
      if (replay !== undefined) for (const event of events) replay.apply(event);
    }
  }
  return state;
}

/**
 * A place behind a whole batch from which every event after `seq` follows, found by bisection: a reader that continues
 * near the end of a large log reads a few chunks of it, and needs no index.
 */
export async function findPosition(file: OpenFile, seq: number, limit: number): Promise<LogPosition> {
  if (seq === 0) return logStart;
  let low = logStart;
  let high = limit;
  while (high - low.offset > CHUNK_BYTES) {
    const middle = low.offset + Math.floor((high - low.offset) / 2);
    const found = await findBatchEnd(file, middle, high);
    if (found === undefined || found.seq > seq) high = middle;
    else low = found;
  }
  return low;
}

/** The end of the first batch that ends behind the first line that starts behind `from`, within a chunk. */
async function findBatchEnd(file: OpenFile, from: number, limit: number): Promise<LogPosition | undefined> {
  const chunk = new Uint8Array(Math.min(CHUNK_BYTES, limit - from));
  const bytes = chunk.subarray(0, await file.read(chunk, from));
  let start = lineEnd(bytes, 0) + 1;
  if (start === 0) return undefined;
  for (let end = lineEnd(bytes, start); end !== -1; end = lineEnd(bytes, start)) {
    const line = readLogLine(bytes.subarray(start, end));
    start = end + 1;
    if (line?.end === undefined) continue;
    const seq = (await loadEventDecoder())(line.text)?.seq;
    if (seq !== undefined) return { offset: from + start, seq };
  }
  return undefined;
}
