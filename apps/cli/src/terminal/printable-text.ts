/**
 * Characters that a terminal obeys instead of showing: C0 and C1 controls but tab and newline, DEL, and those that
 * reorder or hide what follows (bidirectional controls, zero-width characters at the start of tricks).
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the ones to find
const obeyed = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g;

/**
 * Text of a model, a tool or a file made safe to print: it can neither move the cursor, nor recolour, nor retitle, nor
 * overwrite what a person is about to allow. What was hidden is shown by a visible sign.
 */
export function printableText(text: string): string {
  return text.replace(/\r\n?/g, '\n').replace(obeyed, visible);
}

/** The same on one line, cut to a width, for lists and progress. */
export function printableLine(text: string, width: number): string {
  return cutLine(printableText(text).replace(/\s+/g, ' ').trim(), width);
}

/** A line cut to a width, the cut marked. */
export function cutLine(line: string, width: number): string {
  return line.length <= width ? line : `${sliceWhole(line, width - 1)}…`;
}

function visible(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x20) return String.fromCodePoint(0x2400 + code);
  if (code === 0x7f) return '\u2421';
  return `<U+${code.toString(16).toUpperCase().padStart(4, '0')}>`;
}

/** Never ends in half a surrogate pair. */
function sliceWhole(text: string, length: number): string {
  const cut = text.slice(0, length);
  return /[\ud800-\udbff]$/.test(cut) ? cut.slice(0, -1) : cut;
}
