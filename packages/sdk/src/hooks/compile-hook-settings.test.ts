import { hookEvents, type EventHook } from '@rondo/runtime';
import { expect, test } from 'vitest';
import { compileHookSettings, type HookSettingsContext } from './compile-hook-settings.ts';

const context: HookSettingsContext = { projectDir: '/', env: () => ({}), matchesRule: () => false };
const compile = (hooks: unknown, more: Partial<HookSettingsContext> = {}) =>
  compileHookSettings([{ name: 'settings', hooks }], { ...context, ...more });
const command = { type: 'command', command: 'true' };
const told = ({ problems }: ReturnType<typeof compile>) =>
  problems.map(({ key, severity, problem }) => `${severity} ${key} ${problem}`);
const refusal = async (hook: EventHook | undefined): Promise<unknown> =>
  await hook
    ?.run({}, { signal: new AbortController().signal, hookId: 'h', progress: () => undefined, used: () => undefined })
    .catch((error: unknown) => error);

test('every event is read, with names that say source, place and matcher', () => {
  const hooks = Object.fromEntries(
    hookEvents.map((event) => [event, [{ hooks: [command] }, { matcher: 'A|B', hooks: [command, command] }]]),
  );
  const compiled = compile(hooks);
  expect(told(compiled)).toEqual([]);
  expect(compiled.hooks.filter(({ event }) => event === 'PreToolUse').map(({ name }) => name)).toEqual([
    'PreToolUse/settings[0].hooks[0]',
    'PreToolUse/settings[1].hooks[0](A|B)',
    'PreToolUse/settings[1].hooks[1](A|B)',
  ]);
  expect(new Set(compiled.hooks.map(({ name }) => name)).size).toBe(3 * hookEvents.length);
});

test('the options of a hook', () => {
  const fields = { timeout: 5, once: true, failOpen: true, statusMessage: 'x', description: 'x', shell: 'bash' };
  const compiled = compile({ Stop: [{ description: 'd', id: 'i', hooks: [{ ...command, ...fields }, command] }] });
  expect(told(compiled)).toEqual([]);
  expect(compiled.hooks).toMatchObject([{ timeoutMs: 5000, once: true, failOpen: true }, { timeoutMs: 600_000 }]);
  expect(compiled.hooks[1]).not.toHaveProperty('failOpen');
});

test.each([
  [5000, 3_600_000, 'looks like milliseconds and is taken as seconds, capped to 3600'],
  [1000, 1_000_000, 'looks like milliseconds and is taken as seconds'],
  ['5', 600_000, 'takes seconds above 0: 600 are used'],
  [0, 600_000, 'takes seconds above 0: 600 are used'],
])('a timeout of %j', (timeout, timeoutMs, problem) => {
  const compiled = compile({ Stop: [{ hooks: [{ ...command, timeout }] }] });
  expect(compiled.hooks).toMatchObject([{ timeoutMs }]);
  expect(told(compiled)).toEqual([`warning hooks.Stop[0].hooks[0].timeout ${problem}`]);
});

test('a flat entry is a group of one', () => {
  const compiled = compile({ PreToolUse: [{ ...command, matcher: 'Bash' }, { command: 'true' }] });
  expect(compiled.hooks.map(({ name, matches }) => [name, matches?.('Edit') ?? true])).toEqual([
    ['PreToolUse/settings[0](Bash)', false],
    ['PreToolUse/settings[1]', true],
  ]);
  expect(told(compiled)).toEqual([
    'warning hooks.PreToolUse[0] is read as a group of one hook for every subject',
    'warning hooks.PreToolUse[1] is read as a group of one hook for every subject',
    'warning hooks.PreToolUse[1].type is missing and is read as "command"',
  ]);
});

test.each([
  [{ PreToolUse: { matcher: 'Bash', hooks: [command] } }, 'hooks.PreToolUse'],
  [{ PreToolUse: { Bash: 'echo' } }, 'hooks.PreToolUse'],
  [{ PreToolUse: 'echo' }, 'hooks.PreToolUse'],
  [{ PreToolUse: ['echo'] }, 'hooks.PreToolUse[0]'],
  [{ PreToolUse: [{ matcher: 'Bash', hooks: command }] }, 'hooks.PreToolUse[0].hooks'],
  [{ PreToolUse: [{ matcher: 'Bash' }] }, 'hooks.PreToolUse[0].hooks'],
  [{ PreToolUse: [{ hooks: ['echo'] }] }, 'hooks.PreToolUse[0].hooks[0]'],
  [{ PreToolUse: [{ matcher: 'a == b', hooks: [command] }] }, 'hooks.PreToolUse[0].matcher'],
  [[command], 'hooks'],
])('another form is an error that names its place and the right one: %j', (hooks, key) => {
  const { hooks: compiled, problems } = compile(hooks);
  expect(compiled).toEqual([]);
  expect(problems).toMatchObject([{ file: 'settings', key, severity: 'error' }]);
  if (!key.endsWith('matcher')) expect(problems[0]?.suggestion).toContain('"hooks": [{');
});

test.each([
  ['preToolUse', 'PreToolUse'],
  ['sessionEnd', 'SessionEnd'],
  ['PreToolUs', 'PreToolUse'],
  ['PreEditHook', undefined],
  ['ConversationStart', undefined],
  ['StopFailure', undefined],
])('an unknown event never runs: %s', (event, nearest) => {
  const { hooks, problems } = compile({ [event]: [{ hooks: [command] }], Stop: [{ hooks: [command] }] });
  expect(hooks).toHaveLength(1);
  expect(problems).toMatchObject([{ key: `hooks.${event}`, severity: 'warning' }]);
  if (nearest !== undefined) expect(problems[0]?.problem).toContain(`${nearest} is`);
});

