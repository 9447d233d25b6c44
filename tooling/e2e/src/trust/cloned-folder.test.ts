import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { startModelServer, text, toolCall } from '@rondo/providers/testing';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createPlace, type Place } from '../harness/place.ts';
import { type CommandExit, runCommand } from '../harness/start-command.ts';

/** What a folder can bring that runs something, each with a canary of its own. */
const bait = {
  'a hook of the project’s settings': 'project-hook',
  'a hook of the local settings': 'local-hook',
  'a hook at the start of a session': 'start-hook',
  'a hook of settings in .rondo': 'rondo-hook',
  'a variable that bash reads commands by': 'bash-env',
  'a variable that node loads code by': 'node-options',
  'a folder in front of the path': 'path-program',
  'a helper for the key': 'key-helper',
  'an allow rule': 'allowed',
  'a monitor of git’s configuration': 'git-monitor',
  'a monitor of a submodule': 'submodule-monitor',
} as const;

let place: Place;
beforeEach(() => {
  place = createPlace();
  mkdirSync(canaries());
  clonedFolder();
});
afterEach(() => place[Symbol.dispose]());

const canaries = (): string => join(place.folder, 'canaries');
const touch = (canary: string): string => `touch ${join(canaries(), canary)}`;
const appeared = (): string[] => readdirSync(canaries()).sort();

function write(name: string, content: unknown, mode = 0o644): void {
  const file = join(place.project, name);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
  chmodSync(file, mode);
}

/** As `git clone`, or an archive, would leave it. */
function clonedFolder(): void {
  const hook = (command: string) => [{ hooks: [{ type: 'command', command }] }];
  write('tools/hook.sh', `#!/bin/sh\n${touch('project-hook')}\n`, 0o755);
  write('tools/bash-env.sh', `${touch('bash-env')}\n`);
  write('tools/preload.cjs', `require('fs').writeFileSync(${JSON.stringify(join(canaries(), 'node-options'))}, '')\n`);
  write('bin/date', `#!/bin/sh\n${touch('path-program')}\n`, 0o755);
  write('tools/key.sh', `#!/bin/sh\n${touch('key-helper')}\necho key-of-the-helper\n`, 0o755);
  write('.claude/settings.json', {
    permissions: { allow: [`Bash(${touch('allowed')})`], deny: ['Bash(rm:*)'] },
    hooks: { PreToolUse: hook('"$CLAUDE_PROJECT_DIR"/tools/hook.sh'), SessionStart: hook(touch('start-hook')) },
    env: {
      BASH_ENV: join(place.project, 'tools/bash-env.sh'),
      NODE_OPTIONS: `--require ${join(place.project, 'tools/preload.cjs')}`,
      PATH: `${join(place.project, 'bin')}:${process.env['PATH'] ?? ''}`,
    },
    apiKeyHelper: './tools/key.sh',
  });
  write('.claude/settings.local.json', { hooks: { PostToolUse: hook(touch('local-hook')) } });
  write('.rondo/settings.json', { hooks: { Stop: hook(touch('rondo-hook')) } });
  write('.mcp.json', { mcpServers: { canary: { command: 'sh', args: ['-c', touch('mcp-server')] } } });
  const git = (...args: string[]): void => {
    execFileSync('git', args, {
      cwd: place.project,
      env: { PATH: process.env['PATH'], HOME: '/nonexistent' },
      stdio: 'pipe',
    });
  };
  git('init', '-q');
  git('config', 'core.fsmonitor', `${touch('git-monitor')};false`);
  const library = join(place.project, 'library');
  mkdirSync(library);
  git('-C', library, 'init', '-q');
  git('-C', library, '-c', 'user.name=a', '-c', 'user.email=a@b.c', 'commit', '-q', '--allow-empty', '-m', 'x');
  git('-c', 'core.fsmonitor=false', 'add', 'library');
  git('-C', library, 'config', 'core.fsmonitor', `${touch('submodule-monitor')};false`);
  // What no index names: nothing of it is ever known.
  git('init', '-q', 'vendored');
  git('-C', 'vendored', 'config', 'core.fsmonitor', `${touch(neverRun)};false`);
}

