/** One event of a `text/event-stream`. Its ID is passed over: the data says it too. */
export interface StreamedEvent {
  /** `message` where the stream does not name it. */
  readonly name: string;
  readonly data: string;
}

/** Takes the next bytes, split anywhere, and gives the events that are whole with them. */
export type EventStreamReader = (chunk: Uint8Array<ArrayBuffer>) => StreamedEvent[];

/** Only CR and LF end a line, so U+2028 is data. An event that is cut off before its blank line is none. */
export function createEventStreamReader(): EventStreamReader {
  // Also takes a byte order mark off.
  const decoder = new TextDecoder();
  /** The line that is not whole yet, in pieces. */
  let partial: string[] = [];
  let endedWithReturn = false;
  let name = '';
  let data: string[] = [];

  function readLine(line: string, events: StreamedEvent[]): void {
    if (line === '') {
      if (data.length > 0) events.push({ name: name || 'message', data: data.join('\n') });
      name = '';
      data = [];
      return;
    }
    const colon = line.indexOf(':');
    const field = colon === -1 ? line : line.slice(0, colon);
    const value = colon === -1 ? '' : line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1);
    if (field === 'data') data.push(value);
    else if (field === 'event') name = value;
  }

  return (chunk) => {
    const events: StreamedEvent[] = [];
    let text = decoder.decode(chunk, { stream: true });
    if (text === '') return events;
    if (endedWithReturn && text.startsWith('\n')) text = text.slice(1);
    endedWithReturn = text.endsWith('\r');
    const lines = text.split(/\r\n|\r|\n/);
    const rest = lines.pop() ?? '';
    for (const line of lines) {
      readLine(partial.length === 0 ? line : partial.join('') + line, events);
      partial = [];
    }
    if (rest !== '') partial.push(rest);
    return events;
  };
}
