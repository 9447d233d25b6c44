import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { waitForFile } from './wait-for-file.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'rondo-wait-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const never = new AbortController().signal;

test('a file that is there already is not waited for', async () => {
  writeFileSync(join(folder, 'go'), '');
  await waitForFile(join(folder, 'go'), never);
});

test('a file that comes later is seen, and no other in its place', async () => {
  let seen = false;
  const waiting = waitForFile(join(folder, 'go'), never).then(() => (seen = true));
  writeFileSync(join(folder, 'other'), '');
  await new Promise((resolve) => setImmediate(resolve));
  expect(seen).toBe(false);
  writeFileSync(join(folder, 'go'), '');
  await waiting;
});

test('also where its folder comes with it', async () => {
  const waiting = waitForFile(join(folder, 'deep', 'go'), never);
  mkdirSync(join(folder, 'deep'));
  writeFileSync(join(folder, 'deep', 'go'), '');
  await waiting;
});

test.each(['before', 'while'])('aborted %s it waits, it fails as a request does', async (when) => {
  const controller = new AbortController();
  if (when === 'before') controller.abort(new Error('enough'));
  const waiting = waitForFile(join(folder, 'go'), controller.signal);
  controller.abort(new Error('enough'));
  await expect(waiting).rejects.toMatchObject({ code: 'operation.aborted', cause: new Error('enough') });
});
