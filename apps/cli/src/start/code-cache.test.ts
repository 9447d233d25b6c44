import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openCodeCache } from './code-cache.ts';

let folder: string;
let file: string;
const code = Buffer.from('compiled');

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'rondo-code-'));
  file = join(folder, 'turn-abc.js');
  writeFileSync(file, 'source');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const entries = () => readdirSync(folder).filter((name) => name.includes('.code'));
const entryOf = (name: string | undefined) => join(folder, name ?? 'none');

test('what was written is read, and the time of it', () => {
  openCodeCache(folder).write([{ file, stats: statSync(file), code }]);
  const read = openCodeCache(folder).read(file, statSync(file));
  expect(read?.code).toEqual(code);
  expect(read?.writtenMs).toBe(statSync(entryOf(entries()[0])).mtimeMs);
});

test('nobody but the user may read or write an entry', () => {
  openCodeCache(folder).write([{ file, stats: statSync(file), code }]);
  expect(statSync(entryOf(entries()[0])).mode & 0o777).toBe(0o600);
});

test('nothing is read of another file of the same size, be it in the place of the first', () => {
  const cache = openCodeCache(folder);
  const before = statSync(file);
  cache.write([{ file, stats: before, code }]);
  writeFileSync(join(folder, 'turn-xyz.js'), 'source');
  expect(cache.read(join(folder, 'turn-xyz.js'), before)).toBeUndefined();
  // As a patch leaves it that puts the old time back, which nobody can do with the time of the change itself.
  const patched = Object.assign(statSync(file), { ctimeMs: before.ctimeMs + 1 });
  expect(cache.read(file, patched)).toBeUndefined();
});

test('an entry with any byte changed, cut off anywhere or empty is not read', () => {
  const cache = openCodeCache(folder);
  cache.write([{ file, stats: statSync(file), code }]);
  const entry = entryOf(entries()[0]);
  const whole = readFileSync(entry);
  for (let index = 0; index < whole.length; index += 1) {
    const damaged = Buffer.from(whole);
    damaged[index] = (damaged[index] ?? 0) ^ 1;
    writeFileSync(entry, damaged);
    expect(cache.read(file, statSync(file)), `byte ${index}`).toBeUndefined();
    writeFileSync(entry, whole.subarray(0, index));
    expect(cache.read(file, statSync(file)), `cut at ${index}`).toBeUndefined();
  }
  cache.write([{ file, stats: statSync(file), code }]);
  expect(cache.read(file, statSync(file))?.code).toEqual(code);
});

test('writing removes what nobody wrote for a month, and nothing that is not an entry', () => {
  const cache = openCodeCache(folder);
  cache.write([{ file, stats: statSync(file), code }]);
  const old = entryOf(entries()[0]);
  const longAgo = new Date(Date.now() - 31 * 24 * 60 * 60 * 1000);
  utimesSync(old, longAgo, longAgo);
  utimesSync(file, longAgo, longAgo);
  const other = join(folder, 'other.js');
  writeFileSync(other, 'other source');
  cache.write([{ file: other, stats: statSync(other), code }]);
  expect(entries()).toHaveLength(1);
  expect(cache.read(other, statSync(other))?.code).toEqual(code);
  expect(readFileSync(file, 'utf8')).toBe('source');
});

test('a folder that is gone costs nothing else', () => {
  const cache = openCodeCache(join(folder, 'gone'));
  cache.write([{ file, stats: statSync(file), code }]);
  expect(cache.read(file, statSync(file))).toBeUndefined();
});
