import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { EventHook, HookOutput } from '@rondo/runtime';
import { afterAll, expect, test, vi } from 'vitest';
import { compileHookSettings, type HookSettingsContext } from './compile-hook-settings.ts';

const root = mkdtempSync(join(tmpdir(), "hooks of a plug's root "));
afterAll(() => rmSync(root, { recursive: true, force: true }));
// Real processes, on a machine that may be busy.
vi.setConfig({ testTimeout: 30_000 });

const env = { PATH: process.env['PATH'] ?? '/usr/bin:/bin', HOME: root };

function hookOf(event: string, fields: object, more: Partial<HookSettingsContext> & { pluginRoot?: string } = {}) {
  const { pluginRoot, ...context } = more;
  const { hooks, problems } = compileHookSettings(
    [{ name: 'settings', hooks: { [event]: [{ hooks: [{ type: 'command', ...fields }] }] }, pluginRoot }],
    { projectDir: root, env: () => env, ...context },
  );
  const [hook] = hooks;
  if (hook === undefined) throw new Error(JSON.stringify(problems));
  return hook;
}

const contextOf = (signal: AbortSignal) => ({
  signal,
  hookId: 'h',
  progress: () => undefined,
  used: () => undefined,
});
const run = (hook: EventHook, input: object = { tool_name: 'Bash' }, signal = new AbortController().signal) =>
  hook.run(input as never, contextOf(signal));

/** What is dead and not yet taken note of by its parent does not run. */
function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !/\) Z/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}

test('it is given its input as one line of JSON and tells by its output', async () => {
  const input = { hook_event_name: 'PreToolUse', tool_input: { command: "echo 'ü\n\u2028'" } };
  const { answer, output } = await run(
    hookOf('UserPromptSubmit', { command: 'cat; printf %s "$(wc -l </dev/stdin)" >&2' }),
    input,
  );
  expect(answer).toEqual({});
  expect(JSON.parse(output?.stdout ?? '')).toEqual(input);
  expect(output).toEqual({ stdout: `${JSON.stringify(input)}\n`, stderr: '1', exitCode: 0 });
});

test('it runs in the project with the documented variables, and without what it was not given', async () => {
  const hook = hookOf('UserPromptSubmit', {
    command:
      'pwd; echo "$CLAUDE_PROJECT_DIR"; echo "$RONDO_PROJECT_DIR"; echo "[$CLAUDE_PLUGIN_ROOT$CLAUDE_ENV_FILE$VITEST]"',
  });
  const { answer } = await run(hook);
  expect(answer.additionalContext?.split('\n')).toEqual([root, root, root, '[]']);
});

test("a plugin's folder is there as a variable and in the text, whatever its name and the quotes around it", async () => {
  const pluginRoot = join(root, `my "plug" $HOME \`x\``);
  mkdirSync(pluginRoot, { recursive: true });
  writeFileSync(join(pluginRoot, 'say.sh'), 'echo said');
  const lines = [
    'sh ${CLAUDE_PLUGIN_ROOT}/say.sh',
    'sh "${CLAUDE_PLUGIN_ROOT}/say.sh"',
    'sh "${CLAUDE_PLUGIN_ROOT}"/say.sh',
    "node -e 'console.log(require(`fs`).existsSync(process.argv[1]) && `said`)' '${CLAUDE_PLUGIN_ROOT}/say.sh'",
    'sh "$CLAUDE_PLUGIN_ROOT/say.sh"',
    'sh "${CLAUDE_PLUGIN_ROOT:-.}/say.sh"',
    'sh "$RONDO_PLUGIN_ROOT"/say.sh',
    `echo 'it'"'"'s' \\" >/dev/null; sh \${CLAUDE_PLUGIN_ROOT}/say.sh`,
  ];
  for (const command of lines) {
    const { answer } = await run(hookOf('UserPromptSubmit', { command }, { pluginRoot }));
    expect([command, answer.additionalContext]).toEqual([command, 'said']);
  }
});

test('what SessionStart exports to CLAUDE_ENV_FILE reaches later commands, and only then is it offered', async () => {
  const variables: Record<string, string> = {};
  const setVariables = (set: Readonly<Record<string, string>>) => void Object.assign(variables, set);
  const command = `printf '%s\\n' 'export GREETING="hello  there"' 'export PATH="/opt/x:$PATH"' 'PLAIN=1' >> "$CLAUDE_ENV_FILE"`;
  await run(hookOf('SessionStart', { command }, { setVariables }));
  expect(variables).toEqual({ GREETING: 'hello  there', PATH: `/opt/x:${env.PATH}`, PLAIN: '1' });
  const other = await run(hookOf('UserPromptSubmit', { command: 'echo "[$CLAUDE_ENV_FILE]"' }, { setVariables }));
  expect(other.answer.additionalContext).toBe('[]');
  const broken = hookOf('SessionStart', { command: 'echo "export A=(" >> "$CLAUDE_ENV_FILE"' }, { setVariables });
  await expect(run(broken)).rejects.toThrow('CLAUDE_ENV_FILE');
});

