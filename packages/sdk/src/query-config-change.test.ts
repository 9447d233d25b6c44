import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { AnyEvent, SDKUserMessage } from '@rondo/protocol';
import { call, say, scriptedModel, type ScriptedStep } from '@rondo/runtime/testing';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { HookCallback } from './hooks/hook-callback.ts';
import type { Options } from './options/options.ts';
import { query } from './query.ts';
import { replaySession } from './index.ts';
import { getSessionEvents } from './sessions/get-session-events.ts';
import type { Settings } from './settings/settings.ts';
import { collectMessages } from './testing/collect-messages.ts';

// Sessions load the runtime, the tools and the sandbox; a busy machine takes its time with that.
vi.setConfig({ testTimeout: 60_000 });

let root = '';
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'rondo-change-'));
  for (const name of ['home', 'work', 'managed']) mkdirSync(join(root, name));
  Reflect.set(globalThis, Symbol.for('rondo.managed-folder'), join(root, 'managed'));
});
afterEach(() => {
  Reflect.deleteProperty(globalThis, Symbol.for('rondo.managed-folder'));
  rmSync(root, { recursive: true, force: true });
});

const at = (name: string) => join(root, name);
function write(name: string, content: string | Settings): void {
  mkdirSync(dirname(at(name)), { recursive: true });
  writeFileSync(at(name), typeof content === 'string' ? content : JSON.stringify(content));
}
const touch = (name: string) => call('Bash', { command: `touch ${at(name)}` });
const allows = (...names: string[]): Settings => ({
  permissions: { allow: names.map((name) => `Bash(touch ${at(name)})`) },
});
const denies = (...names: string[]): Settings => ({
  permissions: { deny: names.map((name) => `Bash(touch ${at(name)})`) },
});

async function run(steps: readonly ScriptedStep[], more: Options = {}) {
  const options: Options = {
    model: scriptedModel([...steps, say('done')]),
    home: at('home'),
    cwd: at('work'),
    env: { PATH: process.env['PATH'], HOME: root },
    ...more,
  };
  async function* prompt(): AsyncGenerator<SDKUserMessage> {
    yield { type: 'user', message: { role: 'user', content: 'work' }, parent_tool_use_id: null };
  }
  const lines = await collectMessages(query({ prompt: prompt(), options }));
  const id = lines.find((line) => line.type === 'system')?.session_id ?? '';
  const events: AnyEvent[] = [];
  for await (const event of getSessionEvents(id, { home: at('home') })) events.push(event);
  return {
    id,
    lines,
    decisions: events.flatMap((event) => (event.type === 'tool.decided' ? [event.decision] : [])),
    notices: events.flatMap((event) => (event.type === 'notice' ? [event] : [])),
    events,
  };
}

/** Steps before each of which something happens. */
const then =
  (happens: () => void, step: ScriptedStep): ScriptedStep =>
  () => {
    happens();
    return step;
  };

const told: unknown[] = [];
const telling = (answer: Awaited<ReturnType<HookCallback>> = {}): Options => {
  told.length = 0;
  const hook: HookCallback = (input) => {
    told.push(input);
    return Promise.resolve(answer);
  };
  return { hooks: { ConfigChange: [{ hooks: [hook] }] } };
};
const blocking = () => telling({ decision: 'block', reason: 'not now' });

test.each<[string, string, string]>([
  ['user_settings', 'home/settings.json', 'allow'],
  ['project_settings', 'work/.rondo/settings.json', 'deny'],
  ['local_settings', 'work/.claude/settings.local.json', 'deny'],
  ['policy_settings', 'managed/managed-settings.json', 'allow'],
])('hooks are told of a change of %s, once, before it counts', async (source, file, decision) => {
  const { decisions } = await run(
    [touch('a'), then(() => write(file, allows('a')), touch('a')), touch('a')],
    telling(),
  );
  // What nobody trusts allows nothing.
  expect(decisions).toEqual(['deny', decision, decision]);
  expect(told).toMatchObject([{ hook_event_name: 'ConfigChange', source, file_path: at(file) }]);
});

