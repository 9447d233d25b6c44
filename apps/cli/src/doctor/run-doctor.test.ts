import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createWorkplace, runRondo, type Workplace } from '../testing/spawn-rondo.ts';
import { examineNode } from './examine.ts';
import type { Finding } from './finding.ts';

// Each test starts processes of its own; a busy machine takes its time with them.
vi.setConfig({ testTimeout: 60_000 });

let place: Workplace;
beforeEach(() => {
  place = createWorkplace();
});
afterEach(() => place[Symbol.dispose]());

const rondo = (env: Readonly<Record<string, string>> = {}, ...argv: readonly string[]) =>
  runRondo(['doctor', ...argv], { cwd: place.project, env: place.env(env) });
const findings = async (env: Readonly<Record<string, string>> = {}): Promise<Record<string, Finding>> => {
  const { stdout } = await rondo(env, '--json');
  return Object.fromEntries((JSON.parse(stdout) as Finding[]).map((finding) => [finding.about, finding]));
};
const settings = (content: string): void => {
  mkdirSync(place.home, { recursive: true, mode: 0o700 });
  writeFileSync(join(place.home, 'settings.json'), content);
};

test('what works, what is missing and the way on, without changing anything', async () => {
  const { stdout, stderr, exitCode } = await rondo();
  expect({ stderr, exitCode }).toEqual({ stderr: '', exitCode: 0 });
  expect(stdout).toMatch(/^Node +ok +\d+\./);
  expect(stdout).toContain('→ Set a key such as ANTHROPIC_API_KEY');
  expect(stdout).toMatch(/Search +ok +ripgrep at/);
  expect(stdout).toContain('this folder brings in nothing that would have to be trusted');
  expect((await findings({ ANTHROPIC_API_KEY: 'key-0123456789' }))['Models']).toMatchObject({
    state: 'ok',
    says: expect.arrayContaining(['anthropic: key from ANTHROPIC_API_KEY']) as string[],
  });
});

test('a problem has its place and an exit code', async () => {
  settings('{"permissions": {"denny": ["Bash"]}, "env": ');
  const { stdout, exitCode } = await rondo();
  expect(exitCode).toBe(1);
  expect(stdout).toMatch(/Settings +PROBLEM/);
  expect(stdout.replaceAll(/\s+/g, '')).toContain(`${join(place.home, 'settings.json')}:1:`.replaceAll(/\s+/g, ''));
  settings('{"permissions": {"denny": ["Bash"]}}');
  expect((await findings())['Settings']?.says.join('\n')).toMatch(/denny.*deny/);
});

test('a folder that is not trusted, and a home that others may read, are said', async () => {
  mkdirSync(join(place.project, '.claude'));
  writeFileSync(join(place.project, '.claude', 'settings.json'), '{"permissions": {"allow": ["Bash"]}}');
  settings('{}');
  chmodSync(place.home, 0o755);
  const found = await findings();
  expect(found['Trust']).toMatchObject({ state: 'notice', says: ['.claude/settings.json: not trusted'] });
  expect(found['Home']).toMatchObject({ state: 'notice', fix: `chmod 700 ${place.home}` });
});

test.runIf(process.platform === 'linux')('a sandbox that is wanted and cannot be is a problem', async () => {
  settings('{"sandbox": {"enabled": true}}');
  const bare = join(place.project, 'bin');
  mkdirSync(bare);
  const sandbox = (await findings({ PATH: bare }))['Sandbox'];
  expect(sandbox).toMatchObject({ state: 'problem', fix: expect.stringMatching(/install/) as string });
  expect(sandbox?.says[0]).toMatch(/^wanted, and not possible here: /);
});

test('an old Node is a problem', () => {
  expect(examineNode('20.19.0')).toMatchObject({ state: 'problem', fix: 'Install Node 22.13 or newer.' });
  expect([examineNode('22.13.0').state, examineNode('24.0.0').state]).toEqual(['ok', 'ok']);
});

test('rules and hooks that are not as they were meant are named, with the way on', async () => {
  const hook = { type: 'command', command: 'check "$CLAUDE_FILE_PATH"', timeout: 60_000 };
  settings(
    JSON.stringify({
      permissions: { allow: ['bash(ls)', 'Bash(python:*)', 'MultiEdit'], deny: ['Bsh(rm:*)'] },
      hooks: {
        PreToolUse: [
          { matcher: 'Bash', hooks: [hook] },
          { matcher: 'tool == "Bash"', hooks: [hook] },
        ],
        preToolUsed: [{ hooks: [hook] }],
      },
    }),
  );
  const { Rules, Hooks, Settings } = await findings();
  expect(Settings?.state).toBe('ok');
  expect(Rules?.says[0]).toBe('1 deny, 0 ask, 3 allow');
  for (const word of ['bash(ls)', 'Bash(python:*)', 'Bsh(rm:*)']) expect(Rules?.says.join('\n')).toContain(word);
  expect(Rules?.state).not.toBe('ok');
  const told = Hooks?.says.join('\n') ?? '';
  expect(told).toMatch(/preToolUsed.*never run/);
  expect(told).toMatch(/PreToolUse\[1\]\.matcher.*never run/);
  expect(told).toContain('CLAUDE_FILE_PATH, which nothing sets');
  expect(told).toMatch(/timeout looks like milliseconds.*write "timeout": 60/);
  expect(Hooks).toMatchObject({ state: 'problem', fix: expect.stringContaining('Correct') as string });

  settings(JSON.stringify({ permissions: { deny: ['Bash(rm:*)'] } }));
  const good = await findings();
  expect(good['Rules']).toEqual({ about: 'Rules', state: 'ok', says: ['1 deny, 0 ask, 0 allow'] });
  expect(good['Hooks']).toEqual({ about: 'Hooks', state: 'ok', says: ['none'] });
});
