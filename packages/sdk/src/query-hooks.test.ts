import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { call, say, scriptedModel, type ScriptedModel, type ScriptedStep } from '@rondo/runtime/testing';
import { afterAll, expect, test, vi } from 'vitest';
import type { HookCallback } from './hooks/hook-callback.ts';
import type { Options } from './options/options.ts';
import { query } from './query.ts';
import { collectMessages } from './testing/collect-messages.ts';

const root = mkdtempSync(join(tmpdir(), 'rondo-query-hooks-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));
let places = 0;
// Real processes, on a machine that may be busy.
vi.setConfig({ testTimeout: 30_000 });

function setUp(steps: readonly ScriptedStep[], more: Options = {}) {
  const folder = join(root, `${(places += 1)}`);
  const cwd = join(folder, 'work');
  mkdirSync(cwd, { recursive: true });
  const model = scriptedModel(steps);
  const env = { PATH: process.env['PATH'], HOME: folder };
  const options: Options = {
    model,
    cwd,
    home: join(folder, 'home'),
    env,
    settingSources: [],
    stderr: () => undefined,
    ...more,
  };
  return { cwd, model, options };
}

const run = async (options: Options) => await collectMessages(query({ prompt: 'go', options }));
const told = (model: ScriptedModel) => JSON.stringify(model.requests.at(-1)?.messages);
const write = (path: string) => call('Write', { file_path: path, content: 'x' });
const before = (fields: object) => ({ hookSpecificOutput: { hookEventName: 'PreToolUse', ...fields } });
const answering =
  (fields: object): HookCallback =>
  () =>
    Promise.resolve(before(fields) as Awaited<ReturnType<HookCallback>>);
const command = (line: string) => ({ hooks: [{ type: 'command', command: line }] });

test('what a SessionStart hook exports is there for the commands of the model, keys aside', async () => {
  const line = `printf 'export GREETING="hello there"\\nexport OPENAI_API_KEY=sk-123456789\\n' >> "$CLAUDE_ENV_FILE"`;
  const { options, model } = setUp([call('Bash', { command: 'echo "[$GREETING|$OPENAI_API_KEY]"' }), say('done')], {
    allowedTools: ['Bash'],
    settings: { hooks: { SessionStart: [command(line)] } },
  });
  await run(options);
  expect(told(model)).toContain('[hello there|]');
});

test('Setup hooks are told what a new session is set up for, before all else, and only where it is', async () => {
  const events: string[] = [];
  const note: HookCallback = (input) => {
    events.push(`${input.hook_event_name} ${'trigger' in input ? input.trigger : ''}`.trim());
    return Promise.resolve({
      hookSpecificOutput: { hookEventName: 'Setup', additionalContext: 'dependencies are there' },
    });
  };
  const hooks: Options['hooks'] = {
    SessionStart: [{ hooks: [note] }],
    Setup: [{ hooks: [note] }, { matcher: 'maintenance', hooks: [note] }],
  };
  const settings = { hooks: { Setup: [command(`echo 'export READY=yes' >> "$CLAUDE_ENV_FILE"`)] } };
  const steps = [call('Bash', { command: 'echo "[$READY]"' }), say('done')];
  const { options, model } = setUp(steps, { hooks, settings, setup: 'init', allowedTools: ['Bash'] });
  const messages = await run(options);
  expect(events).toEqual(['Setup init', 'SessionStart']);
  expect(told(model)).toContain('dependencies are there');
  expect(told(model)).toContain('[yes]');
  const [first] = messages;
  if (first === undefined || !('session_id' in first)) throw new Error('no session');
  const goesOn = { ...options, model: scriptedModel([say('done')]), resume: String(first.session_id) };
  await run(goesOn);
  const { setup: _, ...plain } = setUp([say('done')], { hooks }).options;
  await run(plain);
  expect(events.slice(2)).toEqual(['SessionStart', 'SessionStart']);
});

test('what a hook tells at the beginning and at the prompt stands before the model, as text or JSON', async () => {
  const json = JSON.stringify({
    hookSpecificOutput: { hookEventName: 'UserPromptSubmit', additionalContext: 'second' },
  });
  const { options, model } = setUp([say('done')], {
    settings: {
      hooks: {
        SessionStart: [command('echo first')],
        UserPromptSubmit: [command(`echo '${json}'`), command('echo third')],
      },
    },
  });
  await run(options);
  for (const text of ['first', 'second', 'third']) expect(told(model)).toContain(text);
});

test('the strictest of a callback and a command counts', async () => {
  const { options, model, cwd } = setUp([write('a'), say('done')], {
    hooks: { PreToolUse: [{ hooks: [answering({ permissionDecision: 'allow' })] }] },
    settings: { hooks: { PreToolUse: [command('echo not this >&2; exit 2')] } },
  });
  await run(options);
  expect(existsSync(join(cwd, 'a'))).toBe(false);
  expect(told(model)).toContain('not this');
});

test('arguments that a hook puts in place are judged by the rules, whatever it allows', async () => {
  const updatedInput = { file_path: 'secret', content: 'x' };
  const { options, model, cwd } = setUp([write('a'), say('done')], {
    allowedTools: ['Write'],
    disallowedTools: ['Write(secret)'],
    settings: {
      hooks: {
        PreToolUse: [command(`echo '${JSON.stringify(before({ permissionDecision: 'allow', updatedInput }))}'`)],
      },
    },
  });
  await run(options);
  expect([existsSync(join(cwd, 'a')), existsSync(join(cwd, 'secret'))]).toEqual([false, false]);
  expect(told(model)).toMatch(/denied|not allowed|refused/i);
});

test('a prompt hook asks the model of the session, beside its conversation', async () => {
  const hook = { type: 'prompt', prompt: 'May this run? $ARGUMENTS' };
  const { options, model, cwd } = setUp([write('a'), say('{"ok": false, "reason": "too early"}'), say('done')], {
    allowedTools: ['Write'],
    settings: { hooks: { PreToolUse: [{ matcher: 'Write', hooks: [hook] }] } },
  });
  await run(options);
  expect(existsSync(join(cwd, 'a'))).toBe(false);
  expect(JSON.stringify(model.requests[1])).toContain('May this run?');
  expect(model.requests[1]?.tools).toEqual([]);
  expect(told(model)).toContain('too early');
  expect(told(model)).not.toContain('May this run?');
  model.assertDone();
});

test('what prompt hooks ask is in the result and in its budget, whatever comes of it', async () => {
  const price = { input: 100_000, output: 0 };
  const folder = join(root, 'paid');
  const usage = { inputTokens: 1, outputTokens: 1 };
  const hook = { type: 'prompt', prompt: 'May this be?' };
  const settings = { hooks: { PreToolUse: [{ hooks: [hook] }], UserPromptSubmit: [{ hooks: [hook] }] } };
  const steps = [
    say('{"ok": true}'),
    write('a'),
    say('{"ok": false, "reason": "too early"}'),
    write('b'),
    say('no verdict at all'),
    say('done'),
  ];
  const model = scriptedModel(steps, { price, usage });
  const { options } = setUp([], { model, settings, maxBudgetUsd: 100, home: folder });
  const messages = await run(options);
  const result = messages.find((message) => message.type === 'result');
  expect(model.requests).toHaveLength(6);
  expect(result).toMatchObject({
    num_turns: 3,
    modelUsage: { 'scripted/model': { inputTokens: 6, outputTokens: 6 } },
    usage: { input_tokens: 6, output_tokens: 6 },
  });
  expect(result?.total_cost_usd).toBeCloseTo(0.6, 9);
  const spent = setUp([], { model: scriptedModel(steps, { price, usage }), settings, maxBudgetUsd: 0.25 });
  await expect(run(spent.options)).rejects.toMatchObject({ message: expect.stringMatching(/budget/i) });
});

test("a project's own hooks run in its folder once somebody answers for it, and never before", async () => {
  const settings = { hooks: { PreToolUse: [{ matcher: 'Write', ...command('sh .claude/hooks/note.sh') }] } };
  const script = 'echo "$CLAUDE_PROJECT_DIR" > noted; pwd >> noted';
  for (const trustFolder of [false, true]) {
    const { options, cwd } = setUp([write('a'), say('done')], {
      allowedTools: ['Write'],
      settingSources: ['project'],
      trustFolder,
    });
    mkdirSync(join(cwd, '.claude/hooks'), { recursive: true });
    writeFileSync(join(cwd, '.claude/settings.json'), JSON.stringify(settings));
    writeFileSync(join(cwd, '.claude/hooks/note.sh'), script);
    await run(options);
    expect(existsSync(join(cwd, 'noted'))).toBe(trustFolder);
    if (trustFolder) expect(readFileSync(join(cwd, 'noted'), 'utf8')).toBe(`${cwd}\n${cwd}\n`);
  }
});

test('a session is not gone on with where one of its hooks is missing', async () => {
  const { options, model } = setUp([say('one'), say('two')], { hooks: { PreToolUse: [{ hooks: [answering({})] }] } });
  const [line] = await run(options);
  const { hooks: _, ...without } = options;
  const resume = line?.session_id ?? '';
  await expect(run({ ...without, resume })).rejects.toMatchObject({ code: 'session.config_mismatch' });
  await expect(run({ ...without, resume })).rejects.toThrow('PreToolUse/options[0].hooks[0]');
  await run({ ...options, resume });
  model.assertDone();
});

test.each(['default', 'acceptEdits', 'plan', 'dontAsk', 'bypassPermissions'] as const)(
  'in mode %s a callback, a command and a hook that fails deny alike, and nothing but that is told',
  async (permissionMode) => {
    const steps = [
      write('a'),
      call('Bash', { command: 'touch b' }),
      call('Edit', { file_path: 'c', old_string: '', new_string: 'x' }),
    ];
    const { options, model, cwd } = setUp([...steps, say('done')], {
      permissionMode,
      allowDangerouslySkipPermissions: true,
      env: { PATH: process.env['PATH'], IS_SANDBOX: '1' },
      allowedTools: ['Write', 'Bash', 'Edit'],
      hooks: { PreToolUse: [{ matcher: 'Write', hooks: [answering({ permissionDecision: 'deny' })] }] },
      settings: {
        hooks: {
          PreToolUse: [
            { matcher: 'Bash', ...command('exit 2') },
            { matcher: 'Edit', ...command('exit 1') },
          ],
        },
      },
    });
    const lines = await run(options);
    expect(['a', 'b', 'c'].filter((name) => existsSync(join(cwd, name)))).toEqual([]);
    for (const tool of ['Write', 'Bash', 'Edit']) expect(told(model)).toContain(`PreToolUse:${tool} hook error: `);
    const notices = lines.flatMap((line) =>
      line.type === 'system' && line.subtype === 'informational' ? [line.content] : [],
    );
    expect(notices).toEqual([expect.stringContaining('the hook exited with 1; so it is denied')]);
  },
);

test('a callback that would never run is refused before anything begins', async () => {
  const never = { hooks: { PreToolUse: [{ matcher: 'tool == "Write"', hooks: [answering({})] }] } };
  const { options, model } = setUp([], never);
  await expect(run(options)).rejects.toMatchObject({ code: 'input.invalid' });
  expect(model.requests).toEqual([]);
});
