import { expect, test, vi } from 'vitest';
import { seededChoices } from '../testing/choices.ts';
import { judgeCase } from '../testing/judge-case.ts';
import { caseOfLine, deniedCanary, judgeWrappedCommands } from '../testing/judge-wrapped-commands.ts';
import type { CasePolicy } from '../testing/permission-case.ts';
import { permissionCorpus } from '../testing/permission-corpus.ts';
import { around, beside, wrapped } from '../testing/wrapped-command.ts';

vi.setConfig({ testTimeout: 120_000 });

// `npm run chaos` judges tens of thousands.
test('issue 5, accept 1: whatever is put around a denied command, no policy allows it', async () => {
  const { counts, allowed } = await judgeWrappedCommands({ seed: 0, lines: 1000 });
  expect(allowed).toEqual([]);
  // Most of it is seen through, rather than not understood.
  expect(counts.deny).toBeGreaterThan(counts.ask);
});

test('the same around a harmless command is allowed as often as not, so that the property is no matter of course', async () => {
  const choices = seededChoices(1);
  let allowed = 0;
  for (let made = 0; made < 300; made += 1) {
    const word = choices.pick(['env', 'nice', 'timeout 5', 'A=1']);
    const line = choices.pick(beside)(choices.pick(around)(`${word} ls src`));
    const policy: CasePolicy = { mode: 'bypassPermissions', deny: deniedCanary };
    if ((await judgeCase(caseOfLine(line, { policy }))).decision === 'allow') allowed += 1;
  }
  expect(allowed).toBeGreaterThan(150);
});

test('where nobody is there to ask, it is denied', async () => {
  const { counts } = await judgeWrappedCommands({ seed: 2, lines: 500, layers: 3, attended: false });
  expect(counts).toEqual({ allow: 0, ask: 0, deny: 500 });
});

const joins: readonly ((allowed: string, other: string) => string)[] = [
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
];

test('a command beside an allowed one is never carried along', async () => {
  const choices = seededChoices(3);
  const policy: CasePolicy = { allow: ['Bash(mk:*)', 'Bash(* deploy *)', 'Bash(x --include=*.ts)'] };
  for (let made = 0; made < 500; made += 1) {
    const allowed = choices.pick(['mk', 'mk all', 'tool deploy now', 'x --include=a.ts']);
    const line = choices.pick(joins)(allowed, wrapped(choices, 'rm -rf build', 2));
    const { decision, reason } = await judgeCase(caseOfLine(line, { policy }));
    expect({ line, decision, reason }).not.toMatchObject({ decision: 'allow' });
  }
});

test('what the corpus denies and wants asked stays so behind any wrapper and beside any harmless command', async () => {
  const choices = seededChoices(4);
  const subjects = permissionCorpus().filter(
    ({ call, expected, hook, classifier }) =>
      call.tool === 'Bash' && expected !== 'allow' && hook === undefined && classifier === undefined,
  );
  for (let made = 0; made < 500; made += 1) {
    const { id, call, ...subject } = choices.pick(subjects);
    const { command: line } = call.input;
    const command = choices.pick(beside)(typeof line === 'string' ? line : '');
    const { decision } = await judgeCase({ id, ...subject, call: { ...call, input: { ...call.input, command } } });
    expect({ command, id, decision }).not.toMatchObject({ decision: 'allow' });
  }
});
