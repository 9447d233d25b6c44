import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createFolderLooks } from './look-at-folders.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'rondo-looks-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

test('a folder that is not there is asked for until it is there', () => {
  const folder = join(root, '.rondo');
  const begin = createFolderLooks();
  expect(begin().isAbsent(folder)).toBe(true);
  expect(begin().isAbsent(folder)).toBe(true);
  mkdirSync(folder);
  expect(begin().isAbsent(folder)).toBe(false);
  rmSync(folder, { recursive: true });
  // Until a file in it is missed, it counts as there.
  const later = begin();
  expect(later.isAbsent(folder)).toBe(false);
  later.missed(folder);
  expect(begin().isAbsent(folder)).toBe(true);
});

test('a folder that was sparse and went counts as there, so that its files are looked at', () => {
  const folder = join(root, '.rondo');
  mkdirSync(folder);
  const begin = createFolderLooks();
  const look = begin();
  expect(look.isAbsent(folder)).toBe(false);
  look.missed(folder);
  rmSync(folder, { recursive: true });
  const later = begin();
  later.missed(folder);
  expect(begin().isAbsent(folder)).toBe(false);
});

test('a folder that is there, and one that cannot be looked at, are never absent', () => {
  const begin = createFolderLooks();
  const tooLong = join(root, 'a'.repeat(5_000));
  for (const folder of [root, tooLong]) {
    begin().missed(folder);
    expect(begin().isAbsent(folder)).toBe(false);
  }
});
