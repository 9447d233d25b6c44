import { spawnSync } from 'node:child_process';
import { symlinkSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeEnvironment, findRepository } from './describe-environment.ts';

let root = '';
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'rondo-env-'));
});
afterAll(() => rm(root, { recursive: true, force: true }));

const now = () => new Date(2031, 0, 5, 23, 59).getTime();
const describe = (cwd: string) =>
  describeEnvironment({ cwd, additionalDirectories: [], now, repository: findRepository(cwd) });

async function folder(name: string, files: Readonly<Record<string, string>>): Promise<string> {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(join(root, name, path, '..'), { recursive: true });
    await writeFile(join(root, name, path), text);
  }
  await mkdir(join(root, name, 'src', 'deep'), { recursive: true });
  return join(root, name);
}

test('names folder, repository, branch, platform and the local date', async () => {
  const repository = await folder('repository', { '.git/HEAD': 'ref: refs/heads/feature/x\n' });
  const text = describeEnvironment({
    cwd: join(repository, 'src', 'deep'),
    additionalDirectories: ['/other'],
    now,
    repository: findRepository(join(repository, 'src', 'deep')),
  });
  expect(text.split('\n').slice(1)).toEqual([
    `Working folder: ${join(repository, 'src', 'deep')}`,
    'Additional folder: /other',
    `Git repository: ${repository}`,
    'Git branch: feature/x',
    `Platform: ${process.platform} ${process.arch}`,
    'Date: 2031-01-05',
  ]);
});

test('a commit that is checked out is named by its first digits', async () => {
  const repository = await folder('detached', { '.git/HEAD': '0123456789abcdef0123456789abcdef01234567' });
  expect(describe(repository)).toContain('Git branch: 0123456789ab\n');
});

test('a worktree finds its branch where its git file points', async () => {
  await folder('main', { '.git/worktrees/w/HEAD': 'ref: refs/heads/w' });
  const worktree = await folder('worktree', { '.git': `gitdir: ${join(root, 'main', '.git', 'worktrees', 'w')}\n` });
  expect(describe(worktree)).toContain('Git branch: w\n');
});

test('a folder outside every repository says so', async () => {
  const plain = await folder('plain', {});
  expect(describe(plain)).toContain('Git repository: none');
});

test('what stands in the place of a repository is neither waited for nor an error', async () => {
  const circling = await folder('circling', {});
  symlinkSync('.git', join(circling, '.git'));
  const pipe = await folder('pipe', { '.git/config': '' });
  const isMade = spawnSync('mkfifo', [join(pipe, '.git', 'HEAD')]).status === 0;
  for (const each of isMade ? [circling, pipe] : [circling]) expect(describe(each)).toContain('Git repository: none');
});
