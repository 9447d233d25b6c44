import type { ScriptStep } from '@rondo/providers/scripted';
import type { Options } from '@rondo/sdk';
import { one, type Expectation, type Scenario, type Stage } from '../scenario.ts';

type Answer = Awaited<ReturnType<NonNullable<Options['canUseTool']>>>;

const done: ScriptStep = { text: 'Done.' };
const write: ScriptStep = { call: 'Write', input: { file_path: '${cwd}/w.txt', content: 'w' } };
const command: ScriptStep = { call: 'Bash', input: { command: 'touch t.txt' } };

const refusedBypasses: readonly (readonly [string, Partial<Options>])[] = [
  ['bypassing that nobody consented to', {}],
  [
    'bypassing that managed settings switch off',
    {
      allowDangerouslySkipPermissions: true,
      managedSettings: { permissions: { disableBypassPermissionsMode: 'disable' } },
    },
  ],
];

/** A function that answers as it is said, call by call, and notes what it was asked. */
function answering(
  stage: Stage,
  ...answers: readonly (Answer | ((input: Record<string, unknown>) => Answer) | Error)[]
) {
  let at = 0;
  const canUseTool: NonNullable<Options['canUseTool']> = async (tool, input, { signal: _signal, ...about }) => {
    stage.note('canUseTool', tool, input, about);
    const answer = answers[Math.min(at, answers.length - 1)];
    at += 1;
    if (answer instanceof Error) throw answer;
    return typeof answer === 'function' ? answer(input) : (answer as Answer);
  };
  return { canUseTool };
}

const allow: Answer = { behavior: 'allow' };
const deny: Answer = { behavior: 'deny', message: 'Not today.' };

function asking(
  name: string,
  steps: readonly ScriptStep[],
  answers: Parameters<typeof answering> extends [Stage, ...infer Rest] ? Rest : never,
  expect: Expectation,
  options: object = {},
): Scenario {
  return one({
    name,
    steps: expect.throws === undefined ? [...steps, done] : steps,
    files: { 'a.txt': 'alpha\n' },
    options: (stage) => ({ ...answering(stage, ...answers), ...options }),
    prompt: 'go',
    expect,
  });
}

const modes = ['default', 'acceptEdits', 'plan', 'dontAsk', 'bypassPermissions'] as const;
const calls: readonly (readonly [string, ScriptStep])[] = [
  ['a read', { call: 'Read', input: { file_path: '${cwd}/a.txt' } }],
  ['a write', write],
  ['a command', command],
];

