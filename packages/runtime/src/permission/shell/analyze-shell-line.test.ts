import { describe, expect, test } from 'vitest';
import { shellLines } from '../../testing/shell-lines.ts';
import { analyzeShellLine } from './analyze-shell-line.ts';
import type { ShellCommand } from './shell-line.ts';

/** The names of all commands that certainly run, those that others run behind them. */
function namesIn(commands: readonly ShellCommand[]): (string | undefined)[] {
  return commands.flatMap(({ words, runs }) => [...(words.length === 0 ? [] : [words[0]]), ...namesIn(runs)]);
}

function everyCommand(commands: readonly ShellCommand[]): ShellCommand[] {
  return commands.flatMap((command) => [command, ...everyCommand(command.runs), ...everyCommand(command.mayRun ?? [])]);
}

function problemOf(text: string): string | undefined {
  const line = analyzeShellLine(text);
  return line.unclear ?? everyCommand(line.commands).find(({ unclear }) => unclear !== undefined)?.unclear;
}

describe('pain 17: every simple command of a line is seen', () => {
  test.each([
    ['a; b', 'a b'],
    ['a && b || c', 'a b c'],
    ['a | b |& c', 'a b c'],
    ['a & b', 'a b'],
    ['a\nb', 'a b'],
    ['a # b', 'a'],
    ['a #\nb', 'a b'],
    ['a\\\nb c', 'ab'],
    ['a x#y; b', 'a b'],
    ['a $(b)', 'a b'],
    ['a `b`', 'a b'],
    ['a `b \\`c\\``', 'a b c'],
    ['a "x $(b "$(c)")"', 'a b c'],
    ["a '$(b)'", 'a'],
    ['a <(b) >(c)', 'a b c'],
    ['{ a; b; }', 'a b'],
    ['(a; (b))', 'a b'],
    ['if a; then b; elif c; then d; else e; fi', 'a b c d e'],
    ['while a; do b; done; until c; do d; done', 'a b c d'],
    ['for x in $(a); do b; done', 'a b'],
    ['for ((i=$(a);i<$(b);i++)); do c; done', 'a b c'],
    ['select x in 1; do a; done', 'a'],
    ['case $(a) in $(b)) c;; *) d;& esac', 'a b c d'],
    ['cat <<E\n$(a) `b`\nE', 'cat a b'],
    ["cat <<'E'\n$(a)\nE\nb", 'cat b'],
    ['cat <<\\E\n$(a)\nE\nb', 'cat b'],
    ['cat <<-E\n\t$(a)\n\tE\nb', 'cat a b'],
    ['cat <<E1 <<E2\n$(a)\nE1\n$(b)\nE2\nc', 'cat a b c'],
    ['f() { a; }; f', 'a f'],
    ['f() ( a ); function g { b; }', 'a b'],
    ['[[ -n $(a) && x == $(b) ]]', 'a b'],
    ['(( x = $(a) + 1 ))', 'a'],
    ['echo $(( $(a) )) $[ $(b) ]', 'echo a b'],
    ['echo ${X:-$(a)} "${Y:=`b`}" ${Z/$(c)/$(d)}', 'echo a b c d'],
    ['echo ${X[$(a)]} ${X:$(b):1}', 'echo a b'],
    ['x=$(a) y[$(b)]=1 z=(1 $(c))', 'a b c'],
    ['x=$(a) b', 'b a'],
    ['coproc a; coproc N { b; }', 'a b'],
    ['time -p a; ! b; time ! c', 'a b c'],
    ['>x a; <x 2>&1 b', 'a b'],
    ['>$(a) b <<<$(c)', 'b a c'],
    ['{ a; } >$(b)', 'b a'],
    ['echo {1,$(a)} @(x|$(b))', 'echo a b'],
    ['echo ${ a; } ${| b; }', 'echo a b'],
    ['export x=$(a); declare -a y=($(b))', 'export a declare b'],
    ['trap "a; b" EXIT', 'trap a b'],
  ])('%j', (text, names) => {
    expect(namesIn(analyzeShellLine(text).commands).join(' ')).toBe(names);
    expect(analyzeShellLine(text).unclear).toBeUndefined();
  });

  test('text, words and assignments are those of the command, quoting undone', () => {
    const [command] = analyzeShellLine(`A=1 B="x y" g'i't  lo\\g 2>/dev/null "a b" $'\\x41' ~/c *.ts > f`).commands;
    expect(command).toMatchObject({
      text: `A=1 B="x y" g'i't lo\\g "a b" $'\\x41' ~/c *.ts`,
      words: ['git', 'log', 'a b', 'A', undefined, undefined],
      spelled: ['git', 'log', 'a b', 'A', '~/c', '*.ts'],
      assignments: [
        { name: 'A', value: '1' },
        { name: 'B', value: 'x y' },
      ],
    });
  });
});

