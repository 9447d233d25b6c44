import { expect, test } from 'vitest';
import { caseTool } from '../testing/case-tools.ts';
import { plainPolicy, type PlainPolicy } from '../testing/judge-line.ts';
import { explainCall } from './explain-call.ts';
import { judgeCall } from './judge-call.ts';

function optionsOf(command: string, policy: PlainPolicy) {
  const resolvePath = (path: string) => Promise.resolve(path);
  return { tool: caseTool('Bash'), input: { command }, policy: plainPolicy(policy), resolvePath };
}

const explain = (command: string, policy: PlainPolicy = {}) => explainCall(optionsOf(command, policy));

test('every step says what it said, and one of them decides', async () => {
  const { steps, decision, kindText, modeVerdict } = await explain('make', { allow: ['Bash(make)'] });
  expect(decision).toMatchObject({ decision: 'allow', rule: 'Bash(make)', source: 'rules' });
  expect(steps.filter(({ decides }) => decides)).toMatchObject([{ step: 'allow rules', said: decision }]);
  expect(steps.filter(({ said }) => said !== undefined).map(({ step }) => step)).toEqual(['allow rules', 'question']);
  expect([kindText, modeVerdict]).toEqual(['any other command', 'ask']);
});

test('of a line it says which rule covers each command, and what covers none', async () => {
  const { commands } = await explain('git status && make x | sh -c "rm y" > out', { allow: ['Bash(make:*)'] });
  expect(commands?.map(({ text, covered, by }) => [text, covered, by?.rule.content])).toEqual([
    ['git status', true, undefined],
    ['make x', true, 'make:*'],
    ['sh -c "rm y"', false, undefined],
  ]);
  expect(commands?.map(({ why }) => why)).toEqual([
    'it only reads',
    'allowed by Bash(make:*)',
    'nothing lets it write out',
  ]);
  const whole = await explain('make; rm x', { allow: ['Bash', 'Bash(make)'] });
  expect(whole.decision).toMatchObject({ decision: 'allow', rule: 'Bash' });
  expect(whole.commands?.map(({ covered }) => covered)).toEqual([true, false]);
});

test('what decides is what the engine decides', async () => {
  const policies: PlainPolicy[] = [
    {},
    { deny: ['Bash(rm:*)'] },
    { ask: ['Bash(make:*)'], allow: ['Bash'] },
    { mode: 'plan' },
    { mode: 'dontAsk' },
    { mode: 'acceptEdits' },
    { sandbox: { autoAllow: true, excludedCommands: [], allowUnsandboxed: true } },
    { agentMode: 'deny' },
    { agentPolicy: { default: 'allow', rules: [] } },
  ];
  for (const policy of policies) {
    for (const command of ['ls', 'make', 'rm x', 'mkdir a', 'eval "$X"', 'cp a .git/b', '']) {
      const options = optionsOf(command, policy);
      const { places: _places, sandboxed: _sandboxed, readsOnly: _readsOnly, ...decided } = await judgeCall(options);
      const { steps, decision } = await explainCall(options);
      expect(decision).toEqual(decided);
      expect(steps.find(({ decides }) => decides)?.said).toEqual(decided);
    }
  }
});

test('a secret in a rule or a command is not told', async () => {
  const secret = 'sk-ant-0123456789abcdef';
  const text = JSON.stringify(await explain(`make KEY=${secret}; rm x`, { allow: [`Bash(make KEY=${secret})`] }));
  const { commands, decision } = JSON.parse(text) as { commands: { text: string; why: string }[]; decision: object };
  for (const { text: shown, why } of commands) expect(`${shown} ${why}`).not.toContain(secret);
  expect(JSON.stringify({ ...decision, suggestions: [] })).not.toContain(secret);
});
