const breaks = /[\u2028\u2029]/g;

/**
 * A value as one line of JSON. The two characters that JSON leaves as they are and some readers take for the end of a line are
 * written as escapes.
 */
export function jsonLine(value: object): string {
  const text = JSON.stringify(value);
  return `${breaks.test(text) ? text.replace(breaks, (found) => (found === '\u2028' ? '\\u2028' : '\\u2029')) : text}\n`;
}
