import fc from 'fast-check';
import { expect, test } from 'vitest';
import { shellLines } from '../../testing/shell-lines.ts';
import { analyzeShellLine } from './analyze-shell-line.ts';
import type { ShellCommand } from './shell-line.ts';

function certain(commands: readonly ShellCommand[]): ShellCommand[] {
  return commands.flatMap((command) => [command, ...certain(command.runs)]);
}

/** It certainly runs, or is among the guesses of a line that is said to be unclear. */
function isSeen(text: string): boolean {
  const all = certain(analyzeShellLine(text).commands);
  const isNamed = ({ words }: ShellCommand): boolean => words[0] === 'canary';
  if (all.some(isNamed)) return true;
  return (
    all.some(({ unclear }) => unclear !== undefined) && all.some(({ mayRun = [] }) => certain(mayRun).some(isNamed))
  );
}

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/** `canary`, each letter in a quoting of its own. */
const spelled = fc
  .array(
    fc.constantFrom<(letter: string) => string>(
      (letter) => letter,
      (letter) => `'${letter}'`,
      (letter) => `"${letter}"`,
      (letter) => `\\${letter}`,
      (letter) => `\\\n${letter}`,
      (letter) => `''${letter}""`,
      (letter) => `$'\\x${letter.charCodeAt(0).toString(16)}'`,
      (letter) => `$'\\${letter.charCodeAt(0).toString(8).padStart(3, '0')}'`,
    ),
    { minLength: 6, maxLength: 6 },
  )
  .map((quotings) => ['c', 'a', 'n', 'a', 'r', 'y'].map((letter, at) => quotings[at]?.(letter) ?? letter).join(''));

/** What leaves the command what it is, and adds something around it. */
const around = fc.constantFrom<(text: string) => string>(
  ...[
    'env',
    'env -i A=1',
    'sudo -u me',
    'timeout -k 1 5',
    'nice -n 5',
    'xargs -n1',
    'command',
    'busybox',
    'docker exec box',
    'npx',
  ].map((wrapper) => (text: string) => `${wrapper} ${text}`),
  ...['bash -c', 'sh -ec', 'eval', 'su -c', 'watch', 'ssh -p 2 host', 'flock l -c'].map(
    (shell) => (text: string) => `${shell} ${quoted(text)}`,
  ),
  (text) => `find . -exec ${text} \\;`,
);
/** What only a shell takes in front of a command, no wrapper. */
const before = fc.constantFrom<(text: string) => string>(
  (text) => text,
  (text) => `A=1 B="$X" ${text}`,
  (text) => `>out ${text} 2>&1`,
  (text) => `bash <<< ${quoted(text)}`,
);
const beside = fc.constantFrom<(text: string) => string>(
  (text) => `ls; ${text}`,
  (text) => `# note\n${text} # note`,
  (text) => `ls |\\\n ${text}`,
  (text) => `ls && ${text} &`,
  (text) => `( ${text} )`,
  (text) => `{ ${text}\n}`,
  (text) => `if ls; then ${text}\nfi`,
  (text) => `for i in a; do ${text}\ndone`,
  (text) => `f() { ${text}\n}; f`,
  (text) => `echo "a $(${text}\n) b"`,
  (text) => `cat <(${text}\n)`,
  (text) => `X=$(${text}\n)`,
  (text) => `declare -a x=($(${text}\n))`,
  (text) => `cat <<E${text.length}\n$(${text}\n)\nE${text.length}\n`,
  (text) => `echo \${X:-$(${text}\n)}`,
  (text) => `[[ -n $(${text}\n) ]]`,
);

test('pain 18: quoting, wrappers and what stands beside it leave a program in sight', () => {
  const line = fc
    .tuple(
      spelled,
      fc.constantFrom('', ' -x', ' "$Y"', ' *'),
      fc.array(around, { maxLength: 3 }),
      before,
      fc.array(beside, { maxLength: 3 }),
    )
    .map(([name, rest, inner, first, outer]) =>
      [...inner, first, ...outer].reduce((text, wrap) => wrap(text), name + rest),
    );
  fc.assert(
    fc.property(line, (text) => {
      expect({ text, isSeen: isSeen(text) }).toEqual({ text, isSeen: true });
    }),
    { numRuns: 500 },
  );
});

test('any text is read to its end, and what is certain about it does not throw', () => {
  const pieces = ['run-rm', 'may-run-rm', 'unclear', 'read', 'do-more-than-read'].flatMap(shellLines);
  const broken = fc
    .tuple(
      fc.array(fc.oneof(fc.constantFrom(...pieces), fc.string({ unit: 'grapheme', maxLength: 8 })), {
        minLength: 1,
        maxLength: 4,
      }),
      fc.nat(),
      fc.nat(),
    )
    .map(([parts, from, length]) => {
      const text = parts.join(' ');
      const start = from % (text.length + 1);
      return text.slice(0, start) + text.slice(start + (length % 4));
    });
  fc.assert(
    fc.property(broken, (text) => {
      const line = analyzeShellLine(text);
      expect(line.text).toBe(text);
      expect(line.unclear ?? '').not.toContain('cannot be read');
      for (const command of certain(line.commands)) {
        if (command.unclear !== undefined) expect([command.readsOnly, command.passesThrough]).toEqual([false, false]);
        if (command.readsOnly) expect(command.paths.every(({ access }) => access === 'read')).toBe(true);
        expect(command.spelled.length).toBe(command.words.length);
      }
    }),
    { numRuns: 500 },
  );
});
