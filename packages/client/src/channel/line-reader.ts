/** Takes the next bytes, split anywhere, and gives the lines that are whole with them. */
export type LineReader = (chunk: Uint8Array<ArrayBuffer>) => string[];

/** More than any frame; a line without an end must not fill the memory. */
export const MOST_LINE_CHARACTERS = 256 * 1024 * 1024;

/** Only LF ends a line: U+2028 and CR are data. Empty lines are none. @throws RangeError for a line without an end. */
export function createLineReader(mostCharacters: number = MOST_LINE_CHARACTERS): LineReader {
  const decoder = new TextDecoder();
  /** The line that is not whole yet, in pieces, so that a long one is put together once. */
  let partial: string[] = [];
  let partialLength = 0;

  return (chunk) => {
    const lines = decoder.decode(chunk, { stream: true }).split('\n');
    const rest = lines.pop() ?? '';
    const first = lines[0];
    if (first !== undefined && partial.length > 0) {
      lines[0] = partial.join('') + first;
      partial = [];
      partialLength = 0;
    }
    if (rest !== '') {
      partial.push(rest);
      partialLength += rest.length;
      if (partialLength > mostCharacters) throw new RangeError(`a line is longer than ${mostCharacters} characters`);
    }
    return lines.filter((line) => line !== '');
  };
}
