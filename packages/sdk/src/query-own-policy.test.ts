import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { AnyEvent } from '@rondo/protocol';
import { call, say, scriptedModel } from '@rondo/runtime/testing';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Options } from './options/options.ts';
import { query } from './query.ts';
import { getSessionEvents } from './sessions/get-session-events.ts';
import type { Settings } from './settings/settings.ts';
import { collectMessages } from './testing/collect-messages.ts';

// Sessions load the runtime, the tools and the sandbox; a busy machine takes its time with that.
vi.setConfig({ testTimeout: 60_000 });

let root = '';
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'rondo-own-'));
  for (const name of ['me', 'work', 'state', 'managed']) mkdirSync(join(root, name));
  Reflect.set(globalThis, Symbol.for('rondo.managed-folder'), join(root, 'managed'));
  write('work/tools/check.sh', 'exit 0');
  write('me/bin/guard', 'exit 0');
  write('work/tools/first.cjs', '');
});
afterEach(() => {
  Reflect.deleteProperty(globalThis, Symbol.for('rondo.managed-folder'));
  rmSync(root, { recursive: true, force: true });
});

function write(name: string, content: string | Settings): void {
  mkdirSync(dirname(join(root, name)), { recursive: true });
  writeFileSync(join(root, name), typeof content === 'string' ? content : JSON.stringify(content));
}

const hook = (command: string): Settings => ({
  hooks: { PostToolUse: [{ matcher: 'Nothing', hooks: [{ type: 'command', command }] }] },
});

/** Every way that a file is written by, allowed as widely as rules can say without naming it. */
const wide: Options = {
  permissionMode: 'acceptEdits',
  allowedTools: ['Write', 'Edit', 'Bash(echo:*)', 'Bash(cp:*)', 'Bash(mv:*)'],
};

async function decisionsOn(path: string, more: Options = {}): Promise<readonly string[]> {
  const at = join(root, path);
  const lines = await collectMessages(
    query({
      prompt: 'work',
      options: {
        model: scriptedModel([
          call('Write', { file_path: at, content: 'taken' }),
          call('Bash', { command: `echo taken > ${at}` }),
          call('Bash', { command: `cp a.txt ${at}` }),
          call('Bash', { command: `mv ${at} ${at}.away` }),
          say('done'),
        ]),
        home: join(root, 'state'),
        cwd: join(root, 'work'),
        additionalDirectories: [join(root, 'me'), join(root, 'state')],
        env: { PATH: process.env['PATH'], HOME: join(root, 'me') },
        ...wide,
        ...more,
      },
    }),
  );
  const events: AnyEvent[] = [];
  const id = lines.find((line) => line.type === 'system')?.session_id ?? '';
  for await (const event of getSessionEvents(id, { home: join(root, 'state') })) events.push(event);
  return events.flatMap((event) => (event.type === 'tool.decided' ? [event.decision] : []));
}

const none = ['deny', 'deny', 'deny', 'deny'];

test.each<[string, string, () => Options | void]>([
  ['a script of the user’s hook', 'work/tools/check.sh', () => write('state/settings.json', hook('./tools/check.sh'))],
  ['a script by the home folder', 'me/bin/guard', () => write('state/settings.json', hook('~/bin/guard --now'))],
  ['a script by its whole path', 'me/bin/guard', () => ({ settings: hook(`sh ${join(root, 'me/bin/guard')}`) })],
  [
    'a script of a hook that nobody trusts yet',
    'work/tools/check.sh',
    () => write('work/.claude/settings.json', hook('"$CLAUDE_PROJECT_DIR"/tools/check.sh')),
  ],
  [
    'a script of an administrator’s hook',
    'work/tools/check.sh',
    () => write('managed/managed-settings.json', hook('tools/check.sh')),
  ],
  ['a script that is not there yet', 'work/later/check.sh', () => ({ settings: hook('sh later/check.sh') })],
  [
    'a module that a variable has node load',
    'work/tools/first.cjs',
    () => ({ settings: { env: { NODE_OPTIONS: '--require ./tools/first.cjs' } } }),
  ],
  ['the helper for the key', 'me/bin/guard', () => ({ settings: { apiKeyHelper: '$HOME/bin/guard' } })],
  ['what is trusted', 'state/trust/any.json', () => undefined],
  ['the log of a session', 'state/sessions/2026-01/x/log.jsonl', () => undefined],
  ['the person’s settings', 'state/settings.json', () => undefined],
  [
    'a file of settings',
    'work/flags.json',
    () => (write('work/flags.json', '{}'), { settings: join(root, 'work/flags.json') }),
  ],
  ['a hook of git', 'work/.git/hooks/pre-commit', () => undefined],
  ['a start file of the shell', 'me/.bashrc', () => undefined],
])('%s is not changed unless somebody says so', async (_, path, given) => {
  write('work/a.txt', 'taken');
  const more = given() ?? {};
  const before = existsSync(join(root, path)) ? readFileSync(join(root, path), 'utf8') : undefined;
  expect(await decisionsOn(path, more)).toEqual(none);
  expect(existsSync(join(root, path)) ? readFileSync(join(root, path), 'utf8') : undefined).toBe(before);
});

test('what nothing names is written as ever, and so is what a rule names', async () => {
  write('work/a.txt', 'taken');
  expect(await decisionsOn('work/tools/other.sh')).toEqual(['allow', 'allow', 'allow', 'allow']);
  const settings = hook('./tools/check.sh');
  const allowedTools = [...(wide.allowedTools ?? []), 'Edit(./tools/check.sh)'];
  expect(await decisionsOn('work/tools/check.sh', { settings, allowedTools })).toEqual([
    'allow',
    'allow',
    'allow',
    'allow',
  ]);
});

test('a hook that settings name meanwhile is protected from then on', async () => {
  write('state/settings.json', {});
  const at = join(root, 'work/tools/check.sh');
  const lines = await collectMessages(
    query({
      prompt: 'work',
      options: {
        model: scriptedModel([
          call('Write', { file_path: at, content: 'first' }),
          () => {
            write('state/settings.json', hook('./tools/check.sh'));
            return call('Write', { file_path: at, content: 'second' });
          },
          say('done'),
        ]),
        home: join(root, 'state'),
        cwd: join(root, 'work'),
        env: { PATH: process.env['PATH'], HOME: join(root, 'me') },
        ...wide,
      },
    }),
  );
  expect(lines.at(-1)).toMatchObject({ type: 'result', subtype: 'success' });
  expect(readFileSync(at, 'utf8')).toBe('first');
});
