import { StringDecoder } from 'node:string_decoder';

export interface EventStreamDecoder {
  /** Takes the next bytes, split anywhere: inside a character, between CR and LF, inside a field name. */
  write(chunk: Buffer): void;
  /** True when bytes of an event came whose blank line did not. */
  readonly unfinished: boolean;
}

/** More than any event of a real reply; a line without an end must not fill the memory. */
const maximumLineCharacters = 64 * 1024 * 1024;

/**
 * Reads `text/event-stream` and hands out each event's data. Event names, IDs, retry hints and comments are passed
 * over: the vendors repeat the name inside the data. Only CR and LF end a line, so U+2028 is data. An event that is cut
 * off before its blank line is never handed out.
 */
export function createEventStreamDecoder(onData: (data: string) => void): EventStreamDecoder {
  const characters = new StringDecoder('utf8');
  let started = false;
  let endedWithCarriageReturn = false;
  let partialLine = '';
  let data: string | undefined;

  function readLine(line: string): void {
    if (line === '') {
      if (data === undefined) return;
      const whole = data;
      data = undefined;
      onData(whole);
    } else if (line.startsWith('data:')) {
      const value = line.slice(line.charCodeAt(5) === 0x20 ? 6 : 5);
      data = data === undefined ? value : `${data}\n${value}`;
    } else if (line === 'data') {
      data = data === undefined ? '' : `${data}\n`;
    }
  }

  /** Makes every line end in LF, also when CR and LF come in different chunks. */
  function withLineFeeds(text: string): string {
    const joined = endedWithCarriageReturn && text.startsWith('\n') ? text.slice(1) : text;
    if (text !== '') endedWithCarriageReturn = text.endsWith('\r');
    return joined.includes('\r') ? joined.replace(/\r\n?/g, '\n') : joined;
  }

  function write(chunk: Buffer): void {
    let text = characters.write(chunk);
    if (!started && text !== '') {
      started = true;
      if (text.charCodeAt(0) === 0xfeff) text = text.slice(1);
    }
    if (endedWithCarriageReturn || text.includes('\r')) text = withLineFeeds(text);
    let start = 0;
    for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', start)) {
      const line = partialLine === '' ? text.slice(start, end) : partialLine + text.slice(0, end);
      partialLine = '';
      start = end + 1;
      readLine(line);
    }
    if (start < text.length) partialLine += start === 0 ? text : text.slice(start);
    if (partialLine.length > maximumLineCharacters) {
      throw new RangeError(`a line of the event stream is longer than ${maximumLineCharacters} characters`);
    }
  }

  return {
    write,
    get unfinished() {
      return partialLine !== '' || data !== undefined;
    },
  };
}