test("another product's file is skipped", () => {
  const foreign = {
    preToolUse: [{ type: 'command', bash: './x.sh', timeoutSec: 5 }],
    sessionStart: [{ command: 'x' }],
  };
  const { hooks, problems } = compile(foreign);
  expect(hooks).toEqual([]);
  expect(problems).toMatchObject([{ key: 'hooks', severity: 'notice' }]);
});

test.each(['onFailure', 'blocking'])('%s tells the way to fail closed', (field) => {
  const { hooks, problems } = compile({ PreToolUse: [{ hooks: [{ ...command, [field]: 'block' }] }] });
  expect(hooks).toHaveLength(1);
  expect(problems).toMatchObject([{ severity: 'notice', problem: expect.stringContaining('failOpen') as string }]);
});

test('a hook that nobody waits for says so where it was to guard', () => {
  const compiled = compile({
    PreToolUse: [{ hooks: [{ ...command, async: true }] }],
    PostToolUse: [
      {
        hooks: [
          { ...command, async: true },
          { ...command, asyncRewake: true, rewakeMessage: 'x' },
        ],
      },
    ],
  });
  expect(compiled.hooks.every(({ background }) => background === true)).toBe(true);
  expect(told(compiled)).toEqual([
    'warning hooks.PreToolUse[0].hooks[0].async makes a hook that nobody waits for: it denies nothing',
    expect.stringContaining('notice hooks.PostToolUse[0].hooks[1].asyncRewake is read as async'),
  ]);
});

test('if is one permission rule; what is none of them runs on every call', () => {
  const asked: unknown[] = [];
  const matchesRule: HookSettingsContext['matchesRule'] = (rule, call) => asked.push([rule, call]) < 0;
  const rules = ['Bash(git push:*)', 'Edit(//**/x.json)', '', 7, ['Bash']];
  const unclosed = compile({ PreToolUse: [{ hooks: [{ ...command, if: 'Bash(rm' }] }] });
  expect(told(unclosed)).toEqual([expect.stringContaining('the hook runs on every call')]);
  const compiled = compile(
    { PreToolUse: [{ hooks: rules.map((rule) => ({ ...command, if: rule })) }] },
    { matchesRule },
  );
  const call = { tool_name: 'Bash', tool_input: { command: 'ls' } };
  const applies = compiled.hooks.map(({ appliesTo }) => appliesTo?.(call, { hookId: 'h' }) ?? true);
  expect(applies).toEqual([false, false, true, true, true]);
  expect(asked).toEqual(rules.slice(0, 2).map((rule) => [rule, { toolName: 'Bash', input: { command: 'ls' } }]));
  expect(compiled.problems).toHaveLength(3);
  const elsewhere = compile({ Stop: [{ hooks: [{ ...command, if: 'Bash' }] }] });
  expect(elsewhere.hooks[0]?.appliesTo).toBeUndefined();
  expect(elsewhere.problems).toHaveLength(1);
  expect(() => compiled.hooks[0]?.appliesTo?.({}, { hookId: 'h' })).toThrow('no tool');
});

test.each([
  { type: 'agent', prompt: 'p' },
  { type: 'prompt', prompt: 'p' },
  { type: 'http', url: 'https://example.org' },
  { type: 'mcp_tool', server: 's', tool: 't' },
  { type: 'script', command: 'true' },
  { type: 'command' },
  { type: 'command', command: ['true'] },
  { type: 'command', command: '  ' },
  { prompt: 'p' },
])('a hook that cannot run is an error, and denies the calls and prompts that it was to guard: %j', async (fields) => {
  for (const event of ['PreToolUse', 'PermissionRequest', 'UserPromptSubmit']) {
    const { hooks, problems } = compile({ [event]: [{ matcher: 'Bash', hooks: [{ ...fields, async: true }] }] });
    expect(problems.at(-1)).toMatchObject({ severity: 'error', key: `hooks.${event}[0].hooks[0]` });
    expect(hooks).toHaveLength(1);
    expect(hooks[0]?.background).toBeUndefined();
    expect(hooks[0]?.matches?.('Edit') ?? event === 'UserPromptSubmit').toBe(event === 'UserPromptSubmit');
    expect(await refusal(hooks[0])).toBeInstanceOf(Error);
    expect(compile({ [event]: [{ hooks: [{ ...fields, failOpen: true }] }] }).hooks).toEqual([]);
  }
  const stop = compile({ Stop: [{ hooks: [fields] }] });
  expect(stop.hooks).toEqual([]);
  expect(stop.problems.at(-1)?.severity).toBe('error');
});

test.each([
  ['prettier "$CLAUDE_TOOL_INPUT_FILE_PATH"', 'CLAUDE_TOOL_INPUT_FILE_PATH'],
  ['echo "$TOOL_INPUT" | jq .', 'TOOL_INPUT'],
  ['lint ${file}', 'file'],
  ['STDIN_JSON=$(cat); echo "$STDIN_JSON"', undefined],
  ['read -r file; lint "$file"', undefined],
  ['for file in *; do lint "$file"; done', undefined],
  ['echo "$TOOL_INPUT_DIR" "$CLAUDE_PROJECT_DIR"', undefined],
  ['echo "$TOOL_FILE"', undefined],
])('a line that reads what nothing sets is told: %s', (line, name) => {
  const compiled = compile(
    { Stop: [{ hooks: [{ type: 'command', command: line }] }] },
    { env: () => ({ TOOL_FILE: 'x' }) },
  );
  expect(compiled.hooks).toHaveLength(1);
  expect(compiled.problems.map(({ problem }) => problem)).toEqual(
    name === undefined ? [] : [`reads ${name}, which nothing sets: the input is JSON on standard input`],
  );
});