test('a matcher is about the source', async () => {
  const hook: HookCallback = () => Promise.resolve({ decision: 'block' });
  const hooks = { ConfigChange: [{ matcher: 'project_settings', hooks: [hook] }] };
  const { decisions } = await run([then(() => write('home/settings.json', allows('a')), touch('a'))], { hooks });
  expect(decisions).toEqual(['allow']);
});

test('a change that a hook blocks narrows all the same, and allows nothing', async () => {
  write('home/settings.json', denies('a'));
  const both: Settings = { permissions: { ...denies('b').permissions, ...allows('a', 'c').permissions } };
  const { decisions, notices } = await run(
    [then(() => write('home/settings.json', both), touch('a')), touch('b'), touch('c')],
    { ...blocking(), allowedTools: [`Bash(touch ${at('b')})`] },
  );
  expect(decisions).toEqual(['deny', 'deny', 'deny']);
  expect(told).toHaveLength(1);
  expect(notices).toMatchObject([{ level: 'error', details: { status: 'settings_held' } }]);
  expect(notices[0]?.message).toContain('a hook blocks that: not now');
});

test('nobody blocks what an administrator says', async () => {
  const change = () =>
    write('managed/managed-settings.json', { permissions: { ...allows('a').permissions, ...denies('b').permissions } });
  const { decisions } = await run([then(change, touch('a')), touch('b')], { ...blocking(), allowedTools: ['Bash'] });
  expect(decisions).toEqual(['allow', 'deny']);
});

test('a hook that fails has nothing against it', async () => {
  const failing: HookCallback = () => Promise.reject(new Error('broken'));
  const { decisions } = await run([then(() => write('home/settings.json', allows('a')), touch('a'))], {
    hooks: { ConfigChange: [{ hooks: [failing] }] },
  });
  expect(decisions).toEqual(['allow']);
});

test('a hook that settings bring meanwhile does not run, and one that they lose stays', async () => {
  const hooked = (name: string): Settings => ({
    hooks: { PreToolUse: [{ hooks: [{ type: 'command', command: `touch ${at(name)}` }] }] },
    ...allows('a'),
  });
  write('home/settings.json', hooked('first'));
  await run([
    then(() => write('work/.rondo/settings.json', hooked('of-folder')), touch('a')),
    then(() => write('home/settings.json', hooked('second')), touch('a')),
  ]);
  expect(['first', 'second', 'of-folder'].filter((name) => existsSync(at(name)))).toEqual(['first']);

  write('home/settings.json', hooked('first'));
  for (const broken of ['{"hooks": {', '', '{"hooks": {}, "disableAllHooks": true}']) {
    const again = () => {
      rmSync(at('first'), { force: true });
      write('home/settings.json', broken);
    };
    await run([touch('a'), then(again, touch('a'))]);
    expect(existsSync(at('first')), broken).toBe(true);
    write('home/settings.json', hooked('first'));
  }
});

test('what a person allows for good is written without asking hooks, and their answer to others’ changes still counts', async () => {
  const { decisions } = await run(
    [touch('a'), touch('a'), then(() => write('home/settings.json', allows('b')), touch('b'))],
    {
      ...blocking(),
      canUseTool: (_name, input, { suggestions }) =>
        Promise.resolve({ behavior: 'allow', updatedInput: input, updatedPermissions: suggestions ?? [] }),
    },
  );
  expect(decisions.slice(0, 2)).toEqual(['allow', 'allow']);
  expect(told).toMatchObject([{ source: 'user_settings' }]);
});

test('a session in which settings changed is replayed as it was', async () => {
  const { id } = await run([touch('a'), then(() => write('home/settings.json', allows('a')), touch('a'))], telling());
  const replay = await replaySession(id, { home: at('home') });
  expect(replay).toMatchObject({ mode: 'strict', changes: [], decisions: 2 });
});
