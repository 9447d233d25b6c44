import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { readGitPart } from './git-part.ts';

// It starts processes, which take their time on a machine with much to do.
vi.setConfig({ testTimeout: 60_000 });

const plain = { PATH: process.env['PATH'] ?? '', HOME: '/nonexistent', GIT_CONFIG_NOSYSTEM: '1' };

function repository() {
  const place = realpathSync(mkdtempSync(join(tmpdir(), 'rondo-git-')));
  onTestFinished(() => rmSync(place, { recursive: true, force: true }));
  const folder = join(place, 'cloned');
  mkdirSync(folder);
  const canary = join(place, 'canary');
  const env = { ...plain };
  const script = join(place, 'script');
  writeFileSync(script, `#!/bin/sh\ntouch ${canary}\nexit 1\n`);
  chmodSync(script, 0o755);
  const git = (args: readonly string[], more: Readonly<Record<string, string>> = {}): string => {
    try {
      return execFileSync('git', args, { cwd: folder, env: { ...env, ...more }, encoding: 'utf8', stdio: 'pipe' });
    } catch (error) {
      return String(error);
    }
  };
  git(['init', '-q', '.']);
  for (const [name, value] of [
    ['user.name', 'someone'],
    ['user.email', 'someone@example.org'],
  ] as const)
    git(['config', name, value]);
  writeFileSync(join(folder, 'a.txt'), 'one\n');
  git(['add', '.']);
  git(['commit', '-q', '-m', 'first']);
  writeFileSync(join(folder, 'a.txt'), 'two\n');
  return {
    folder,
    canary,
    script,
    git,
    hasRun: () => existsSync(canary),
    clean: () => rmSync(canary, { force: true }),
  };
}

test('a plain clone brings nothing', async () => {
  const { folder, git } = repository();
  git(['remote', 'add', 'origin', 'https://example.org/a.git']);
  git(['config', 'branch.main.remote', 'origin']);
  expect(await readGitPart(folder)).toBeUndefined();
  expect(await readGitPart('/')).toBeUndefined();
});

/** The key, and what makes git run it. */
const runners: readonly (readonly [string, (canary: string, script: string) => string, readonly string[]])[] = [
  ['core.fsmonitor', (canary) => `touch ${canary};false`, ['status']],
  ['core.pager', (canary) => `touch ${canary};cat`, ['--paginate', 'log']],
  ['core.editor', (canary) => `touch ${canary};false`, ['commit', '-a']],
  ['core.sshCommand', (canary) => `touch ${canary};false`, ['fetch', 'ssh://127.0.0.1:9/a']],
  ['diff.external', (canary) => `touch ${canary};false`, ['diff']],
  ['diff.driven.textconv', (canary) => `touch ${canary};cat`, ['diff']],
  ['diff.driven.command', (canary) => `touch ${canary};false`, ['diff']],
  ['filter.driven.clean', (canary) => `touch ${canary};cat`, ['add', 'a.txt']],
  ['filter.driven.smudge', (canary) => `touch ${canary};cat`, ['checkout', 'a.txt']],
  ['filter.driven.process', (canary) => `touch ${canary}`, ['add', 'a.txt']],
  ['alias.look', (canary) => `!touch ${canary}`, ['look']],
  ['gpg.program', (_, script) => script, ['commit', '-a', '-S', '-m', 'x']],
  ['credential.helper', (canary) => `!touch ${canary};echo`, ['credential', 'fill']],
  ['remote.origin.uploadpack', (canary) => `touch ${canary};false`, ['fetch', 'origin']],
  ['core.alternateRefsCommand', (canary) => `touch ${canary}`, ['rev-list', '--alternate-refs']],
  ['merge.driven.driver', (canary) => `touch ${canary};false`, ['merge', 'side']],
];

describe.each(runners)('%s', (key, program, command) => {
  test('is found, and runs nothing of the folder until it is trusted', async () => {
    const { folder, canary, script, git, hasRun, clean } = repository();
    git(['remote', 'add', 'origin', folder]);
    writeFileSync(join(folder, '.gitattributes'), '*.txt filter=driven diff=driven merge=driven\n');
    git(['config', key, program(canary, script)]);
    clean();
    const part = await readGitPart(folder);
    expect(hasRun(), 'looking runs nothing').toBe(false);
    expect(part?.brings.join('\n').toLowerCase()).toContain(key.toLowerCase());
    git(command, part?.disarmed);
    expect(hasRun(), 'disarmed').toBe(false);
  });
});

/** The others need a terminal, or more of a repository than there is here. */
test.each(runners.filter(([key]) => !/merge|alternate|credential|process|pager/.test(key)))(
  '%s would run what it says, were it trusted',
  (key, program, command) => {
    const { folder, canary, script, git, hasRun, clean } = repository();
    git(['remote', 'add', 'origin', folder]);
    writeFileSync(join(folder, '.gitattributes'), '*.txt filter=driven diff=driven merge=driven\n');
    git(['config', key, program(canary, script)]);
    clean();
    git(command);
    expect(hasRun()).toBe(true);
  },
);

test('hooks and included files are part of it, and a changed one is another', async () => {
  const { folder, canary, git, hasRun } = repository();
  const hook = join(folder, '.git', 'hooks', 'pre-commit');
  mkdirSync(join(folder, '.git', 'hooks'), { recursive: true });
  writeFileSync(hook, `#!/bin/sh\ntouch ${canary}\n`);
  chmodSync(hook, 0o755);
  const before = await readGitPart(folder);
  expect(before?.brings).toEqual(['git hook: pre-commit']);
  git(['commit', '-a', '-q', '-m', 'second'], before?.disarmed);
  expect(hasRun()).toBe(false);
  writeFileSync(hook, `#!/bin/sh\ntouch ${canary} other\n`);
  expect((await readGitPart(folder))?.hash).not.toBe(before?.hash);
  git(['commit', '-a', '-q', '-m', 'second']);
  expect(hasRun()).toBe(true);

  writeFileSync(join(folder, 'shared.cfg'), '[core]\n\tfsmonitor = ./watch\n');
  git(['config', 'include.path', '../shared.cfg']);
  expect((await readGitPart(folder))?.brings).toContain('git configuration: core.fsmonitor = ./watch');
});

test('a folder below the repository has its configuration', async () => {
  const { folder, git } = repository();
  git(['config', 'core.fsmonitor', './watch']);
  const below = join(folder, 'deep', 'er');
  mkdirSync(below, { recursive: true });
  expect((await readGitPart(below))?.brings).toEqual(['git configuration: core.fsmonitor = ./watch']);
});
