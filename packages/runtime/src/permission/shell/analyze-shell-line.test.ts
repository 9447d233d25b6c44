import { describe, expect, test } from 'vitest';
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
  test.each([
    ...['rm x', '\\rm x', "'rm' x", '"r"m x', "r''m x", 'r\\\nm x', "$'\\x72m' x", "$'\\162\\155' x", "$'\\u0072m' x"],
    ...[
      '/bin/rm x',
      './rm x',
      '../bin/rm x',
      'A=1 B=2 rm x',
      '>f rm x',
      '2>&1 rm x',
      '! rm x',
      'time -p rm x',
      '\trm\tx',
    ],
    ...[
      'env rm x',
      'env -i rm x',
      'env - rm x',
      'env -u A B=1 rm x',
      "env -S 'rm x'",
      "env -iS'A=1 rm x'",
      '/usr/bin/env -- rm x',
    ],
    ...[
      'sudo rm x',
      'sudo -nu bob rm x',
      'sudo --user=bob A=1 -- rm x',
      'doas -u b rm x',
      "su -c 'rm x'",
      "su - root --command='rm x'",
    ],
    ...['runuser -u bob -- rm x', "runuser - bob -c 'rm x'", 'pkexec rm x', 'gosu bob rm x', 'setpriv --reuid=1 rm x'],
    ...[
      'timeout 5 rm x',
      'timeout -k 3 -s KILL 5 rm x',
      'timeout --sig=9 --foreground 5 rm x',
      'nice rm x',
      'nice -5 rm x',
      'nice -n 5 rm x',
    ],
    ...[
      'ionice -c2 -n 7 rm x',
      'nohup rm x',
      'setsid -w rm x',
      'stdbuf -oL -e0 rm x',
      'command time -o t rm x',
      'chrt -f 10 rm x',
    ],
    ...[
      'taskset -c 0,1 rm x',
      'taskset ff rm x',
      'unshare -rn rm x',
      'chroot /x rm x',
      'nsenter -t 1 -m rm x',
      'caffeinate -i rm x',
    ],
    ...[
      'xargs rm',
      'xargs -0 -n1 -P 4 rm -f',
      'xargs -I{} rm {}',
      'xargs -i rm {}',
      'xargs --max-args=1 rm',
      'xargs sh -c \'rm "$@"\' _',
    ],
    ...[
      'find . -exec rm {} \\;',
      'find . -exec rm {} +',
      "find a b -name x -o -execdir rm {} ';'",
      'find . -ok rm \\;',
      'find . -exec true {} \\; -exec rm {} \\;',
    ],
    ...[
      'find . -exec sh -c \'rm "$1"\' _ {} \\;',
      'fd x -x rm',
      'fd -e ts --exec-batch rm',
      'parallel rm ::: a b',
      'parallel -j4 rm {}',
    ],
    ...[
      'watch -n1 rm x',
      "watch 'ls; rm x'",
      'entr -r rm x',
      "entr -s 'rm x'",
      'flock -n l rm x',
      "flock l -c 'rm x'",
      "script -qc 'rm x' /dev/null",
    ],
    ...[
      "bash -c 'rm x'",
      "bash -lc 'ls && rm x'",
      "bash -ex -o pipefail -c -- 'rm x' a",
      'sh -c \'sh -c "rm x"\'',
      "zsh -c 'rm x'",
      "fish -c 'rm x'",
    ],
    ...["bash <<< 'rm x'", "sh -s <<'E'\nrm x\nE", 'dash <<E\nrm x\nE'],
    ...[
      'ssh h rm x',
      "ssh -p 22 -i k u@h 'ls; rm x'",
      'mosh h -- rm x',
      'docker exec -it c rm x',
      'docker run --rm -v a:b -e X=1 img rm x',
    ],
    ...[
      'docker run --entrypoint rm img x',
      'docker compose -f y exec svc rm x',
      "podman run img sh -c 'rm x'",
      'kubectl -n a exec p -c d -- rm x',
    ],
    ...[
      'command rm x',
      'command -p rm x',
      'builtin rm x',
      'exec rm x',
      'exec -a z rm x',
      'eval rm x',
      'eval "r""m x"',
      "eval 'ls; rm x'",
    ],
    ...[
      'busybox rm x',
      "toybox sh -c 'rm x'",
      "trap 'rm x' EXIT",
      'strace -f -o o rm x',
      'ltrace rm x',
      "mapfile -C 'rm x' a",
      'jobs -x rm x',
    ],
    ...[
      'git bisect run rm x',
      "git submodule foreach --recursive 'rm x'",
      "git rebase -x 'rm x' main",
      "git rebase --exec='rm x' main",
    ],
    ...[
      'npx rm x',
      'npx -y rm@1 x',
      'npm exec -- rm x',
      "npm exec -c 'rm x'",
      'pnpm exec rm x',
      'pnpm dlx rm x',
      'yarn dlx rm x',
      'uv run rm x',
      'bundle exec rm x',
    ],
    ...[
      "tar cf a b --to-command='rm x'",
      "tar cf a --checkpoint=1 --checkpoint-action=exec='rm x' b",
      "tar xI 'rm x' -f a",
      "rsync -e 'rm x' a h:b",
    ],
    ...[
      'cross-env A=1 rm x',
      'SUDO rm x',
      'nice timeout 5 xargs sudo env A=1 sh -c "cd /x && rm -rf y"',
      'f() { rm x; }; f',
      'ls() { rm x; }; ls',
    ],
  ])('it runs: %j', (text) => {
    expect(namesIn(analyzeShellLine(text).commands).some((name) => name?.replace(/^.*\//, '') === 'rm')).toBe(true);
  });

  test.each([
    ...[
      '$"rm" x',
      'r$()m x',
      'r${x}m x',
      'r"$@"m x',
      '{rm,-rf,x}',
      'a=rm; $a x',
      'a=r; b=m; $a${b} x',
      'a="rm x"; $a',
      'for c in ls rm; do $c x; done',
    ],
    ...[
      '${x:-rm} y',
      ': ${x:=rm}; $x y',
      '$(echo rm) x',
      '`printf rm` x',
      '$none rm x',
      '"$SHELL" -c "rm x"',
      'echo rm x | sh',
      'printf "rm x\\n" | bash -s',
    ],
    ...[
      'cat <<E | bash\nrm x\nE',
      'echo "rm x" | xargs -I{} sh -c {}',
      "xargs -I{} sh -c 'rm {}'",
      "parallel ::: 'rm a'",
      'bash -c "$(echo rm x)"',
    ],
    ...[
      'alias z=rm; z x',
      'hash -p /bin/rm ls',
      "complete -C 'rm x' y",
      'timeout $t rm x',
      'env $opts rm x',
      'sudo -s rm x',
      'sudo --frob rm x',
    ],
    ...[
      "git -c alias.z='!rm x' z",
      "git -c core.pager='rm x' log",
      "git clone -u 'rm x' a",
      "git fetch --upload-pa='rm x' a",
      "git grep -O'rm x' y",
      "git clone 'ext::rm x'",
      'git frob rm x',
    ],
    ...[
      "ssh -oProxyCommand='rm x' h",
      "scp -o ProxyCommand='rm x' a h:b",
      'gdb --args rm x',
      'firejail rm x',
      'rg --pre rm x',
      'sort --compress-prog=rm x',
      'eval "x() { rm y; }"',
    ],
  ])('it may run, and nobody can tell: %j', (text) => {
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
  test.each([
    ...[
      '$X',
      '"$X" a',
      '$0',
      '$@',
      '/bin/r?',
      '$(x) y',
      '`x`',
      '"" a',
      '~+/x',
      'eval "$X"',
      'source x',
      '. x',
      'bash',
      'sh -',
      'curl x | sh',
      'bash -c "$X"',
    ],
    ...[
      'env $X',
      'timeout -X 5 ls',
      'sudo -i',
      'su',
      'find . -frob',
      'find . $X',
      'git $X',
      'git --exec-path=x log',
      'docker $X',
      'docker run $X img a',
      'ssh h "$X"',
    ],
    ...[
      'alias a=b',
      'enable -f x y',
      'fc -s',
      'if',
      "a 'b",
      'a $(',
      'coproc',
      'a; ; b',
      'a >/dev/tcp/h/1',
      'less +!x f',
      'r\u200bm x',
      '\u017fudo x',
      'rm\r',
      'a\u00a0b',
    ],
    ...[
      "x='a[$(id)]'; echo $((x))",
      "[[ 'a[$(id)]' -eq 1 ]]",
      'read x; (( x ))',
      "test -v 'a[$(id)]'",
      '[ $a $b ]',
      "printf -v 'a[$(id)]' x",
      "let 'a[$(id)]'",
      'declare -i a=b[1]',
    ],
    ...[
      'echo ${!x}',
      'echo ${x@P}',
      'f; f() { a; }',
      'if x; then ls() { a; }; fi; ls',
      'f() { a; }; unset f; f',
      'f() { f; }',
      'f() { $1; }',
      'export "$X"',
    ],
  ])('%j', (text) => {
    expect(problemOf(text)).toBeTypeOf('string');
  });

  test.each([
    ...[
      'a "$X"',
      '~/x a',
      './x',
      'x=1; echo $((x + 1))',
      'i=0; while [ $i -lt 3 ]; do i=$((i+1)); done',
      'n=$(ls | wc -l); echo $((n/2))',
      'f() { a; }; f b',
    ],
    ...[
      '[[ $a == "$b" ]]',
      '[ -n "$a" ]',
      'git -c color.ui=never log',
      'cat <<E\n"unbalanced \'\nE',
      'grösse x',
      'set -euo pipefail',
      'python x.py',
      'make',
      'npm run x',
    ],
  ])('is clear: %j', (text) => {
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
    expect(riskOf('env NODE_OPTIONS=x node a')).toEqual([undefined, 'NODE_OPTIONS']);
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
