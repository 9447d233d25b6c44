export type LineBreak = '\n' | '\r\n' | '\r';

/** Every line break of a text, in order. */
export function lineBreaksOf(text: string): LineBreak[] {
  return (text.match(/\r\n|\n|\r/g) ?? []).map(toLineBreak);
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
