import { StringDecoder } from 'node:string_decoder';

export interface EventStreamDecoder {
  /** Takes the next bytes, split anywhere: inside a character, between CR and LF, inside a field name. */
  write(chunk: Buffer): void;
  /** True when bytes of an event came whose blank line did not. */
  unfinished(): boolean;
}

const colon = 0x3a;
const space = 0x20;

/** More than any event of a real reply; a line without an end must not fill the memory. */
const maximumLineCharacters = 64 * 1024 * 1024;

/**
 * Takes as many whole events from the place on as it knows at sight, each to its blank line, and says where it stopped.
 * Called where an event begins, with the lines ending in LF.
 */
export type ReadAhead = (text: string, start: number) => number;

/**
 * Reads `text/event-stream` and hands out each event's data. Event names, IDs, retry hints and comments are passed
 * over: the vendors repeat the name inside the data. Only CR and LF end a line, so U+2028 is data. An event that is cut
 * off before its blank line is never handed out.
 */
export function createEventStreamDecoder(
  onData: (data: string) => void,
  readAhead: ReadAhead = (_text, start) => start,
): EventStreamDecoder {
  const characters = new StringDecoder('utf8');
  /** A character may have begun whose last bytes are still to come. */
  let mayBeCut = false;
  let started = false;
  let endedWithCarriageReturn = false;
  let partialLine = '';
  let data: string | undefined;

  /** Reads the line that stands there. Most are none of ours, so none is cut out before that is known. */
  function readLine(text: string, start: number, end: number): void {
    if (end === start) {
      if (data === undefined) return;
      const whole = data;
      data = undefined;
      onData(whole);
    } else if (text.startsWith('data', start)) {
      const at = start + 'data'.length;
      if (end > at && text.charCodeAt(at) !== colon) return;
      const value = text.slice(text.charCodeAt(at + 1) === space ? at + 2 : at + 1, end);
      data = data === undefined ? value : `${data}\n${value}`;
    }
  }

  /** Makes every line end in LF, also when CR and LF come in different chunks. */
  function withLineFeeds(text: string): string {
    const joined = endedWithCarriageReturn && text.startsWith('\n') ? text.slice(1) : text;
    if (text !== '') endedWithCarriageReturn = text.endsWith('\r');
    return joined.includes('\r') ? joined.replace(/\r\n?/g, '\n') : joined;
  }

  /** A chunk that ends in ASCII ends between two characters, which needs no memory of what was cut off. */
  function textOf(chunk: Buffer): string {
    const endsWhole = (chunk[chunk.length - 1] ?? 0x80) < 0x80;
    if (endsWhole && !mayBeCut) return chunk.toString('utf8');
    mayBeCut = !endsWhole;
    return characters.write(chunk);
  }

  function write(chunk: Buffer): void {
    let text = textOf(chunk);
    if (!started && text !== '') {
      started = true;
      if (text.charCodeAt(0) === 0xfeff) text = text.slice(1);
    }
    if (endedWithCarriageReturn || text.includes('\r')) text = withLineFeeds(text);
    let start = 0;
    for (;;) {
      if (partialLine === '' && data === undefined) start = readAhead(text, start);
      const end = text.indexOf('\n', start);
      if (end === -1) break;
      if (partialLine === '') {
        readLine(text, start, end);
      } else {
        const line = partialLine + text.slice(0, end);
        partialLine = '';
        readLine(line, 0, line.length);
      }
      start = end + 1;
    }
    if (start < text.length) partialLine += start === 0 ? text : text.slice(start);
    if (partialLine.length > maximumLineCharacters) {
      throw new RangeError(`a line of the event stream is longer than ${maximumLineCharacters} characters`);
    }
  }

  return {
    write,
    unfinished() {
      return partialLine !== '' || data !== undefined;
    },
  };
}
