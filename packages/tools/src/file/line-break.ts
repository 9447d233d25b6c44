export type LineBreak = '\n' | '\r\n' | '\r';

/** Every line break of a text, in order. */
export function lineBreaksOf(text: string): LineBreak[] {
  return (text.match(/\r\n|\n|\r/g) ?? []).map(toLineBreak);
}

/** The break that most lines end with, the first one used when there are as many of another; undefined without any. */
export function commonLineBreak(text: string): LineBreak | undefined {
  const counts = new Map<LineBreak, number>();
  for (const found of lineBreaksOf(text)) counts.set(found, (counts.get(found) ?? 0) + 1);
  return [...counts].reduce<[LineBreak, number] | undefined>(
    (most, each) => (most === undefined || each[1] > most[1] ? each : most),
    undefined,
  )?.[0];
}

/** The text with every line break as `\n`. */
export function withLineFeeds(text: string): string {
  return text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text;
}

/** The text, whose breaks are all `\n`, with another break. */
export function withLineBreaks(text: string, lineBreak: LineBreak): string {
  return lineBreak === '\n' ? text : text.replaceAll('\n', lineBreak);
}

function toLineBreak(match: string): LineBreak {
  return match === '\r\n' || match === '\r' ? match : '\n';
}
