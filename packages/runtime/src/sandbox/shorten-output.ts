/** Stands, on a line of its own, where a shortened output lost its middle. */
export const outputGap = '[… the middle of the output is left out here …]';

/** What a shortened output keeps of its beginning and of its end, so that shortening again cuts at the same place. */
export function outputShares(limit: number): { readonly head: number; readonly tail: number } {
  const head = Math.floor(limit / 2);
  return { head, tail: limit - head };
}

/** The output itself when it has at most `limit` characters, else its head and tail around `outputGap`. */
export function shortenOutput(output: string, limit: number): string {
  if (output.length <= limit) return output;
  const { head, tail } = outputShares(limit);
  return joinOutput(headOfOutput(output, head), tailOfOutput(output, tail));
}

/** A head and a tail with the gap between them. */
export function joinOutput(head: string, tail: string): string {
  return `${head}${head === '' || head.endsWith('\n') ? '' : '\n'}${outputGap}\n${tail}`;
}

/** At most `limit` characters from the start: whole lines, unless that would lose more than half of them. */
export function headOfOutput(output: string, limit: number): string {
  if (output.length <= limit) return output;
  const line = output.lastIndexOf('\n', limit - 1) + 1;
  if (line > limit / 2) return output.slice(0, line);
  return output.slice(0, isSurrogatePair(output, limit) ? limit - 1 : limit);
}

/** At most `limit` characters from the end: whole lines, unless that would lose more than half of them. */
export function tailOfOutput(output: string, limit: number): string {
  if (output.length <= limit) return output;
  const start = output.length - limit;
  const line = output.indexOf('\n', start - 1) + 1;
  if (line > 0 && line - start < limit / 2) return output.slice(line);
  return output.slice(isSurrogatePair(output, start) ? start + 1 : start);
}

/** True when cutting before `index` would part the two halves of one character. */
function isSurrogatePair(text: string, index: number): boolean {
  return (text.charCodeAt(index - 1) & 0xfc00) === 0xd800 && (text.charCodeAt(index) & 0xfc00) === 0xdc00;
}