describe('pain 18: one denied program is seen in any spelling', () => {
  test.each(shellLines('run-rm'))('it runs: %j', (text) => {
    expect(namesIn(analyzeShellLine(text).commands).some((name) => name?.replace(/^.*\//, '') === 'rm')).toBe(true);
  });

  test.each(shellLines('may-run-rm'))('it may run, and nobody can tell: %j', (text) => {
    const names = everyCommand(analyzeShellLine(text).commands).map(({ words }) => words[0]?.replace(/^.*\//, ''));
    expect(names).toContain('rm');
    expect(problemOf(text)).toBeTypeOf('string');
  });

  test('an unknown program stays what it is, and its arguments are no more than a guess', () => {
    for (const text of ['frob rm x', 'frob -v -- rm x', "frob -c 'rm x'", 'frob --flag sudo rm x', './deploy.sh rm']) {
      const [command, ...others] = analyzeShellLine(text).commands;
      expect(others).toEqual([]);
      expect(command?.unclear).toBeUndefined();
      expect(command?.runs).toEqual([]);
      expect(everyCommand(command?.mayRun ?? []).some(({ words }) => words[0] === 'rm')).toBe(true);
    }
  });

  test('arguments of programs that the tables know are no commands', () => {
    for (const text of [
      'brew install wget',
      'echo rm x',
      'grep rm x',
      'git commit -m "rm x"',
      'ls rm',
      'npm install rm',
      'git log -- rm',
    ]) {
      const [command] = analyzeShellLine(text).commands;
      expect(command?.runs).toEqual([]);
      expect(command?.mayRun).toBeUndefined();
    }
  });
});

describe('what nobody can tell is said to be unclear', () => {
  test.each(shellLines('unclear'))('%j', (text) => {
    expect(problemOf(text)).toBeTypeOf('string');
  });

  test('letters that look like others, and those that nobody sees', () => {
    for (const text of ['r\u200bm x', '\u017fudo x', 'rm\r', 'a\u00a0b', 'ls # \u202e x'])
      expect(problemOf(text)).toBeTypeOf('string');
    expect(problemOf('echo "a\u00a0b"')).toBeUndefined();
  });

  test.each(shellLines('clear'))('is clear: %j', (text) => {
    expect(problemOf(text)).toBeUndefined();
  });

  test('code that is not read is said to be so, and is not unclear: a rule that names the program may grant it', () => {
    for (const text of [
      'python3 -c x',
      'node x.js',
      'perl -e x',
      'bash x.sh',
      'make all',
      'npm test',
      "awk 'BEGIN{system(1)}'",
      "sed '1e x' f",
      'cargo test',
      "vim -c '!x'",
    ]) {
      expect(analyzeShellLine(text).commands[0]).toMatchObject({
        opaque: expect.any(String),
        readsOnly: false,
        passesThrough: false,
      });
    }
  });

  test('variables that change what programs do are named', () => {
    const riskOf = (text: string): (string | undefined)[] =>
      everyCommand(analyzeShellLine(text).commands).map(({ risky }) => risky);
    expect(riskOf('PATH=x A=1 ls')).toEqual(['PATH']);
    expect(riskOf('A=1 ls')).toEqual([undefined]);
    expect(riskOf('LD_PRELOAD=a GIT_SSH_COMMAND=b git fetch')).toEqual(['LD_PRELOAD, GIT_SSH_COMMAND']);
    expect(riskOf('env NODE_OPTIONS=x node -p a')).toEqual([undefined, 'NODE_OPTIONS']);
    expect(riskOf('export BASH_ENV=x; IFS=:')).toEqual(['BASH_ENV', 'IFS']);
    expect(riskOf('declare -x PATH=x')).toEqual(['PATH']);
    expect(riskOf('read PATH; printf -v PAGER x; unset PATH')).toEqual(['PATH', 'PAGER', 'PATH']);
  });

  test('a wrapper passes through only where it adds nothing', () => {
    const passes = (text: string): boolean | undefined => analyzeShellLine(text).commands[0]?.passesThrough;
    for (const text of ['timeout 5 a', 'env A=1 a', 'xargs a', "bash -c 'a; b'", 'nohup a', 'eval a'])
      expect(passes(text)).toBe(true);
    for (const text of [
      'sudo a',
      'ssh h a',
      'docker exec c a',
      './timeout 5 a',
      'PATH=x timeout 5 a',
      'TIMEOUT 5 a',
      'timeout $x a',
      'a',
    ]) {
      expect(passes(text)).toBe(false);
    }
  });
});

describe('any text comes to an end', () => {
  const deep = (open: string, close: string, count: number): string => open.repeat(count) + 'ls' + close.repeat(count);
  test.each([
    ['', ''],
    ['long', 'a'.repeat(120_000)],
    ['many commands', 'a;'.repeat(30_000)],
    ['many words', `a ${'b '.repeat(30_000)}`],
    ['substitutions', deep('$(', ')', 1000)],
    ['groups', deep('{ ', '; }', 3000)],
    ['parentheses', deep('(', ')', 3000)],
    ['expansions', deep('${a:-', '}', 3000)],
    ['wrappers', `${'sudo '.repeat(5000)}a`],
    ['unknown wrappers', `${'frob '.repeat(5000)}a`],
    ['shells', `${'eval '.repeat(3000)}a`],
    [
      'functions that run each other',
      `f0() { a; }; ${Array.from({ length: 80 }, (_, at) => `f${at + 1}() { f${at}; f${at}; }; `).join('')}f80`,
    ],
    ['a fork bomb', ':(){ :|:& };:'],
    ['quotes', '"'.repeat(50_001)],
    ['dollars', '$'.repeat(50_000)],
    ['NUL', 'ls\0; rm x'],
  ])('%s', (_, text) => {
    const line = analyzeShellLine(text);
    expect(everyCommand(line.commands).length).toBeLessThan(5000);
    if (text.length > 65_536 || text.includes('\0')) expect(line.unclear).toBeTypeOf('string');
  });

  test('what is too deep or too long to be read is unclear, never silently left out', () => {
    for (const text of ['a;'.repeat(3000), `${'sudo '.repeat(100)}a`, deep('$(', ')', 400)])
      expect(problemOf(text)).toBeTypeOf('string');
  });
});
