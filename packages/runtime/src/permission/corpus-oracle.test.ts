import { createRequire } from 'node:module';
import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { permissionCorpus } from '../testing/permission-corpus.ts';
import { analyzeShellLine } from './shell/analyze-shell-line.ts';
import type { ShellCommand } from './shell/shell-line.ts';

vi.setConfig({ testTimeout: 120_000 });

/** The parts of mvdan-sh that are used here; it brings no types. */
interface Part {
  readonly Value?: string;
  readonly Dollar?: boolean;
  readonly Parts?: readonly Part[];
}
interface Word {
  readonly Parts: readonly Part[];
}
interface Syntax {
  NewParser(): { Parse(text: string, name: string): unknown };
  Walk(node: unknown, visit: (node: { readonly Args?: readonly Word[] } | null) => boolean): void;
  NodeType(node: unknown): string;
}
const { syntax } = createRequire(import.meta.url)('mvdan-sh') as { readonly syntax: Syntax };
const parser = syntax.NewParser();

/** The name of each command that mvdan-sh finds, quoting undone; undefined where only running the line tells. */
function namesByOracle(text: string): (string | undefined)[] | undefined {
  let file: unknown;
  try {
    file = parser.Parse(text, 'line');
  } catch {
    return undefined;
  }
  const names: (string | undefined)[] = [];
  syntax.Walk(file, (node) => {
    if (node !== null && syntax.NodeType(node) === 'CallExpr' && node.Args?.[0] !== undefined) {
      names.push(staticText(node.Args[0].Parts, false));
    }
    return true;
  });
  return names;
}