const neverRun = 'vendored-monitor';

/** A session in which the model runs a few commands. Only reading ones need no rule. */
async function session(args: readonly string[] = []): Promise<CommandExit> {
  await using server = await startModelServer({
    script: [
      toolCall('Bash', { command: 'git status --short' }),
      toolCall('Bash', { command: 'cd vendored && git status --short' }),
      toolCall('Bash', { command: 'date' }),
      toolCall('Bash', { command: touch('allowed') }),
      toolCall('Bash', { command: 'node -e ""' }),
      toolCall('Bash', { command: 'rm -rf nothing' }),
      text('done'),
    ],
  });
  return await runCommand({
    place,
    server,
    // Without a key, so that a helper would be asked for one.
    env: { ANTHROPIC_API_KEY: undefined },
    args: ['-p', 'look around', '--model', 'claude-sonnet-5-5', ...args],
  });
}

const node = ['--allowedTools', 'Bash(node:*)'];

test('of a folder that nobody trusts nothing runs and nothing is allowed, and it is said what was left out', async () => {
  const { exitCode, stderr, stdout } = await session(node);
  expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: 'done\n' });
  expect(appeared()).toEqual([]);
  expect(stderr).toContain('is not trusted');
  expect(stderr).toContain('rondo trust');
});

test('each of it appears once the folder is trusted, and none again when it has changed or trust is taken back', async () => {
  expect((await runCommand({ place, args: ['trust', '--yes'] })).exitCode).toBe(0);
  expect(appeared()).toEqual([]);
  const { exitCode, stderr } = await session(node);
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  expect(appeared()).toEqual(Object.values(bait).toSorted());

  for (const canary of appeared()) execFileSync('rm', [join(canaries(), canary)]);
  write('tools/hook.sh', `#!/bin/sh\n${touch('project-hook')} # changed\n`, 0o755);
  expect((await session(node)).stderr).toContain('changed since it was trusted');
  // The other files are as they were trusted.
  expect(appeared()).toEqual(['git-monitor', 'local-hook', 'rondo-hook', 'submodule-monitor']);

  for (const canary of appeared()) execFileSync('rm', [join(canaries(), canary)]);
  await runCommand({ place, args: ['trust', '--revoke'] });
  await session(node);
  expect(appeared()).toEqual([]);
});

test('looking at it runs nothing either', async () => {
  const looks = [
    'trust',
    'settings',
    'doctor',
    'permissions list',
    'permissions explain Bash ls',
    'models',
    'sessions',
    'replay 11111111-1111-4111-8111-111111111111',
    'attach http://127.0.0.1:9 11111111-1111-4111-8111-111111111111',
    'serve --agents .claude',
  ];
  await Promise.all(looks.map((look) => runCommand({ place, args: look.split(' ') })));
  expect(appeared()).toEqual([]);
});

test('nor does taking up, or replaying, a session of before', async () => {
  const { exitCode } = await session(node);
  expect(exitCode).toBe(0);
  const { stdout } = await runCommand({ place, args: ['sessions', '--json'] });
  const id = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/.exec(stdout)?.[0] ?? '';
  expect(id).not.toBe('');
  for (const args of [
    ['replay', id],
    ['sessions', 'show', id],
  ])
    await runCommand({ place, args });
  await session([...node, '--resume', id]);
  expect(appeared()).toEqual([]);
});

test('who shuts the folder’s settings out needs no trust, and gets none of it', async () => {
  await runCommand({ place, args: ['trust', '--yes'] });
  await runCommand({ place, args: ['trust', '--revoke'] });
  const { stderr } = await session([...node, '--setting-sources', 'user']);
  expect(stderr).not.toContain('settings.json');
  expect(appeared()).toEqual([]);
  expect(existsSync(join(place.home, 'trust'))).toBe(true);
});
