import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  copyFileSync,
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { readGitPart } from './git-part.ts';

// It starts processes, which take their time on a machine with much to do.
vi.setConfig({ testTimeout: 60_000 });

const commit = ['-c', 'user.name=a', '-c', 'user.email=a@example.org', 'commit', '-q', '--allow-empty', '-m', 'x'];

/** A place with a repository as an archive may bring one, and what every command of it would run. */
function place() {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'rondo-hostile-')));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const canary = join(root, 'canary');
  const folder = join(root, 'cloned');
  mkdirSync(folder);
  const git = (cwd: string, args: readonly string[], more: Readonly<Record<string, string>> = {}): string => {
    const env = { PATH: process.env['PATH'], HOME: root, GIT_CONFIG_NOSYSTEM: '1', ...more };
    try {
      return execFileSync('git', args, { cwd, env, encoding: 'utf8', stdio: 'pipe' });
    } catch (error) {
      return String(error);
    }
  };
  const arm = (config: string) => appendFileSync(config, `[core]\n\tfsmonitor = "touch ${canary};false"\n`);
  return {
    root,
    folder,
    git,
    arm,
    init: (where: string) => (mkdirSync(where, { recursive: true }), git(where, ['init', '-q', '.'])),
    /** Whether `git status` there runs the canary, by itself and as commands of a session have it. */
    async runs(where = folder) {
      const look = (more: Readonly<Record<string, string>> = {}) => {
        rmSync(canary, { force: true });
        git(where, ['status'], more);
        return existsSync(canary);
      };
      rmSync(canary, { force: true });
      const part = await readGitPart(where);
      expect(existsSync(canary), 'looking runs nothing').toBe(false);
      return { bare: look(), disarmed: look(part?.disarmed), part };
    },
  };
}

test('a bare repository that lies in a clone is one, where a session is in it', async () => {
  const { folder, git, init, arm, runs } = place();
  init(folder);
  const bare = join(folder, 'fixtures', 'bare');
  mkdirSync(bare, { recursive: true });
  git(bare, ['init', '-q', '--bare', '.']);
  writeFileSync(join(bare, 'config'), `[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tworktree = ${bare}\n`);
  arm(join(bare, 'config'));
  git(bare, ['add', 'HEAD']);
  expect(await runs(bare)).toMatchObject({ disarmed: false, part: { name: '.git' } });
});

test('an empty .git does not hide the repository above, which is the one that git finds', async () => {
  const { folder, init, arm, runs } = place();
  init(folder);
  arm(join(folder, '.git', 'config'));
  const below = join(folder, 'below');
  mkdirSync(join(below, '.git'), { recursive: true });
  expect(await runs(below)).toMatchObject({ bare: true, disarmed: false });
});

test('a head that git does not take hides nothing either', async () => {
  const { folder, init, arm, runs } = place();
  init(folder);
  arm(join(folder, '.git', 'config'));
  const below = join(folder, 'below', '.git');
  for (const name of ['objects', 'refs']) mkdirSync(join(below, name), { recursive: true });
  writeFileSync(join(below, 'HEAD'), 'nothing');
  expect(await runs(dirname(below))).toMatchObject({ bare: true, disarmed: false });
});

test('a repository in it, as a submodule has one, is looked at too', async () => {
  const { folder, git, init, arm, runs } = place();
  init(folder);
  const deep = join(folder, 'lib', 'one');
  init(deep);
  git(deep, commit);
  git(folder, ['add', '.']);
  git(folder, commit);
  expect((await runs()).part).toBeUndefined();
  arm(join(deep, '.git', 'config'));
  expect(await runs()).toMatchObject({ bare: true, disarmed: false });
  // And one in that.
  const deeper = join(deep, 'two');
  init(deeper);
  git(deeper, commit);
  git(deep, ['add', '.']);
  git(deep, commit);
  writeFileSync(join(deep, '.git', 'config'), '[core]\n\trepositoryformatversion = 0\n');
  arm(join(deeper, '.git', 'config'));
  expect(await runs()).toMatchObject({ bare: true, disarmed: false });
});

test('submodules as git makes them bring nothing', async () => {
  const { root, folder, git, init, runs } = place();
  init(join(root, 'library'));
  git(join(root, 'library'), commit);
  init(folder);
  git(folder, ['-c', 'protocol.file.allow=always', 'submodule', 'add', '-q', join(root, 'library'), 'lib/one']);
  git(folder, commit);
  expect(existsSync(join(folder, 'lib/one/.git'))).toBe(true);
  expect((await runs()).part).toBeUndefined();
  expect((await runs(join(folder, 'lib/one'))).part).toBeUndefined();
});

test('a worktree brings what its repository does, and otherwise nothing', async () => {
  const { root, folder, git, init, arm, runs } = place();
  init(folder);
  git(folder, commit);
  const tree = join(root, 'tree');
  git(folder, ['worktree', 'add', '-q', tree]);
  expect((await runs(tree)).part).toBeUndefined();
  arm(join(folder, '.git', 'config'));
  expect(await runs(tree)).toMatchObject({ bare: true, disarmed: false });
});

test('whoever a repository belongs to, and whatever the person says of that, it is looked at', async () => {
  const { root, folder, init, arm, runs } = place();
  init(folder);
  arm(join(folder, '.git', 'config'));
  writeFileSync(join(root, '.gitconfig'), '[safe]\n\tdirectory = *\n');
  if (process.getuid?.() === 0) for (const path of [folder, join(folder, '.git')]) chownSync(path, 12345, 12345);
  expect(await runs()).toMatchObject({ bare: true, disarmed: false });
});

