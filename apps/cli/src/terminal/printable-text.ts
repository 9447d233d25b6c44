/**
 * Characters that a terminal obeys instead of showing, C0 and C1 controls but tab and newline, and DEL; those that
 * reorder what follows; and those that show nothing, so that two commands that look alike are alike. The joiners, which
 * emoji and scripts are made with, stay.
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the ones to find
const obeyed =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u115f\u1160\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu;

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