/** Who decides on a call: rules, modes, and the program's function. */
export const permissions: readonly Scenario[] = [
  asking('allowed', [write], [allow], { files: { 'w.txt': 'w' }, asked: [['canUseTool', 'Write']] }),
  asking('denied', [write], [deny], {
    files: { 'w.txt': null },
    asked: [['canUseTool', 'Write']],
    results: [{ permission_denials: [{ tool_name: 'Write' }] }],
    lines: [{ type: 'user', message: { content: [{ is_error: true, content: 'Not today.' }] } }],
  }),
  asking('denied with an interrupt', [write].slice(0, 1), [{ behavior: 'deny', message: 'Stop.', interrupt: true }], {
    files: { 'w.txt': null },
    results: [{ is_error: true, terminal_reason: 'aborted_tools' }],
    throws: /error result/,
  }),
  asking(
    'allowed with another input',
    [write],
    [(input) => ({ behavior: 'allow', updatedInput: { ...input, content: 'other' } })],
    {
      files: { 'w.txt': 'other' },
    },
  ),
  asking('a function that throws', [write], [new Error('out of order')], { files: { 'w.txt': null } }),
  asking(
    'allowed, with a rule for the session',
    [command, { call: 'Bash', input: { command: 'touch u.txt' } }],
    [
      {
        behavior: 'allow',
        updatedPermissions: [
          {
            type: 'addRules',
            rules: [{ toolName: 'Bash', ruleContent: 'touch:*' }],
            behavior: 'allow',
            destination: 'session',
          },
        ],
      },
      deny,
    ],
    { files: { 't.txt': '', 'u.txt': '' }, asked: [['canUseTool', 'Bash']] },
  ),
  asking(
    'allowed, with another mode',
    [write, { call: 'Write', input: { file_path: '${cwd}/x.txt', content: 'x' } }],
    [
      { behavior: 'allow', updatedPermissions: [{ type: 'setMode', mode: 'acceptEdits', destination: 'session' }] },
      deny,
    ],
    { files: { 'w.txt': 'w', 'x.txt': 'x' }, asked: [['canUseTool', 'Write']] },
  ),
  asking('allowed, then denied', [write, command], [allow, deny], {
    files: { 'w.txt': 'w', 't.txt': null },
    asked: [
      ['canUseTool', 'Write'],
      ['canUseTool', 'Bash'],
    ],
  }),
  asking('two questions of one reply', [{ reply: [{ ...write }, { ...command }] } as ScriptStep], [allow, deny], {
    files: { 'w.txt': 'w' },
  }),
  asking(
    'not asked about what a rule allows',
    [command],
    [deny],
    { files: { 't.txt': '' }, asked: [] },
    { allowedTools: ['Bash(touch:*)'] },
  ),
  asking(
    'not asked about what a rule denies',
    [command],
    [allow],
    { files: { 't.txt': null }, asked: [] },
    { disallowedTools: ['Bash(touch:*)'] },
  ),
  asking(
    'asked about what a rule says to ask',
    [{ call: 'Read', input: { file_path: '${cwd}/a.txt' } }],
    [allow],
    { asked: [['canUseTool', 'Read']] },
    { settings: { permissions: { ask: ['Read'] } } },
  ),
  asking('a read outside of the folder', [{ call: 'Read', input: { file_path: '/etc/hostname' } }], [deny], {
    asked: [['canUseTool', 'Read']],
  }),
  asking('the answer’s input does not fit', [write], [{ behavior: 'allow', updatedInput: { file_path: 7 } }], {
    files: { 'w.txt': null },
  }),

  ...modes.flatMap((permissionMode) =>
    calls.map(([what, step]) =>
      one({
        name: `${what} in the mode ${permissionMode}, with nobody to ask`,
        steps: [step, done],
        files: { 'a.txt': 'alpha\n' },
        env: { IS_SANDBOX: '1' },
        options: { permissionMode, allowDangerouslySkipPermissions: permissionMode === 'bypassPermissions' },
        prompt: 'go',
        expect: { results: [{ result: 'Done.' }], asked: [] },
      }),
    ),
  ),
  ...(['acceptEdits', 'plan', 'dontAsk'] as const).map((permissionMode) =>
    asking(
      `a write and a command in the mode ${permissionMode}, with somebody to ask`,
      [write, command],
      [allow],
      {
        results: [{ result: 'Done.' }],
      },
      { permissionMode },
    ),
  ),
  one({
    name: 'a tool that is taken away',
    steps: [{ expect: { tools: ['Read', 'Write', 'Edit'] }, call: 'Bash', input: { command: 'ls' } }, done],
    options: { disallowedTools: ['Bash'] },
    prompt: 'go',
    expect: { lines: [{ type: 'system', subtype: 'init', tools: ['Read', 'Write', 'Edit'] }] },
  }),
  one({
    name: 'deny rules of settings',
    steps: [{ call: 'Read', input: { file_path: '${cwd}/secret/a.txt' } }, done],
    files: { 'secret/a.txt': 'hidden' },
    options: { settings: { permissions: { deny: ['Read(./secret/**)'] } } },
    prompt: 'go',
    expect: { results: [{ permission_denials: [{ tool_name: 'Read' }] }] },
  }),
  one({
    name: 'compound commands are judged part by part',
    steps: [{ call: 'Bash', input: { command: 'echo a; rm a.txt' } }, done],
    files: { 'a.txt': 'alpha\n' },
    options: { allowedTools: ['Bash(echo:*)'], disallowedTools: ['Bash(rm:*)'] },
    prompt: 'go',
    expect: { files: { 'a.txt': 'alpha\n' } },
  }),
  one({
    name: 'managed settings that restrict',
    steps: [command, done],
    options: { allowedTools: ['Bash'], managedSettings: { permissions: { deny: ['Bash(touch:*)'] } } },
    prompt: 'go',
    expect: { files: { 't.txt': null } },
  }),
  one({
    name: 'the settings of the folder, chosen',
    steps: [command, done],
    files: { '.claude/settings.json': '{"permissions":{"deny":["Bash(touch:*)"]}}' },
    options: { allowedTools: ['Bash'], settingSources: ['project'] },
    prompt: 'go',
    expect: { files: { 't.txt': null } },
  }),
  one({
    name: 'no settings of files',
    steps: [command, done],
    files: { '.claude/settings.json': '{"permissions":{"deny":["Bash(touch:*)"]}}' },
    options: { allowedTools: ['Bash'], settingSources: [] },
    prompt: 'go',
    expect: { files: { 't.txt': '' } },
  }),
  one({
    name: 'settings as a file',
    steps: [command, done],
    files: { 'mine.json': '{"permissions":{"allow":["Bash(touch:*)"]}}' },
    options: ({ project }) => ({ settings: `${project}/mine.json` }),
    prompt: 'go',
    expect: { files: { 't.txt': '' } },
  }),
  ...refusedBypasses.map(([name, options]) =>
    one({
      name,
      steps: [done],
      script: { unused: 'ignore' },
      env: { IS_SANDBOX: '1' },
      options: { permissionMode: 'bypassPermissions', ...options },
      prompt: 'go',
      // Like every mode that is none: nothing began, so that there is no line of it.
      expect: { results: [], lines: [], throws: /bypass|refused/i },
    }),
  ),
];
