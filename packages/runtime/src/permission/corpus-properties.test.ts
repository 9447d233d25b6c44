import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { judgeCase } from '../testing/judge-case.ts';
import type { CasePolicy, PermissionCase } from '../testing/permission-case.ts';
import { permissionCorpus } from '../testing/permission-corpus.ts';
import { otherWrappers, wrappingPrograms } from './shell/wrapping-programs.ts';

vi.setConfig({ testTimeout: 120_000 });

const deny = ['Bash(canary:*)'];

/** Whoever may do most, where one program is denied. */
const policies: readonly Pick<PermissionCase, 'policy' | 'hook' | 'classifier'>[] = [
  { policy: { mode: 'bypassPermissions', deny } },
  { policy: { mode: 'default', deny, allow: ['Bash'] } },
  { policy: { mode: 'acceptEdits', deny, allow: ['Bash(*)'] } },
  { policy: { mode: 'auto', deny }, classifier: 'allow' },
  { policy: { mode: 'default', deny }, hook: { decision: 'allow' } },
  { policy: { mode: 'default', deny, sandbox: { enabled: true, autoAllowBashIfSandboxed: true } } },
  {
    policy: {
      mode: 'default',
      deny,
      agentPolicy: { default: 'allow', rules: [{ tools: ['Bash'], decision: 'allow' }] },
    },
  },
  {
    policy: {
      mode: 'default',
      sources: [{ name: 'managed', deny }],
      allow: ['Bash(canary)', 'Bash(canary:*)', 'Bash(*)'],
    },
  },
];

function caseOf(command: string, given: (typeof policies)[number], attended = true): PermissionCase {
  return { id: 'generated', ...given, attended, call: { tool: 'Bash', input: { command } }, expected: 'ask', why: '' };
}

const singleQuoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
const doubleQuoted = (text: string): string => `"${text.replace(/[\\"$`]/g, '\\$&')}"`;

/** One word in any quoting that keeps it one. */
const spelled = (word: string): fc.Arbitrary<string> =>
  fc
    .array(fc.constantFrom('plain', 'single', 'double', 'backslash', 'ansi', 'empty', 'octal', 'continued'), {
      minLength: word.length,
      maxLength: word.length,
    })
    .map((kinds) =>
      kinds
        .map((kind, index) => {
          const letter = word.charAt(index);
          switch (kind) {
            case 'single':
              return `'${letter}'`;
            case 'double':
              return `"${letter}"`;
            case 'backslash':
              return `\\${letter}`;
            case 'ansi':
              return `$'\\x${letter.charCodeAt(0).toString(16)}'`;
            case 'octal':
              return `$'\\${letter.charCodeAt(0).toString(8)}'`;
            case 'empty':
              return `''${letter}""`;
            case 'continued':
              return `\\\n${letter}`;
            default:
              return letter;
          }
        })
        .join(''),
    );

const canary = fc
  .tuple(
    fc.constantFrom('', '', '', '/usr/bin/', './', '../x/', '~/bin/'),
    spelled('canary'),
    fc.constantFrom('', ' now', ' --force "a b"', ' $X', ' > out', ' < in', ' 2>&1'),
  )
  .map(([folder, name, rest]) => folder + name + rest);

/** Wrappers that take the command as words. */
const before = fc.constantFrom(
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
);
/** The tables' own: what is known to run others, and what is known to do so in odd ways. */
const tabled = fc.constantFrom(
  ...wrappingPrograms.flatMap(({ names, before: needed }) =>
    names.split(' ').map((name) => (needed === undefined ? name : `${name} 1`)),
  ),
  ...otherWrappers,
);
/** What takes the command as one text. */
const quotedIn = fc.constantFrom(
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
);
const around = fc.constantFrom<(text: string) => string>(
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
);
const beside = fc.constantFrom<(text: string) => string>(
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
);

type Layer = (text: string) => string;
const layer: fc.Arbitrary<Layer> = fc.oneof(
  {
    weight: 4,
    arbitrary: before.map(
      (word): Layer =>
        (text) =>
          word.startsWith('find') ? `${word} ${text} \\;` : `${word} ${text}`,
    ),
  },
  {
    weight: 2,
    arbitrary: tabled.map(
      (word): Layer =>
        (text) =>
          `${word} ${text}`,
    ),
  },
  {
    weight: 2,
    arbitrary: fc.tuple(quotedIn, fc.boolean()).map(
      ([word, single]): Layer =>
        (text) =>
          `${word} ${single ? singleQuoted(text) : doubleQuoted(text)}${word === 'trap' ? ' EXIT' : ''}`,
    ),
  },
  { weight: 3, arbitrary: around },
  { weight: 3, arbitrary: beside },
);