function staticText(parts: readonly Part[], isQuoted: boolean): string | undefined {
  let text = '';
  for (const part of parts) {
    const kind = syntax.NodeType(part);
    const value = part.Value ?? '';
    let piece: string | undefined;
    if (kind === 'SglQuoted') piece = part.Dollar === true && value.includes('\\') ? undefined : value;
    else if (kind === 'DblQuoted') piece = part.Dollar === true ? undefined : staticText(part.Parts ?? [], true);
    else if (kind === 'Lit' && isQuoted) piece = value.replace(/\\\n/g, '').replace(/\\([$`"\\])/g, '$1');
    else if (kind === 'Lit' && !/[*?[{~]/.test(value)) piece = value.replace(/\\\n/g, '').replace(/\\([^])/g, '$1');
    if (piece === undefined) return undefined;
    text += piece;
  }
  return text;
}

interface Found {
  readonly names: readonly (string | undefined)[];
  readonly isUnclear: boolean;
}

function found(text: string): Found {
  const line = analyzeShellLine(text);
  const all: ShellCommand[] = [];
  const collect = (command: ShellCommand): void => {
    all.push(command);
    command.runs.forEach(collect);
    // What may be run is asked about, which is agreement.
    command.mayRun?.forEach(collect);
  };
  line.commands.forEach(collect);
  const isUnclear = line.unclear !== undefined || all.some(({ unclear }) => unclear !== undefined);
  return { names: all.filter(({ words }) => words.length > 0).map(({ words }) => words[0]), isUnclear };
}

/** What the oracle found and we did not; empty also where we say that we do not understand. */
function missed(text: string): { readonly missing: string[]; readonly wasCompared: boolean } {
  const oracle = namesByOracle(text);
  const ours = found(text);
  if (oracle === undefined || ours.isUnclear) return { missing: [], wasCompared: false };
  const left = [...ours.names];
  const missing: string[] = [];
  for (const name of oracle) {
    const exact = left.indexOf(name);
    const index = exact >= 0 ? exact : left.indexOf(undefined);
    // A name that we know and the oracle does not, as of braces and stars, is checked by the next one that is missed.
    if (index >= 0) left.splice(index, 1);
    else if (name !== undefined) missing.push(name);
  }
  return { missing, wasCompared: true };
}

const corpusLines = permissionCorpus().flatMap(({ call }) => {
  const { command } = call.input;
  return call.tool === 'Bash' && typeof command === 'string' ? [command] : [];
});

test('issue 5, accept 1: mvdan-sh finds no command in the lines of the corpus that ours missed', () => {
  const results = corpusLines.map((text) => ({ text, ...missed(text) }));
  expect(results.filter(({ missing }) => missing.length > 0)).toEqual([]);
  expect(results.filter(({ wasCompared }) => wasCompared).length).toBeGreaterThan(corpusLines.length / 3);
});

test('the oracle tells a command that was not looked for', () => {
  expect(namesByOracle('a | b $(c "`d`") && { e; }; f() { g; }')).toEqual(['a', 'b', 'c', 'd', 'e', 'g']);
  expect(namesByOracle('c"an"a\'r\'\\y $X; $X')).toEqual(['canary', undefined]);
  expect(namesByOracle('if')).toBeUndefined();
});

// Not `time`: behind `|` bash runs a program of that name, mvdan-sh reads the keyword.
const name = fc.constantFrom(
  'ls',
  'cat',
  'git',
  'rm',
  './x',
  '/bin/y',
  'f',
  "'q q'",
  '"d"',
  'e\\f',
  'g"h"i',
  'env',
  'sudo',
  'xargs',
  'echo',
  'test',
  '[',
  ':',
);
const plainWord = fc.constantFrom(
  'a',
  '-x',
  '--y=z',
  "'s s'",
  '"d d"',
  '$V',
  '"$V"',
  '${V:-w}',
  '*.ts',
  '{a,b}',
  '~',
  '$((1+2))',
  'a\\ b',
  "$'n\\n'",
  '""',
  '#no',
  'a#b',
  '!',
  '=',
  'A=1',
  '-c',
  '--',
  ']',
  '{}',
  '\\;',
  '+',
  '1',
  'in',
  'do',
);
const { line: anyLine } = fc.letrec<
  Record<'line' | 'list' | 'pipeline' | 'command' | 'simple' | 'word' | 'redirect' | 'substitution', string>
>((tie) => ({
  substitution: fc.oneof(
    tie('list').map((list) => `$(${list})`),
    tie('list').map((list) => `"x $(${list}) y"`),
    // How often a backslash is undone between backquotes, mvdan-sh counts otherwise than bash.
    tie('list').map((list) => (list.includes('\\') ? `$(${list})` : `\`${list.replaceAll('`', '\\`')}\``)),
    tie('list').map((list) => `<(${list})`),
    tie('list').map((list) => `\${V:-$(${list})}`),
    tie('list').map((list) => `"\${V:=\${W-$(${list})}}"`),
    tie('list').map((list) => `$((1 + $(${list})))`),
  ),
  word: fc.oneof({ weight: 8, arbitrary: plainWord }, { weight: 1, arbitrary: tie('substitution') }),
  redirect: fc.oneof(
    fc
      .tuple(fc.constantFrom('>', '>>', '<', '2>', '&>', '<<<', '>|', '<>'), tie('word'))
      .map(([sign, word]) => `${sign} ${word}`),
    fc.constantFrom('2>&1', '>&2', '<&-'),
  ),
  simple: fc
    .tuple(
      fc.array(fc.constantFrom('A=1', 'B="x y"', 'C='), { maxLength: 2 }),
      name,
      fc.array(tie('word'), { maxLength: 3 }),
      fc.option(tie('redirect'), { nil: undefined, freq: 5 }),
    )
    .map(([assignments, first, words, redirect]) =>
      [...assignments, first, ...words, ...(redirect === undefined ? [] : [redirect])].join(' '),
    ),
  command: fc.oneof(
    { depthSize: 'small' },
    { weight: 8, arbitrary: tie('simple') },
    { weight: 1, arbitrary: tie('list').map((list) => `(${list})`) },
    { weight: 1, arbitrary: tie('list').map((list) => `{ ${list}\n}`) },
    {
      weight: 1,
      arbitrary: fc
        .tuple(tie('list'), tie('list'), tie('list'))
        .map(([a, b, c]) => `if ${a}\nthen ${b}\nelse ${c}\nfi`),
    },
    {
      weight: 1,
      arbitrary: fc
        .tuple(fc.constantFrom('while', 'until'), tie('list'), tie('list'))
        .map(([word, a, b]) => `${word} ${a}\ndo ${b}\ndone`),
    },
    {
      weight: 1,
      arbitrary: fc.tuple(tie('word'), tie('list')).map(([word, list]) => `for i in ${word}; do ${list}\ndone`),
    },
    {
      weight: 1,
      arbitrary: fc
        .tuple(tie('word'), tie('list'), tie('list'))
        .map(([word, a, b]) => `case ${word} in a|b) ${a}\n;; *) ${b}\n;; esac`),
    },
    {
      weight: 1,
      arbitrary: fc
        .tuple(fc.constantFrom('f()', 'function f', 'g ( )'), tie('list'))
        .map(([head, list]) => `${head} {\n${list}\n}`),
    },
    { weight: 1, arbitrary: tie('word').map((word) => `[[ -n ${word} && x == y ]]`) },
    { weight: 1, arbitrary: tie('substitution').map((text) => `X=${text.startsWith('<(') ? '1' : text}`) },
    { weight: 1, arbitrary: tie('substitution').map((text) => `cat <<EOF\nt ${text}\nEOF\n`) },
    { weight: 1, arbitrary: tie('list').map((list) => `cat <<'EOF'\n${list}\nEOF\n`) },
  ),
  pipeline: fc
    .tuple(
      fc.constantFrom('', '', '', '! ', 'time '),
      fc.array(tie('command'), { minLength: 1, maxLength: 2 }),
      fc.constantFrom(' | ', '|', ' |& '),
    )
    .map(([head, commands, sign]) => head + commands.join(sign)),
  list: fc
    .tuple(
      fc.array(tie('pipeline'), { minLength: 1, maxLength: 2 }),
      fc.constantFrom(' && ', ' || ', '; ', '\n', ' & ', ';'),
    )
    .map(([pipelines, sign]) => pipelines.join(sign)),
  line: fc
    .tuple(tie('list'), fc.constantFrom('', '', ' # note $(rm x)', ';', ' &', '\n'))
    .map(([list, end]) => list + end),
}));

/** mvdan-sh takes seconds for some lines of thousands of characters. */
const shortLine = anyLine.filter((text) => text.length < 500);

test('issue 5, accept 1: nor in lines made by a grammar of the shell', () => {
  let compared = 0;
  let lines = 0;
  fc.assert(
    fc.property(shortLine, (text) => {
      const { missing, wasCompared } = missed(text);
      lines += 1;
      if (wasCompared) compared += 1;
      expect({ text, missing }).toEqual({ text, missing: [] });
    }),
    { numRuns: 2500 },
  );
  expect(compared).toBeGreaterThan(lines / 6);
});

test('the same lines with a character left out, doubled or put elsewhere are understood or said not to be', () => {
  const spoilt = fc
    .tuple(
      anyLine,
      fc.nat(),
      fc.constantFrom('', '"', "'", '`', '$(', ')', '\\', ';', '\n', '|', '&', '<<', '{', '}', '#', ' '),
    )
    .map(([text, at, put]) => {
      const index = at % (text.length + 1);
      return text.slice(0, index) + put + text.slice(put === '' ? index + 1 : index);
    });
  fc.assert(
    fc.property(spoilt, (text) => {
      expect({ text, missing: missed(text).missing }).toEqual({ text, missing: [] });
    }),
    { numRuns: 250 },
  );
});
