import { mkdtemp, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openOutputFile } from './output-file.ts';

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'rondo-output-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const open = (path: string) => openOutputFile({ path, limit: 1000, onDrain: () => undefined });

it('is its user’s alone, whatever the umask', async () => {
  const path = join(folder, 'results', 'one.txt');
  const before = process.umask(0);
  try {
    const file = open(path);
    file.write(Buffer.from('output'));
    expect(await file.close()).toBe(true);
  } finally {
    process.umask(before);
  }
  expect(await readFile(path, 'utf8')).toBe('output');
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  expect((await stat(join(folder, 'results'))).mode & 0o777).toBe(0o700);
});

it('writes through no link that was laid in its place', async () => {
  const victim = join(folder, 'victim');
  await writeFile(victim, 'untouched');
  await symlink(victim, join(folder, 'one.txt'));
  const file = open(join(folder, 'one.txt'));
  file.write(Buffer.from('output'));
  expect(await file.close()).toBe(false);
  expect(await readFile(victim, 'utf8')).toBe('untouched');
});
