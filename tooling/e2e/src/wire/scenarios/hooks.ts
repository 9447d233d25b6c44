import type { ScriptStep } from '@rondo/providers/scripted';
import type { HookCallbackMatcher, HookEvent, HookJSONOutput, Options } from '@rondo/sdk';
import { one, type Expectation, type Scenario, type Stage } from '../scenario.ts';

const done: ScriptStep = { text: 'Done.' };
/** A model is named and never asked. */
const unused: ScriptStep = { text: 'Nobody asks for this.' };
const write: ScriptStep = { call: 'Write', input: { file_path: '${cwd}/w.txt', content: 'w' } };

type Hooked = Partial<Record<HookEvent, HookCallbackMatcher[]>>;

/** A hook that notes what it hears, and answers. Beside an event of no call the wire gives an ID that means nothing. */
function hears(
  stage: Stage,
  answer?: HookJSONOutput | Error | ((input: never) => HookJSONOutput),
): HookCallbackMatcher['hooks'][number] {
  return async (input, toolUseId) => {
    stage.note(input.hook_event_name, input, ...('tool_use_id' in input ? [toolUseId] : []));
    if (answer instanceof Error) throw answer;
    return typeof answer === 'function' ? answer(input as never) : answer;
  };
}

function hooked(
  name: string,
  steps: readonly ScriptStep[],
  hooks: (stage: Stage) => Hooked,
  expect: Expectation,
  options: Partial<Options> = {},
): Scenario {
  return one({
    name,
    steps,
    ...(steps.includes(unused) ? { script: { unused: 'ignore' as const } } : {}),
    options: (stage) => ({ permissionMode: 'acceptEdits', hooks: hooks(stage), ...options }),
    prompt: 'go',
    expect,
  });
}

const preToolUse = (output: object): HookJSONOutput =>
  ({ hookSpecificOutput: { hookEventName: 'PreToolUse', ...output } }) as HookJSONOutput;

const everyEvent = [
  'SessionStart',
  'UserPromptSubmit',
  'PreToolUse',
  'PostToolUse',
  'PostToolUseFailure',
  'PostToolBatch',
  'Stop',
] as const;

