export interface Bracket {
  readonly test: (character: string) => boolean;
  /** Where its `]` stands. */
  readonly end: number;
}

const classes: Readonly<Record<string, RegExp>> = {
  alnum: /[a-z0-9]/i,
  alpha: /[a-z]/i,
  blank: /[ \t]/,
  cntrl: /[\u0000-\u001f\u007f]/,
  digit: /\d/,
  graph: /[!-~]/,
  lower: /[a-z]/,
  print: /[ -~]/,
  punct: /[!-/:-@[-`{-~]/,
  space: /[ \t\n\v\f\r]/,
  upper: /[A-Z]/,
  xdigit: /[0-9a-f]/i,
};

/** Reads `[a-z]`, `[!a]` and `[[:digit:]]` as git does, from its `[` on. Undefined where it never ends: then nothing matches. */
export function readBracket(pattern: string, start: number): Bracket | undefined {
  const isNegated = /[!^]/.test(pattern.charAt(start + 1));
  const tests: ((character: string) => boolean)[] = [];
  // What a `-` may make a range of.
  let from: string | undefined;
  for (let index = start + (isNegated ? 2 : 1), isFirst = true; index < pattern.length; index += 1, isFirst = false) {
    const character = pattern.charAt(index);
    if (character === ']' && !isFirst) {
      return { end: index, test: (other) => tests.some((test) => test(other)) !== isNegated };
    }
    const named = character === '[' ? /^\[:([^\]]*):\]/.exec(pattern.slice(index, index + 16)) : null;
    if (named !== null) {
      const known = classes[named[1] ?? ''];
      if (known === undefined) return undefined;
      tests.push((other) => known.test(other));
      from = undefined;
      index += named[0].length - 1;
      continue;
    }
    const next = pattern.charAt(index + 1);
    if (character === '-' && from !== undefined && next !== '' && next !== ']') {
      index += next === '\\' ? 2 : 1;
      const [low, high] = [from, pattern.charAt(index)];
      tests.push((other) => low <= other && other <= high);
      from = undefined;
      continue;
    }
    if (character === '\\') index += 1;
    const literal = pattern.charAt(index);
    tests.push((other) => other === literal);
    from = literal;
  }
  return undefined;
}