test('a configuration too long to be listed has git do nothing', async () => {
  const { folder, init, arm, runs } = place();
  init(folder);
  arm(join(folder, '.git', 'config'));
  appendFileSync(join(folder, '.git', 'config'), `[alias]\n\ta = !${'x'.repeat(2_000_000)}\n`);
  expect(await runs()).toMatchObject({ bare: true, disarmed: false });
  appendFileSync(join(folder, '.git', 'config'), `[alias]\n${'\tb = !x\n'.repeat(3000)}`);
  const { bare, disarmed, part } = await runs();
  expect({ bare, disarmed }).toEqual({ bare: true, disarmed: false });
  expect(part?.brings).toContain('git configuration that cannot be read whole');
});

test('what counts on one branch alone keeps git from working until it is trusted', async () => {
  const { folder, git, init, arm, runs } = place();
  init(folder);
  git(folder, commit);
  arm(join(folder, '.git', 'other'));
  appendFileSync(join(folder, '.git', 'config'), '[includeIf "onbranch:side"]\n\tpath = other\n');
  const { part } = await runs();
  git(folder, ['checkout', '-q', '-b', 'side']);
  expect(part?.disarmed).toEqual({ GIT_CONFIG_COUNT: 'not trusted' });
  expect((await runs()).disarmed).toBe(false);
});

test.each(['config', 'commondir', 'HEAD'])('a pipe in place of %s is not waited for', async (name) => {
  const { folder, init, git } = place();
  init(folder);
  rmSync(join(folder, '.git', name), { force: true });
  execFileSync('mkfifo', [join(folder, '.git', name)]);
  const part = await readGitPart(folder);
  expect(git(folder, ['--version'])).toContain('git version');
  if (name === 'config') expect(part?.brings).toEqual(['git configuration that cannot be read whole']);
});

test.each<[string, (folder: string, other: string) => void]>([
  ['a file', (folder, other) => writeFileSync(join(folder, '.git'), `gitdir: ${join(other, '.git')}\n`)],
  ['a link', (folder, other) => symlinkSync(join(other, '.git'), join(folder, '.git'))],
  [
    'a common folder',
    (folder, other) => {
      mkdirSync(join(folder, '.git'));
      copyFileSync(join(other, '.git', 'HEAD'), join(folder, '.git', 'HEAD'));
      writeFileSync(join(folder, '.git', 'commondir'), join(other, '.git'));
    },
  ],
  [
    'a folder of files',
    (folder, other) => {
      execFileSync('git', ['init', '-q', folder]);
      execFileSync('git', ['-C', folder, 'config', 'core.worktree', other]);
      execFileSync('cp', [join(other, '.git', 'index'), join(folder, '.git', 'index')]);
    },
  ],
])('%s that leads to what is somebody else’s shows nothing of it', async (_, lead) => {
  const { root, folder, git, init } = place();
  const other = join(root, 'private');
  init(other);
  writeFileSync(join(other, 'secret'), 'one\n');
  git(other, ['add', '.']);
  git(other, [...commit.slice(0, -1), 'the secret']);
  writeFileSync(join(other, 'secret'), 'another\n');
  lead(folder, other);
  const look = (more: Readonly<Record<string, string>> = {}) =>
    git(folder, ['log'], more) + git(folder, ['ls-files', '--modified'], more);
  expect(look()).toContain('secret');
  const part = await readGitPart(folder);
  expect(part).toBeDefined();
  expect(look(part?.disarmed).replaceAll('Command failed', '')).not.toContain('secret\n');
  expect(look(part?.disarmed)).toContain('bogus count');
});

test('a program of the folder that the configuration names is trusted by its content', async () => {
  const { folder, git, init } = place();
  init(folder);
  writeFileSync(join(folder, 'watch'), '#!/bin/sh\n');
  mkdirSync(join(folder, '.githooks'));
  writeFileSync(join(folder, '.githooks', 'pre-commit'), '#!/bin/sh\n');
  git(folder, ['config', 'core.fsmonitor', './watch']);
  git(folder, ['config', 'core.hooksPath', '.githooks']);
  const before = await readGitPart(folder);
  expect(before?.brings).toContain('with .githooks/pre-commit, watch');
  writeFileSync(join(folder, 'watch'), '#!/bin/sh\ntouch x\n');
  const second = await readGitPart(folder);
  writeFileSync(join(folder, '.githooks', 'pre-commit'), '#!/bin/sh\ntouch x\n');
  const third = await readGitPart(folder);
  expect(new Set([before?.hash, second?.hash, third?.hash]).size).toBe(3);
});

test('a program named git in the folder is not asked', async () => {
  const { root, folder, init, arm } = place();
  init(folder);
  arm(join(folder, '.git', 'config'));
  writeFileSync(join(folder, '.git', 'git'), `#!/bin/sh\ntouch ${join(root, 'asked')}\n`);
  chmodSync(join(folder, '.git', 'git'), 0o755);
  const { PATH } = process.env;
  onTestFinished(() => void (process.env['PATH'] = PATH));
  process.env['PATH'] = `.:${PATH}`;
  await readGitPart(folder);
  expect(existsSync(join(root, 'asked'))).toBe(false);
});

test('a repository that was moved behind another name is the same', async () => {
  const { root, folder, init, arm, runs } = place();
  init(folder);
  arm(join(folder, '.git', 'config'));
  const first = await readGitPart(folder);
  renameSync(folder, join(root, 'moved'));
  expect((await runs(join(root, 'moved'))).part?.hash).toBe(first?.hash);
});
