const space = /[ \t\r\n]*/y;
const scalar =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: JSON allows none of them inside a string
  /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;
const key = new RegExp(scalar.source.slice(0, scalar.source.indexOf('|-?')), 'y');

export interface JsonFaultOptions {
  /** A comma behind the last entry is none. */
  readonly trailingCommas?: boolean;
}

/** Where text stops being JSON, also as `line:column`, and what should stand there; the end of text that is JSON. */
export function jsonFault(
  text: string,
  { trailingCommas = false }: JsonFaultOptions = {},
): { readonly place: string; readonly expected: string; readonly at: number } {
  const { at, expected } = faultAt(text, trailingCommas);
  const lines = text.slice(0, at).split('\n');
  return { place: `${lines.length}:${(lines.at(-1) ?? '').length + 1}`, expected, at };
}

interface Fault {
  readonly at: number;
  readonly expected: string;
}

function faultAt(text: string, lenient: boolean): Fault {
  const end = readValue(text, skip(text, 0, space), lenient);
  return typeof end === 'number' ? { at: skip(text, end, space), expected: 'the end of the file' } : end;
}

/** Where the value ends, or its fault. */
function readValue(text: string, at: number, lenient: boolean): number | Fault {
  const opening = text[at];
  if (opening === '{' || opening === '[') return readMembers(text, at, opening, lenient);
  const end = skip(text, at, scalar);
  return end > at ? end : { at, expected: 'a value' };
}

function readMembers(text: string, start: number, opening: '{' | '[', lenient: boolean): number | Fault {
  const closing = opening === '{' ? '}' : ']';
  let at = skip(text, start + 1, space);
  if (text[at] === closing) return at + 1;
  for (;;) {
    if (opening === '{') {
      const afterKey = skip(text, at, key);
      if (afterKey === at) return { at, expected: 'a key in double quotes' };
      at = skip(text, afterKey, space);
      if (text[at] !== ':') return { at, expected: 'a colon' };
      at = skip(text, at + 1, space);
    }
    const end = readValue(text, at, lenient);
    if (typeof end !== 'number') return end;
    at = skip(text, end, space);
    if (text[at] === closing) return at + 1;
    if (text[at] !== ',') return { at, expected: `a comma or ${closing}` };
    at = skip(text, at + 1, space);
    if (lenient && text[at] === closing) return at + 1;
  }
}

function skip(text: string, at: number, pattern: RegExp): number {
  pattern.lastIndex = at;
  return at + (pattern.exec(text)?.[0].length ?? 0);
}
