import { findNodeAtLocation, parseTree, type JSONPath } from 'jsonc-parser';

const blank = /(?:[ \t\r\n]|\/\/[^\n]*|\/\*[\s\S]*?\*\/)*/y;
const restOfLine = /[ \t]*(?:\/\/[^\r\n]*)?/y;

/**
 * The text with one more entry at the end of a list that has some. What stands beside the last one, such as a remark, stays
 * beside it.
 */
export function appendEntry(text: string, path: JSONPath, entry: string): string {
  const { list, entries } = listAt(text, path);
  const last = entries.at(-1);
  if (last === undefined) throw new RangeError('there is no entry to append to');
  const end = last.offset + last.length;
  const close = list.offset + list.length - 1;
  const comma = commaAfter(text, end);
  const written = JSON.stringify(entry);
  const lineBreak = text.slice(end, close).lastIndexOf('\n');
  if (lineBreak < 0)
    return spliced(
      text,
      comma === undefined ? end : comma,
      comma === undefined ? 0 : 1,
      `, ${written}${comma === undefined ? '' : ','}`,
    );
  const isCrlf = text[end + lineBreak - 1] === '\r';
  const at = end + lineBreak - (isCrlf ? 1 : 0);
  const line = `${isCrlf ? '\r\n' : '\n'}${indentAt(text, last.offset)}${written}${comma === undefined ? '' : ','}`;
  const longer = spliced(text, at, 0, line);
  return comma === undefined ? spliced(longer, end, 0, ',') : longer;
}

/** The text without one entry of a list, and without the remark that stands behind it on its line. */
export function removeEntry(text: string, path: JSONPath, index: number): string {
  const { entries } = listAt(text, path);
  const entry = entries[index];
  if (entry === undefined) throw new RangeError('there is no such entry');
  const end = entry.offset + entry.length;
  const comma = commaAfter(text, end);
  const before = index === 0 ? undefined : entries[index - 1];
  const commaBefore = before === undefined ? undefined : commaAfter(text, before.offset + before.length);
  let shorter = withoutLine(text, entry.offset, comma === undefined ? end : comma + 1);
  // The comma of the one before has nothing to part any more.
  if (comma === undefined && commaBefore !== undefined) shorter = spliced(shorter, commaBefore, 1, '');
  return shorter;
}

function listAt(text: string, path: JSONPath) {
  const root = parseTree(text, [], { allowTrailingComma: true });
  const list = root === undefined ? undefined : findNodeAtLocation(root, path);
  if (list?.type !== 'array') throw new RangeError('there is no list');
  return { list, entries: list.children ?? [] };
}

function commaAfter(text: string, end: number): number | undefined {
  blank.lastIndex = end;
  const at = end + (blank.exec(text)?.[0].length ?? 0);
  return text[at] === ',' ? at : undefined;
}

/** Takes the piece out, and its line with it when nothing else but a remark is on it. */
function withoutLine(text: string, from: number, to: number): string {
  const start = text.lastIndexOf('\n', from - 1) + 1;
  restOfLine.lastIndex = to;
  const end = to + (restOfLine.exec(text)?.[0].length ?? 0);
  const lineEnd = text.startsWith('\r\n', end) ? end + 2 : text[end] === '\n' ? end + 1 : undefined;
  if (text.slice(start, from).trim() === '' && lineEnd !== undefined) return text.slice(0, start) + text.slice(lineEnd);
  const rest = text.slice(to).replace(/^ /, '');
  const before = text.slice(0, from);
  return (rest.startsWith(']') ? before.trimEnd() : before) + rest;
}

function indentAt(text: string, offset: number): string {
  const line = text.slice(text.lastIndexOf('\n', offset - 1) + 1, offset);
  return /^[ \t]*/.exec(line)?.[0] ?? '';
}

function spliced(text: string, at: number, length: number, put: string): string {
  return text.slice(0, at) + put + text.slice(at + length);
}
