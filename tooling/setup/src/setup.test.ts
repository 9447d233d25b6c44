import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { beforeEach, expect, onTestFinished, test } from 'vitest';

let root: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'rondo-setup-'));
  onTestFinished(() => rmSync(root, { recursive: true }));
  for (const folder of ['tooling/setup/src', 'node_modules', 'bin']) mkdirSync(join(root, folder), { recursive: true });
  copyFileSync(join(import.meta.dirname, 'setup.mjs'), join(root, 'tooling/setup/src/setup.mjs'));
  writeFileSync(join(root, 'package.json'), '{ "packageManager": "pnpm@1.2.3" }');
  writeFileSync(join(root, 'pnpm-lock.yaml'), 'first');
  writeFileSync(join(root, 'pnpm-workspace.yaml'), '');
});

/** Runs the set-up with an `npx` that only notes how it was called, and returns what it has been asked for so far. */
function setUp(exitCode = 0): { status: number | null; stdout: string; asked: string[] } {
  const log = join(root, 'asked');
  writeFileSync(join(root, 'bin', 'npx'), `#!/bin/sh\necho "$@" | tee -a '${log}'\nexit ${exitCode}\n`, {
    mode: 0o755,
  });
  const { status, stdout } = spawnSync(process.execPath, [join(root, 'tooling/setup/src/setup.mjs')], {
    env: { ...process.env, PATH: `${join(root, 'bin')}${delimiter}${process.env.PATH}` },
    encoding: 'utf8',
  });
  const asked = existsSync(log) ? readFileSync(log, 'utf8').trim().split('\n') : [];
  return { status, stdout, asked };
}

const install = '--yes pnpm@1.2.3 install --frozen-lockfile';

test('installs once, by the pinned package manager, and says nothing on standard output', () => {
  expect(setUp()).toEqual({ status: 0, stdout: '', asked: [install] });
  expect(setUp().asked).toEqual([install]);
});

test('notices a changed lockfile', () => {
  setUp();
  writeFileSync(join(root, 'pnpm-lock.yaml'), 'second');
  expect(setUp().asked).toEqual([install, install]);
});

test('an install that failed is tried again', () => {
  expect(setUp(7)).toMatchObject({ status: 7 });
  expect(setUp().asked).toEqual([install, install]);
});