test('what it wrote goes with its failure', async () => {
  const error: unknown = await run(hookOf('PreToolUse', { command: 'echo out; echo err >&2; exit 7' })).catch(
    (thrown: unknown) => thrown,
  );
  expect(error).toMatchObject({
    message: 'the hook exited with 7: err',
    output: { stdout: 'out\n', stderr: 'err\n', exitCode: 7 } satisfies HookOutput,
  });
});

test('it is ended with all that it started when its signal aborts', async () => {
  const pid = join(root, 'pid');
  const controller = new AbortController();
  const hook = hookOf('PreToolUse', {
    command: 'sleep 60 & echo $! > "$CLAUDE_PROJECT_DIR/pid.new"; mv pid.new pid; wait',
  });
  const ran = run(hook, {}, controller.signal);
  let child: number | undefined;
  while (child === undefined) {
    await new Promise((resolve) => setImmediate(resolve));
    try {
      child = Number(readFileSync(pid, 'utf8'));
    } catch {
      // It is not there yet.
    }
  }
  controller.abort();
  await expect(ran).rejects.toThrow('aborted');
  expect(isRunning(child)).toBe(false);
});

test('a child in the background does not keep it, and does not stay', async () => {
  const { output } = await run(hookOf('Stop', { command: 'sleep 60 & echo $!' }));
  const child = Number(output?.stdout);
  expect(child).toBeGreaterThan(1);
  expect(isRunning(child)).toBe(false);
});

test('one that says by its first line that it goes on is not waited for, unless it says more', async () => {
  const later = JSON.stringify({
    hookSpecificOutput: { hookEventName: 'PreToolUse', additionalContext: 'all is well' },
  });
  const goesOn = hookOf('PreToolUse', { command: `echo '{"async":true,"asyncTimeout":9000}'; echo '${later}'` });
  const { answer, later: rest } = await run(goesOn);
  expect([answer, rest?.timeoutMs]).toEqual([{}, 9000]);
  const { signal } = new AbortController();
  expect((await rest?.run(contextOf(signal)))?.answer).toEqual({ additionalContext: 'all is well' });
  const stays = await run(hookOf('PreToolUse', { command: 'echo \'{"async":true}\'; echo $$; exec sleep 60' }));
  expect(stays.later?.timeoutMs).toBe(15_000);
  const stop = new AbortController();
  const ending = stays.later?.run(contextOf(stop.signal));
  stop.abort();
  await expect(ending).rejects.toThrow('aborted');
  const denies = hookOf('PreToolUse', { command: 'echo \'{"async":true,"decision":"block"}\'; sleep 0' });
  expect((await run(denies)).answer.decision).toBe('deny');
  const ended = hookOf('PreToolUse', { command: 'printf \'{"async":true}\'' });
  expect((await run(ended)).answer).toEqual({});
});

test('a program that cannot be started is a failure', async () => {
  const hook = hookOf('PreToolUse', { command: 'true' }, { projectDir: join(root, 'gone') });
  await expect(run(hook)).rejects.toThrow('does not exist');
});

test('a prompt hook asks a model, whose yes allows nothing', async () => {
  const prompts: string[] = [];
  const refusal = '{"ok": false, "reason": "too bold"}';
  const replies = ['{"ok": true}', `\`\`\`json\n${refusal}\n\`\`\``, 'Sure!', '{"ok": "yes"}'];
  const askModel = (prompt: string) => {
    prompts.push(prompt);
    return Promise.resolve(replies.shift() ?? '');
  };
  const hook = hookOf('PreToolUse', { type: 'prompt', prompt: 'Is $ARGUMENTS fine?' }, { askModel });
  const input = { tool_input: { command: "$& $' $1" } };
  expect((await run(hook, input)).answer).toEqual({});
  expect((await run(hook, input)).answer).toEqual({ decision: 'deny', reason: 'too bold' });
  await expect(run(hook, input)).rejects.toThrow('the model');
  await expect(run(hook, input)).rejects.toThrow('the model');
  expect(prompts[0]).toContain(`Is ${JSON.stringify(input)} fine?`);
});
