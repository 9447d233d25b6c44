/** One line without its end, or that one is longer than the bound. */
export type Line = Uint8Array | 'too-long';

/** Takes the next bytes, split anywhere, and gives the lines that are whole with them. */
export type LineReader = (chunk: Uint8Array) => Line[];

const LF = 0x0a;

/**
 * Cuts what comes over a stream of bytes into lines. Only LF ends a line, whatever bytes stand between; a line above the
 * bound is reported once, as soon as it is, and not kept. Lines may be parts of the chunks: to be read before those change.
 */
export function createLineReader(mostBytes: number): LineReader {
  /** The line that is not whole yet, in pieces, so that a long one is put together once. */
  let parts: Uint8Array[] = [];
  let length = 0;
  let isReported = false;

  function keep(part: Uint8Array, lines: Line[]): void {
    length += part.length;
    if (length <= mostBytes) {
      if (part.length > 0) parts.push(part);
      return;
    }
    parts = [];
    if (!isReported) lines.push('too-long');
    isReported = true;
  }

  function finish(lines: Line[]): void {
    if (!isReported) lines.push(joined(parts, length));
    parts = [];
    length = 0;
    isReported = false;
  }

  return (chunk) => {
    const lines: Line[] = [];
    let start = 0;
    for (let end = chunk.indexOf(LF); end >= 0; end = chunk.indexOf(LF, start)) {
      keep(chunk.subarray(start, end), lines);
      finish(lines);
      start = end + 1;
    }
    keep(chunk.subarray(start), lines);
    return lines;
  };
}

function joined(parts: readonly Uint8Array[], length: number): Uint8Array {
  const [first] = parts;
  if (first !== undefined && parts.length === 1) return first;
  const whole = new Uint8Array(length);
  let offset = 0;
  for (const part of parts) {
    whole.set(part, offset);
    offset += part.length;
  }
  return whole;
}
