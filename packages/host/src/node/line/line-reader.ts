/** One line without its end, or that one was longer than the bound. */
export type Line = { readonly bytes: Buffer } | 'too-long';

const LF = 0x0a;

/**
 * Cuts what comes into lines. Only LF ends a line, whatever bytes stand between; a line above the bound is reported once
 * and not kept.
 */
export function createLineReader(most: number): { push(chunk: Buffer): Line[] } {
  let parts: Buffer[] = [];
  let bytes = 0;

  function finish(last: Buffer): Line {
    const length = bytes + last.length;
    const line: Line =
      length > most ? 'too-long' : { bytes: parts.length === 0 ? last : Buffer.concat([...parts, last]) };
    parts = [];
    bytes = 0;
    return line;
  }

  return {
    push(chunk) {
      const lines: Line[] = [];
      let start = 0;
      for (let end = chunk.indexOf(LF); end >= 0; end = chunk.indexOf(LF, start)) {
        lines.push(finish(chunk.subarray(start, end)));
        start = end + 1;
      }
      const rest = chunk.subarray(start);
      bytes += rest.length;
      if (bytes > most) parts = [];
      else if (rest.length > 0) parts.push(rest);
      return lines;
    },
  };
}
