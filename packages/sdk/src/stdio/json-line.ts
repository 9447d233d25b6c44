import { isRecord } from '../is-record.ts';

export type Frame = Readonly<Record<string, unknown>>;

/**
 * One frame as a line. Separators that JSON allows inside of strings, and that some readers take for the end of a line, are
 * written as escapes.
 */
export function encodeLine(frame: object): string {
  const text = JSON.stringify(frame);
  return `${text.replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029')}\n`;
}

const decoder = new TextDecoder();

/** The object that a line holds, or its text where it holds none. */
export function decodeLine(line: Uint8Array): Frame | string {
  const text = decoder.decode(line);
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : text;
  } catch {
    return text;
  }
}
