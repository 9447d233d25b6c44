import type { Choices } from './choices.ts';

// Not `time`: behind `|` bash runs a program of that name, mvdan-sh reads the keyword.
const names = `ls cat git rm ./x /bin/y f 'q_q' "d" e\\f g"h"i env sudo xargs echo test [ :`.split(' ');
const plainWords = [
  ...`a -x --y=z $V "$V" \${V:-w} *.ts {a,b} ~ $((1+2)) $'n\\n' "" #no a#b ! = A=1 -c -- ] {} \\; + 1 in do`.split(' '),
  "'s s'",
  '"d d"',
  'a\\ b',
];
const plainRedirects = ['2>&1', '>&2', '<&-'];
const redirectSigns = ['>', '>>', '<', '2>', '&>', '<<<', '>|', '<>'];

type Make = (choices: Choices, depth: number) => string;

/** A line that the grammar of bash has, of any of its constructs in one another, so many deep. */
export function grammarLine(choices: Choices, depth = 3): string {
  return list(choices, depth) + choices.pick(['', '', ' # note $(rm x)', ';', ' &', '\n']);
}

/** The line with a character left out, or with one put in that means something to the shell. */
export function spoiltLine(choices: Choices, depth = 3): string {
  const text = grammarLine(choices, depth);
  const put = choices.pick(['', '"', "'", '`', '$(', ')', '\\', ';', '\n', '|', '&', '<<', '{', '}', '#', ' ']);
  const index = choices.below(text.length + 1);
  return text.slice(0, index) + put + text.slice(put === '' ? index + 1 : index);
}

const several = (choices: Choices, most: number, make: () => string): string[] =>
  Array.from({ length: choices.below(most + 1) }, make);

const list: Make = (choices, depth) => {
  const sign = choices.pick([' && ', ' || ', '; ', '\n', ' & ', ';']);
  return [pipeline(choices, depth), ...several(choices, 1, () => pipeline(choices, depth))].join(sign);
};

const pipeline: Make = (choices, depth) => {
  const sign = choices.pick([' | ', '|', ' |& ']);
  const head = choices.pick(['', '', '', '! ', 'time ']);
  const rest = choices.below(3) === 0 ? [command(choices, depth)] : [];
  return head + [command(choices, depth), ...rest].join(sign);
};

const command: Make = (choices, depth) =>
  depth <= 0 || choices.below(3) > 0 ? simple(choices, depth) : choices.pick(compounds)(choices, depth - 1);

const simple: Make = (choices, depth) =>
  [
    ...several(choices, choices.pick([0, 0, 2]), () => choices.pick(['A=1', 'B="x y"', 'C='])),
    choices.pick(names).replace('_', ' '),
    ...several(choices, 3, () => word(choices, depth)),
    ...(choices.below(5) === 0 ? [redirect(choices, depth)] : []),
  ].join(' ');

const word: Make = (choices, depth) =>
  depth <= 0 || choices.below(8) > 0 ? choices.pick(plainWords) : substitution(choices, depth - 1);

const redirect: Make = (choices, depth) =>
  choices.below(4) === 0 ? choices.pick(plainRedirects) : `${choices.pick(redirectSigns)} ${word(choices, depth)}`;

const substitution: Make = (choices, depth) => choices.pick(substitutions)(list(choices, depth));

const substitutions: readonly ((inner: string) => string)[] = [
  (inner) => `$(${inner})`,
  (inner) => `"x $(${inner}) y"`,
  // How often a backslash is undone between backquotes, mvdan-sh counts otherwise than bash.
  (inner) => (inner.includes('\\') ? `$(${inner})` : `\`${inner.replaceAll('`', '\\`')}\``),
  (inner) => `<(${inner})`,
  (inner) => `\${V:-$(${inner})}`,
  (inner) => `"\${V:=\${W-$(${inner})}}"`,
  (inner) => `$((1 + $(${inner})))`,
];

const compounds: readonly Make[] = [
  (choices, depth) => `(${list(choices, depth)})`,
  (choices, depth) => `{ ${list(choices, depth)}\n}`,
  (choices, depth) => `if ${list(choices, depth)}\nthen ${list(choices, depth)}\nelse ${list(choices, depth)}\nfi`,
  (choices, depth) => `${choices.pick(['while', 'until'])} ${list(choices, depth)}\ndo ${list(choices, depth)}\ndone`,
  (choices, depth) => `for i in ${word(choices, depth)}; do ${list(choices, depth)}\ndone`,
  (choices, depth) =>
    `case ${word(choices, depth)} in a|b) ${list(choices, depth)}\n;; *) ${list(choices, depth)}\n;; esac`,
  (choices, depth) => `${choices.pick(['f()', 'function f', 'g ( )'])} {\n${list(choices, depth)}\n}`,
  (choices, depth) => `[[ -n ${word(choices, depth)} && x == y ]]`,
  (choices, depth) => {
    const text = substitution(choices, depth);
    return `X=${text.startsWith('<(') ? '1' : text}`;
  },
  (choices, depth) => `cat <<EOF\nt ${substitution(choices, depth)}\nEOF\n`,
  (choices, depth) => `cat <<'EOF'\n${list(choices, depth)}\nEOF\n`,
];
