import { mkdirSync, mkdtempSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { listFolder } from './list-folder.ts';

function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'rondo-list-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

it('sees what came a moment ago, whatever time the folder is given', async () => {
  const folder = makeFolder();
  utimesSync(folder, 1, 1);
  expect(await listFolder(folder)).toEqual([]);
  for (const name of ['one', 'two', 'three']) {
    writeFileSync(join(folder, name), '');
    utimesSync(folder, 1, 1);
    expect((await listFolder(folder))?.some((entry) => entry.name === name)).toBe(true);
  }
});

it('reads a folder that nobody changed for long only once', async () => {
  const first = await listFolder('/usr');
  expect(first?.length).toBeGreaterThan(2);
  expect(await listFolder('/usr')).toBe(first);
});

it('tells folders from links to them, and has nothing where there is none', async () => {
  const folder = makeFolder();
  mkdirSync(join(folder, 'real'));
  symlinkSync('real', join(folder, 'link'));
  const entries = await listFolder(folder);
  expect(entries).toContainEqual({ name: 'real', isFolder: true });
  expect(entries).toContainEqual({ name: 'link', isFolder: false });
  expect(await listFolder(join(folder, 'absent'))).toEqual([]);
  expect(await listFolder(join(folder, 'real/absent/deeper'))).toEqual([]);
});