const anyPolicy = fc.constantFrom(...policies);

test('issue 5, accept 1: whatever is put around a denied command, no policy allows it', async () => {
  const seen = { deny: 0, ask: 0 };
  await fc.assert(
    fc.asyncProperty(canary, fc.array(layer, { maxLength: 4 }), anyPolicy, async (command, layers, given) => {
      const line = layers.reduce((text, wrap) => wrap(text), command);
      const { decision, reason } = await judgeCase(caseOf(line, given));
      expect({ line, given, decision, reason }).not.toMatchObject({ decision: 'allow' });
      if (decision !== 'allow') seen[decision] += 1;
    }),
    { numRuns: 1200 },
  );
  // Most of it is seen through, rather than not understood.
  expect(seen.deny).toBeGreaterThan(seen.ask / 2);
});

test('the same around a harmless command is allowed as often as not, so that the property is no matter of course', async () => {
  let allowed = 0;
  await fc.assert(
    fc.asyncProperty(beside, around, fc.constantFrom('env', 'nice', 'timeout 5', 'A=1'), async (wrap, put, word) => {
      const line = wrap(put(`${word} ls src`));
      if ((await judgeCase(caseOf(line, { policy: { mode: 'bypassPermissions', deny } }))).decision === 'allow')
        allowed += 1;
    }),
    { numRuns: 300 },
  );
  expect(allowed).toBeGreaterThan(150);
});

test('where nobody is there to ask, it is denied', async () => {
  await fc.assert(
    fc.asyncProperty(canary, fc.array(layer, { maxLength: 3 }), anyPolicy, async (command, layers, given) => {
      const line = layers.reduce((text, wrap) => wrap(text), command);
      const { decision } = await judgeCase(caseOf(line, given, false));
      expect({ line, decision }).toEqual({ line, decision: 'deny' });
    }),
    { numRuns: 500 },
  );
});

test('a command beside an allowed one is never carried along', async () => {
  const joined = fc.constantFrom<(a: string, b: string) => string>(
    (a, b) => `${a}; ${b}`,
    (a, b) => `${b} && ${a}`,
    (a, b) => `${a} || ${b}`,
    (a, b) => `${a} | ${b}`,
    (a, b) => `${a} & ${b}`,
    (a, b) => `${a}\n${b}`,
    (a, b) => `${a} $(${b}\n)`,
    (a, b) => `${a} "$(${b}\n)"`,
    (a, b) => `${a} <(${b}\n)`,
    (a, b) => `X=$(${b}\n) ${a}`,
    (a, b) => `if ${a}; then ${b}\nfi`,
    (a, b) => `mk() { ${b}\n}; ${a}`,
    (a, b) => `${a} <<EOF\n$(${b}\n)\nEOF\n`,
  );
  const policy: CasePolicy = { allow: ['Bash(mk:*)', 'Bash(* deploy *)', 'Bash(x --include=*.ts)'] };
  await fc.assert(
    fc.asyncProperty(
      joined,
      fc.constantFrom('mk', 'mk all', 'tool deploy now', 'x --include=a.ts'),
      fc.array(layer, { maxLength: 2 }),
      async (join, allowed, layers) => {
        const line = join(
          allowed,
          layers.reduce((text, wrap) => wrap(text), 'rm -rf build'),
        );
        const { decision, reason } = await judgeCase(caseOf(line, { policy }));
        expect({ line, decision, reason }).not.toMatchObject({ decision: 'allow' });
      },
    ),
    { numRuns: 500 },
  );
});

test('what the corpus denies and wants asked stays so behind any wrapper and beside any harmless command', async () => {
  const lines = permissionCorpus().filter(
    ({ call, expected, hook, classifier }) =>
      call.tool === 'Bash' && expected !== 'allow' && hook === undefined && classifier === undefined,
  );
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...lines), beside, async (subject, wrap) => {
      const { command: line } = subject.call.input;
      const command = wrap(typeof line === 'string' ? line : '');
      const { decision } = await judgeCase({
        ...subject,
        call: { tool: 'Bash', input: { ...subject.call.input, command } },
      });
      expect({ command, id: subject.id, decision }).not.toMatchObject({ decision: 'allow' });
    }),
    { numRuns: 500 },
  );
});
