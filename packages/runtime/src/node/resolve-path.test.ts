import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { resolvePath } from './resolve-path.ts';

let folder = '';

beforeAll(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'rondo-resolve-')));
  await mkdir(join(folder, 'real/deep'), { recursive: true });
  await writeFile(join(folder, 'real/file'), '');
  await symlink('real', join(folder, 'link'));
  await symlink('real/deep', join(folder, 'deep'));
  await symlink('real/not-there', join(folder, 'dangling'));
  await symlink('dangling', join(folder, 'twice'));
  await symlink('loop', join(folder, 'loop'));
});

afterAll(() => rm(folder, { recursive: true, force: true }));

test.each([
  ['real/file', 'real/file'],
  ['link/file', 'real/file'],
  ['link/new/folder/x', 'real/new/folder/x'],
  ['deep/../file', 'real/file'],
  ['deep/../new', 'real/new'],
  ['deep/new/../x', 'real/deep/x'],
  ['dangling', 'real/not-there'],
  ['twice', 'real/not-there'],
  ['dangling/x', 'real/not-there/x'],
  ['link/.', 'real'],
  ['link/new/', 'real/new'],
  ['.', ''],
  ['real/file/below', 'real/file/below'],
])('%s leads to %s', async (path, expected) => {
  expect(await resolvePath(`${folder}/${path}`)).toBe(join(folder, expected).replace(/\/$/, ''));
});

test('links without an end reject', async () => {
  await expect(resolvePath(join(folder, 'loop'))).rejects.toMatchObject({ code: 'ELOOP' });
  await expect(resolvePath(join(folder, 'loop/x'))).rejects.toMatchObject({ code: 'ELOOP' });
});
