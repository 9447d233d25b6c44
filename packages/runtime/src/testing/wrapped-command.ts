import { otherWrappers, wrappingPrograms } from '../permission/shell/wrapping-programs.ts';
import type { Choices } from './choices.ts';

/** What is put around a command, or beside it. */
export type Layer = (text: string) => string;

/** `canary` with a folder and arguments, in any quoting that keeps the name one word. */
export function spelledCanary(choices: Choices): string {
  const folder = choices.pick(['', '', '', '/usr/bin/', './', '../x/', '~/bin/']);
  const name = Array.from('canary', (letter) => choices.pick(quotings)(letter)).join('');
  return folder + name + choices.pick(['', ' now', ' --force "a b"', ' $X', ' > out', ' < in', ' 2>&1']);
}

/** The command in up to so many layers of whatever starts commands or holds them. */
export function wrapped(choices: Choices, command: string, most: number): string {
  let text = command;
  const seen = { code: false, grammar: false };
  for (let left = choices.below(most + 1); left > 0; left -= 1) {
    const kind = choices.below(14);
    if (kind < 6) text = behind(choices.pick(kind < 4 ? before : tabled), text, seen);
    else if (kind < 8) {
      const word = choices.pick(quotedIn);
      text = `${word} ${choices.pick([singleQuoted, doubleQuoted])(text)}${word === 'trap' ? ' EXIT' : ''}`;
      seen.code = true;
      seen.grammar = /<<<|;/.test(word);
    } else {
      text = choices.pick(kind < 11 ? around : beside)(text);
      seen.grammar = true;
    }
  }
  return text;
}

/**
 * What joins its words into one line loses their quotes, and with `watch sh -c 'env canary'` all that runs is `env`: code
 * that is quoted already is given to it as one word. What `find` runs ends with the first command of a line, and with
 * `find -exec ls; bash <<< canary \;` bash has a file to run.
 */
function behind(word: string, text: string, seen: { readonly code: boolean; readonly grammar: boolean }): string {
  if (word.startsWith('find ')) return seen.grammar ? `env ${text}` : `${word} ${text} \\;`;
  return seen.code && joining.has(word.split(' ')[0] ?? '') ? `${word} ${singleQuoted(text)}` : `${word} ${text}`;
}

const singleQuoted: Layer = (text) => `'${text.replaceAll("'", `'\\''`)}'`;
const doubleQuoted: Layer = (text) => `"${text.replace(/[\\"$`]/g, '\\$&')}"`;

const quotings: readonly Layer[] = [
  (letter) => letter,
  singleQuoted,
  doubleQuoted,
  (letter) => `\\${letter}`,
  (letter) => `$'\\x${letter.charCodeAt(0).toString(16)}'`,
  (letter) => `$'\\${letter.charCodeAt(0).toString(8)}'`,
  (letter) => `''${letter}""`,
  (letter) => `\\\n${letter}`,
];

/** Wrappers that take the command as words. */
const before = [
  'env',
  'env -i',
  'env A=1',
  'env -u B',
  '/usr/bin/env',
  'sudo',
  'sudo -u me',
  'sudo -n --',
  'doas',
  'nice',
  'nice -n 5',
  'ionice -c 3',
  'nohup',
  'timeout 5',
  'timeout -k 1 5s',
  'stdbuf -oL',
  'setsid',
  'time',
  'time -p',
  '! ',
  'command',
  'command -p',
  'builtin command',
  'exec',
  'exec -a n',
  'xargs',
  'xargs -n1',
  'xargs -0 -r',
  'chroot /',
  'unshare -r',
  'strace -f',
  'busybox',
  'busybox env',
  'ssh host',
  'ssh -p 22 a@host',
  'find . -exec',
  'find . -name x -execdir',
  'taskset -c 0',
  'chrt -r 1',
  'watch',
  'parallel',
  'flock lock',
  'runuser -u me --',
  'setpriv --reuid 0',
  'unknown-wrapper',
  './wrap.sh',
  'docker exec box',
  'kubectl exec pod --',
  'npx',
  'pnpm exec',
  'uv run',
  'A=1',
  'PATH=/tmp B=2',
  'LD_PRELOAD=./x',
  '2>&1',
  '>out',
  '{fd}>out',
];

/** The tables' own: what is known to run others, and what is known to do so in odd ways. */
const tabled = [
  ...wrappingPrograms.flatMap(({ names, before: needed }) =>
    names.split(' ').map((name) => (needed === undefined ? name : `${name} 1`)),
  ),
  ...otherWrappers,
];

const joining = new Set([
  'ssh',
  'parallel',
  ...wrappingPrograms.flatMap(({ names, joins }) => (joins === true ? names.split(' ') : [])),
]);

/** What takes the command as one text. */
const quotedIn = [
  'bash -c',
  'sh -c',
  'bash -lc',
  '/bin/bash -euc',
  'zsh -c',
  'dash -c',
  'busybox sh -c',
  'eval',
  'su -c',
  'su me -c',
  'ssh host',
  'flock l -c',
  'script -qc',
  'watch',
  'trap',
  'xargs sh -c',
  'sudo sh -c',
  'nix-shell --run',
  'git -c alias.x=! x; eval',
  'npm exec -c',
  'bash <<<',
  'sh -s <<<',
];

export const around: readonly Layer[] = [
  (text) => `( ${text} )`,
  (text) => `{ ${text}\n}`,
  (text) => `if true; then ${text}\nfi`,
  (text) => `if ${text}\nthen :; fi`,
  (text) => `while ${text}\ndo break; done`,
  (text) => `for i in a; do ${text}\ndone`,
  (text) => `case a in a) ${text}\n;; esac`,
  (text) => `f() { ${text}\n}; f`,
  (text) => `echo $(${text}\n)`,
  (text) => `echo "a $(${text}\n) b"`,
  (text) => `cat <(${text}\n)`,
  (text) => `X=$(${text}\n)`,
  (text) => `export X="$(${text}\n)"`,
  (text) => `cat <<EOF\n$(${text}\n)\nEOF\n`,
  (text) => `echo \${X:-$(${text}\n)}`,
  (text) => `[[ -n $(${text}\n) ]]`,
  (text) => `coproc ${text}`,
  (text) => `bash <<'EOF'\n${text}\nEOF\n`,
  (text) => `echo a | ${text}`,
  (text) => `${text} | cat`,
];

export const beside: readonly Layer[] = [
  (text) => `ls; ${text}`,
  (text) => `${text}; ls`,
  (text) => `true && ${text}`,
  (text) => `${text} || true`,
  (text) => `cd src\n${text}`,
  (text) => `git status & ${text}`,
  (text) => `# a note: it's fine\n${text}`,
  (text) => `${text} # "harmless`,
  (text) => `\n\n  ${text}  \n`,
  (text) => `echo 'canary'; ${text}`,
  (text) => `: <<'X'\nnote\nX\n${text}`,
  (text) => `A=1; B="$A"; ${text}`,
];
