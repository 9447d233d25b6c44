/** One part of a glob: it matches within a name, but for the slash between names. */
export type GlobPart =
  | { readonly kind: 'text'; readonly text: string }
  /** `?`: one character. */
  | { readonly kind: 'one' }
  /** `*`: any characters. */
  | { readonly kind: 'many' }
  /** `[…]`: one of these characters, as the inside of a regular expression's class. */
  | { readonly kind: 'class'; readonly source: string }
  | { readonly kind: 'slash' };

/** A glob that cannot be read; the message says what is wrong and where. */
export class GlobError extends Error {}

/** Braces multiply: `{a,b}{c,d}` is four. */
const mostAlternatives = 1000;

/**
 * Reads a glob: `*` and `?` within a name, `**` over names, `[a-z]` and `[!a-z]`, `{one,two}`, and `\` before a character
 * that is meant as it stands. Braces are multiplied out: one list of parts for each way through them.
 * @throws GlobError
 */
export function parseGlob(glob: string): readonly (readonly GlobPart[])[] {
  const characters = Array.from(glob);
  const { ways, end } = parseWays(characters, 0, false);
  if (end < characters.length) throw new GlobError(`it cannot be read from its character ${end + 1} on`);
  return ways;
}

type Way = readonly GlobPart[];

/** Reads until the end, or inside braces until the comma or brace that ends this alternative. */
function parseWays(characters: readonly string[], start: number, inBraces: boolean): { ways: Way[]; end: number } {
  let ways: Way[] = [[]];
  const add = (part: GlobPart): void => {
    ways = ways.map((way) => [...way, part]);
  };
  let at = start;
  while (at < characters.length) {
    const character = characters[at] ?? '';
    if (inBraces && (character === ',' || character === '}')) break;
    if (character === '{') {
      const group = parseBraces(characters, at);
      if (ways.length * group.ways.length > mostAlternatives) {
        throw new GlobError(`its braces stand for more than ${mostAlternatives} patterns`);
      }
      ways = ways.flatMap((way) => group.ways.map((inner) => [...way, ...inner]));
      at = group.end;
    } else if (character === '[') {
      const { source, end } = parseClass(characters, at);
      add({ kind: 'class', source });
      at = end;
    } else if (character === '\\') {
      if (at + 1 === characters.length) throw new GlobError('there is nothing after its last \\');
      add({ kind: 'text', text: characters[at + 1] ?? '' });
      at += 2;
    } else {
      if (character === '*') add({ kind: 'many' });
      else if (character === '?') add({ kind: 'one' });
      else if (character === '/') add({ kind: 'slash' });
      else add({ kind: 'text', text: character });
      at += 1;
    }
  }
  return { ways, end: at };
}

function parseBraces(characters: readonly string[], open: number): { ways: Way[]; end: number } {
  const ways: Way[] = [];
  let at = open;
  do {
    const alternative = parseWays(characters, at + 1, true);
    ways.push(...alternative.ways);
    at = alternative.end;
  } while (characters[at] === ',');
  if (characters[at] !== '}') {
    throw new GlobError(`the { at its character ${open + 1} is not closed; write \\{ for the character itself`);
  }
  return { ways, end: at + 1 };
}

function parseClass(characters: readonly string[], open: number): { source: string; end: number } {
  let at = open + 1;
  const isNegated = characters[at] === '!' || characters[at] === '^';
  if (isNegated) at += 1;
  let source = '';
  // A bracket right at the beginning is one of the characters.
  const first = at;
  for (; at < characters.length && (at === first || characters[at] !== ']'); at += 1) {
    const from = characters[at] ?? '';
    const to = characters[at + 2];
    if (characters[at + 1] === '-' && to !== undefined && to !== ']') {
      if ((from.codePointAt(0) ?? 0) > (to.codePointAt(0) ?? 0)) {
        throw new GlobError(`the range ${from}-${to} at its character ${at + 1} runs backwards`);
      }
      source += `${escapeInClass(from)}-${escapeInClass(to)}`;
      at += 2;
    } else source += escapeInClass(from);
  }
  if (at === characters.length) {
    throw new GlobError(`the [ at its character ${open + 1} is not closed; write \\[ for the character itself`);
  }
  return { source: `${isNegated ? '^' : ''}${source}`, end: at + 1 };
}

function escapeInClass(character: string): string {
  return /[\\\]^-]/.test(character) ? `\\${character}` : character;
}