/** Each event that callbacks hear of, and each outcome that they may have. */
export const hooks: readonly Scenario[] = [
  hooked(
    'every event of a call that succeeds',
    [write, done],
    (stage) => Object.fromEntries(everyEvent.map((event) => [event, [{ hooks: [hears(stage)] }]])),
    {
      results: [{ result: 'Done.' }],
      asked: [['SessionStart'], ['UserPromptSubmit'], ['PreToolUse'], ['PostToolUse'], ['PostToolBatch'], ['Stop']],
    },
  ),
  hooked(
    'every event of a call that fails',
    [{ call: 'Read', input: { file_path: '${cwd}/none' } }, done],
    (stage) => Object.fromEntries(everyEvent.map((event) => [event, [{ hooks: [hears(stage)] }]])),
    {
      asked: [
        ['SessionStart'],
        ['UserPromptSubmit'],
        ['PreToolUse'],
        ['PostToolUseFailure'],
        ['PostToolBatch'],
        ['Stop'],
      ],
    },
  ),
  hooked(
    'PreToolUse denies',
    [write, done],
    (stage) => ({
      PreToolUse: [
        { hooks: [hears(stage, preToolUse({ permissionDecision: 'deny', permissionDecisionReason: 'Never.' }))] },
      ],
    }),
    {
      files: { 'w.txt': null },
      asked: [['PreToolUse']],
    },
  ),
  hooked(
    'PreToolUse blocks in the old way',
    [write, done],
    (stage) => ({ PreToolUse: [{ hooks: [hears(stage, { decision: 'block', reason: 'Never.' })] }] }),
    { files: { 'w.txt': null } },
  ),
  hooked(
    'PreToolUse allows what would be asked',
    [{ call: 'Bash', input: { command: 'touch t.txt' } }, done],
    (stage) => ({ PreToolUse: [{ hooks: [hears(stage, preToolUse({ permissionDecision: 'allow' }))] }] }),
    { files: { 't.txt': '' } },
  ),
  hooked(
    'PreToolUse allows with another input',
    [write, done],
    (stage) => ({
      PreToolUse: [
        {
          hooks: [
            hears(stage, ({ tool_input }: { tool_input: object }) =>
              preToolUse({ permissionDecision: 'allow', updatedInput: { ...tool_input, content: 'other' } }),
            ),
          ],
        },
      ],
    }),
    { files: { 'w.txt': 'other' } },
  ),
  hooked(
    'PreToolUse has it asked',
    [write, done],
    (stage) => ({
      PreToolUse: [
        { hooks: [hears(stage, preToolUse({ permissionDecision: 'ask', permissionDecisionReason: 'Look.' }))] },
      ],
    }),
    { files: { 'w.txt': null } },
  ),
  one({
    name: 'PreToolUse has it asked, and the program allows it',
    steps: [write, done],
    options: (stage) => ({
      permissionMode: 'acceptEdits',
      hooks: {
        PreToolUse: [
          { hooks: [hears(stage, preToolUse({ permissionDecision: 'ask', permissionDecisionReason: 'Look.' }))] },
        ],
      },
      canUseTool: async (tool, _input, { decisionReason }) => {
        stage.note('canUseTool', tool, decisionReason);
        return { behavior: 'allow' };
      },
    }),
    prompt: 'go',
    expect: { files: { 'w.txt': 'w' }, asked: [['PreToolUse'], ['canUseTool', 'Write']] },
  }),
  hooked(
    'PreToolUse adds to what the model reads',
    [write, { expect: { user: 'The moon is full.' }, text: 'Done.' }],
    (stage) => ({ PreToolUse: [{ hooks: [hears(stage, preToolUse({ additionalContext: 'The moon is full.' }))] }] }),
    { results: [{ result: 'Done.' }] },
  ),
  hooked(
    'PreToolUse that fails denies',
    [write, done],
    (stage) => ({ PreToolUse: [{ hooks: [hears(stage, new Error('broken'))] }] }),
    { files: { 'w.txt': null } },
  ),
  hooked(
    'PreToolUse that fails and may',
    [write, done],
    (stage) => ({ PreToolUse: [{ failOpen: true, hooks: [hears(stage, new Error('broken'))] }] }),
    { files: { 'w.txt': 'w' } },
  ),
  hooked(
    'PreToolUse that stops the turn',
    [write],
    (stage) => ({ PreToolUse: [{ hooks: [hears(stage, { continue: false, stopReason: 'Enough.' })] }] }),
    {},
  ),
  hooked(
    'PreToolUse of another tool',
    [write, done],
    (stage) => ({ PreToolUse: [{ matcher: 'Bash', hooks: [hears(stage, { decision: 'block' })] }] }),
    { files: { 'w.txt': 'w' }, asked: [] },
  ),
  hooked(
    'PreToolUse by a pattern',
    [write, done],
    (stage) => ({ PreToolUse: [{ matcher: 'Read|Wri.*', hooks: [hears(stage)] }] }),
    { asked: [['PreToolUse']] },
  ),
  hooked(
    'the strictest of several hooks counts',
    [write, done],
    (stage) => ({
      PreToolUse: [
        { hooks: [hears(stage, preToolUse({ permissionDecision: 'allow' }))] },
        { hooks: [hears(stage, preToolUse({ permissionDecision: 'deny', permissionDecisionReason: 'No.' }))] },
      ],
    }),
    { files: { 'w.txt': null } },
  ),
  hooked(
    'PostToolUse blocks',
    [write, { expect: { user: 'Not good.' }, text: 'Done.' }],
    (stage) => ({ PostToolUse: [{ hooks: [hears(stage, { decision: 'block', reason: 'Not good.' })] }] }),
    { files: { 'w.txt': 'w' } },
  ),
  hooked(
    'PostToolUse adds to what the model reads',
    [write, { expect: { user: 'It rains.' }, text: 'Done.' }],
    (stage) => ({
      PostToolUse: [
        {
          hooks: [
            hears(stage, { hookSpecificOutput: { hookEventName: 'PostToolUse', additionalContext: 'It rains.' } }),
          ],
        },
      ],
    }),
    { results: [{ result: 'Done.' }] },
  ),
  hooked(
    'PostToolUse stops the turn',
    [write],
    (stage) => ({ PostToolUse: [{ hooks: [hears(stage, { continue: false, stopReason: 'Enough.' })] }] }),
    { results: [{ terminal_reason: 'hook_stopped' }] },
  ),
  hooked(
    'PostToolUse gives another output',
    [write, { expect: { results: ['other'] }, text: 'Done.' }],
    (stage) => ({
      PostToolUse: [
        { hooks: [hears(stage, { hookSpecificOutput: { hookEventName: 'PostToolUse', updatedToolOutput: 'other' } })] },
      ],
    }),
    { results: [{ result: 'Done.' }] },
  ),
  hooked(
    'PostToolUse that fails',
    [write, done],
    (stage) => ({ PostToolUse: [{ hooks: [hears(stage, new Error('broken'))] }] }),
    { files: { 'w.txt': 'w' } },
  ),
  hooked(
    'PostToolBatch adds to what the model reads',
    [write, { expect: { user: 'All of them.' }, text: 'Done.' }],
    (stage) => ({
      PostToolBatch: [
        {
          hooks: [
            hears(stage, { hookSpecificOutput: { hookEventName: 'PostToolBatch', additionalContext: 'All of them.' } }),
          ],
        },
      ],
    }),
    { results: [{ result: 'Done.' }] },
  ),
  hooked(
    'UserPromptSubmit blocks',
    [unused],
    (stage) => ({ UserPromptSubmit: [{ hooks: [hears(stage, { decision: 'block', reason: 'Not that.' })] }] }),
    { asked: [['UserPromptSubmit']] },
  ),
  hooked(
    'UserPromptSubmit adds to what the model reads',
    [{ expect: { user: 'Be kind.' }, text: 'Done.' }],
    (stage) => ({
      UserPromptSubmit: [
        {
          hooks: [
            hears(stage, { hookSpecificOutput: { hookEventName: 'UserPromptSubmit', additionalContext: 'Be kind.' } }),
          ],
        },
      ],
    }),
    { results: [{ result: 'Done.' }] },
  ),
  hooked(
    'UserPromptSubmit stops',
    [unused],
    (stage) => ({ UserPromptSubmit: [{ hooks: [hears(stage, { continue: false, stopReason: 'Enough.' })] }] }),
    { asked: [['UserPromptSubmit']] },
  ),
  hooked(
    'SessionStart adds to what the model reads',
    [{ expect: { user: 'It is Monday.' }, text: 'Done.' }],
    (stage) => ({
      SessionStart: [
        {
          hooks: [
            hears(stage, { hookSpecificOutput: { hookEventName: 'SessionStart', additionalContext: 'It is Monday.' } }),
          ],
        },
      ],
    }),
    { asked: [['SessionStart']] },
  ),
  hooked(
    'Stop wants more',
    [done, { expect: { user: 'Not yet.' }, text: 'Now.' }],
    (stage) => {
      let times = 0;
      return {
        Stop: [{ hooks: [hears(stage, () => ((times += 1) === 1 ? { decision: 'block', reason: 'Not yet.' } : {}))] }],
      };
    },
    {
      results: [{ result: 'Now.' }],
      asked: [
        ['Stop', { stop_hook_active: false }],
        ['Stop', { stop_hook_active: true }],
      ],
    },
  ),
  hooked('Stop that fails', [done], (stage) => ({ Stop: [{ hooks: [hears(stage, new Error('broken'))] }] }), {
    asked: [['Stop']],
  }),
  hooked(
    'a word to the person',
    [done],
    (stage) => ({ UserPromptSubmit: [{ hooks: [hears(stage, { systemMessage: 'Mind the step.' })] }] }),
    { lines: [{ type: 'system', subtype: 'informational' }] },
  ),
  hooked(
    'PermissionRequest allows',
    [write, done],
    (stage) => ({
      PermissionRequest: [
        {
          hooks: [
            hears(stage, {
              hookSpecificOutput: { hookEventName: 'PermissionRequest', decision: { behavior: 'allow' } },
            }),
          ],
        },
      ],
    }),
    { asked: [['PermissionRequest']], files: { 'w.txt': 'w' } },
    { permissionMode: 'default', canUseTool: async () => await new Promise<never>(() => {}) },
  ),
  hooked(
    'PermissionRequest denies',
    [write, done],
    (stage) => ({
      PermissionRequest: [
        {
          hooks: [
            hears(stage, {
              hookSpecificOutput: {
                hookEventName: 'PermissionRequest',
                decision: { behavior: 'deny', message: 'No.' },
              },
            }),
          ],
        },
      ],
    }),
    { asked: [['PermissionRequest']], files: { 'w.txt': null } },
    { permissionMode: 'default', canUseTool: async () => await new Promise<never>(() => {}) },
  ),
  hooked(
    'two hooks of one matcher',
    [write, done],
    (stage) => ({ PostToolUse: [{ hooks: [hears(stage), hears(stage)] }] }),
    { asked: [['PostToolUse'], ['PostToolUse']] },
  ),
  hooked(
    'what hooks do is shown on demand',
    [write, done],
    (stage) => ({ PreToolUse: [{ hooks: [hears(stage)] }] }),
    { results: [{ result: 'Done.' }] },
    { includeHookEvents: true },
  ),
  one({
    name: 'a command of settings as a hook',
    steps: [write, done],
    options: {
      permissionMode: 'acceptEdits',
      settings: {
        hooks: { PostToolUse: [{ matcher: 'Write', hooks: [{ type: 'command', command: 'echo seen > hook.txt' }] }] },
      } as never,
    },
    prompt: 'go',
    expect: { files: { 'hook.txt': 'seen\n' } },
  }),
  one({
    name: 'a command of settings that denies, with what it writes',
    steps: [write, done],
    options: {
      permissionMode: 'acceptEdits',
      includeHookEvents: true,
      settings: {
        hooks: { PreToolUse: [{ hooks: [{ type: 'command', command: 'echo never >&2; exit 2' }] }] },
      } as never,
    },
    prompt: 'go',
    expect: {
      files: { 'w.txt': null },
      lines: [
        { type: 'system', subtype: 'hook_started' },
        { type: 'system', subtype: 'hook_response' },
      ],
    },
  }),
];
