import { execFileSync } from 'node:child_process';
import { closeSync, readFileSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isToolError } from '@rondo/runtime';
import { temporaryToolContext } from '@rondo/runtime/testing';
import { expect, it } from 'vitest';
import { locateFile } from './locate-file.ts';
import { openLocated, readLocated } from './open-file.ts';
import { writeFileWhole } from './write-file.ts';

/** `work/in/file`, located, and `work/other/file` that nobody may reach by it. */
async function located() {
  const tool = await temporaryToolContext();
  const at = (...names: readonly string[]) => join(tool.folder, ...names);
  for (const folder of ['in', 'other']) {
    await mkdir(at(folder));
    await writeFile(at(folder, 'file'), folder);
  }
  const place = await locateFile('in/file', tool.context());
  return { at, place, [Symbol.asyncDispose]: () => tool[Symbol.asyncDispose]() };
}

const swaps = {
  async file(at: (...names: readonly string[]) => string) {
    await rm(at('in', 'file'));
    await symlink('../other/file', at('in', 'file'));
  },
  async folder(at: (...names: readonly string[]) => string) {
    await rename(at('in'), at('was'));
    await symlink('other', at('in'));
  },
};

it.each(['file', 'folder'] as const)('does not follow a %s that became a link after it was located', async (kind) => {
  await using scene = await located();
  await swaps[kind](scene.at);
  expect(() => openLocated(scene.place)).toThrow(/leads elsewhere/);
  await expect(readLocated(scene.place)).rejects.toThrow(/leads elsewhere/);
});

it('takes a file that was replaced by another as the one meant', async () => {
  await using scene = await located();
  await rename(scene.at('other', 'file'), scene.at('in', 'file'));
  const descriptor = openLocated(scene.place);
  expect(readFileSync(descriptor, 'utf8')).toBe('other');
  closeSync(descriptor);
});

it('is not held by a pipe that was put there', async () => {
  await using scene = await located();
  await rm(scene.place.target);
  execFileSync('mkfifo', [scene.place.target]);
  await expect(readLocated(scene.place)).rejects.toSatisfy(
    (error) => isToolError(error) && error.message.includes('a named pipe'),
  );
});

it('writes into no other folder than the one that was located', async () => {
  await using scene = await located();
  await swaps.folder(scene.at);
  await expect(writeFileWhole(scene.place, Buffer.from('new'))).rejects.toThrow(/leads elsewhere/);
  expect(await readFile(scene.at('other', 'file'), 'utf8')).toBe('other');
  expect(await readdir(scene.at('other'))).toEqual(['file']);
});

it('replaces a link that was laid in place of the file, and not what it leads to', async () => {
  await using scene = await located();
  await swaps.file(scene.at);
  await writeFileWhole(scene.place, Buffer.from('new'));
  expect(await readFile(scene.at('other', 'file'), 'utf8')).toBe('other');
  expect(await readFile(scene.at('in', 'file'), 'utf8')).toBe('new');
});

it('makes no file below a link that was laid where a folder was missing', async () => {
  await using tool = await temporaryToolContext();
  const place = await locateFile('new/deep/file', tool.context());
  await mkdir(join(tool.folder, 'other'));
  await symlink('other', join(tool.folder, 'new'));
  await expect(writeFileWhole(place, Buffer.from('x'))).rejects.toThrow(/leads elsewhere/);
});
