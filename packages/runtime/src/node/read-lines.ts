import type { AnyEvent } from '@rondo/protocol';
import { lineEnd, MAX_LINE_BYTES, readLogHeader, readLogLine } from './log-line.ts';
import type { OpenFile } from './file-system.ts';
import { loadEventDecoder } from './log-reader.ts';

const CHUNK_BYTES = 256 * 1024;

/** One line of a log, whatever became of the batch that it was written in. */
export interface ReadLine {
  /** Where it stands in the file. */
  readonly from: number;
  readonly to: number;
  /** Absent where the line is damaged, or a header. */
  readonly event?: AnyEvent;
  readonly isHeader?: true;
}

/**
 * Every line of a log by itself, in bounded memory: what can still be read of one that is damaged. The last one is
 * damaged where it has no end.
 */
export async function* readLines(file: OpenFile): AsyncGenerator<ReadLine, void> {
  const decode = await loadEventDecoder();
  const chunk = new Uint8Array(CHUNK_BYTES);
  let rest: Uint8Array = new Uint8Array(0);
  /** Of a line that is longer than any line of ours. */
  let dropped = 0;
  let from = 0;
  const lineOf = (bytes: Uint8Array): ReadLine => {
    const place = { from, to: from + dropped + bytes.length };
    const line = dropped > 0 ? undefined : readLogLine(bytes);
    if (line === undefined) return place;
    if (readLogHeader(line.text) !== undefined) return { ...place, isHeader: true };
    const event = decode(line.text);
    return event === undefined ? place : { ...place, event };
  };
  for (let offset = 0; ; ) {
    const count = await file.read(chunk, offset);
    if (count === 0) break;
    offset += count;
    const bytes = joined(rest, chunk.subarray(0, count));
    let start = 0;
    for (let end = lineEnd(bytes, 0); end !== -1; end = lineEnd(bytes, start)) {
      const line = lineOf(bytes.subarray(start, end));
      yield line;
      from = line.to + 1;
      dropped = 0;
      start = end + 1;
    }
    rest = bytes.slice(start);
    if (rest.length <= MAX_LINE_BYTES) continue;
    dropped += rest.length;
    rest = new Uint8Array(0);
  }
  if (rest.length + dropped > 0) yield { from, to: from + dropped + rest.length };
}

function joined(one: Uint8Array, other: Uint8Array): Uint8Array {
  if (one.length === 0) return other;
  const bytes = new Uint8Array(one.length + other.length);
  bytes.set(one);
  bytes.set(other, one.length);
  return bytes;
}
