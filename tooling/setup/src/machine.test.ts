import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { findBrowser } from './find-browser.mjs';

function machine(programs: readonly string[], { installer = `exit 1`, browser = '/opt/browser' } = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'rondo-machine-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const asked = join(folder, 'asked');
  const add = (name: string, text: string): void => {
    writeFileSync(join(folder, name), `#!/bin/sh\n${text}\n`);
    chmodSync(join(folder, name), 0o755);
  };
  add('apt-get', `echo "$@" >> '${asked}'\n${installer.replaceAll('FOLDER', folder)}`);
  for (const name of programs) add(name, 'exit 0');
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(import.meta.dirname, 'machine.mjs')], {
    env: { PATH: folder, RONDO_BROWSER: browser },
    encoding: 'utf8',
  });
  return { status, stdout, stderr, asked: existsSync(asked) ? readFileSync(asked, 'utf8').trim().split('\n') : [] };
}

test('nothing is installed where everything is there', () => {
  expect(machine(['bwrap', 'socat'])).toEqual({ status: 0, stdout: '', stderr: '', asked: [] });
  expect(findBrowser({ RONDO_BROWSER: '/opt/browser' })).toBe('/opt/browser');
});

test.runIf(process.platform === 'linux')('what is missing is installed, or said with the way on', () => {
  const isRoot = process.getuid?.() === 0;
  const installer = `case "$*" in *socat) : > FOLDER/socat;; --version) ;; *) exit 1;; esac`;
  const { status, stdout, stderr, asked } = machine([], { installer });
  expect({ status, stdout }).toEqual({ status: 0, stdout: '' });
  expect(stderr).toMatch(/bubblewrap was not found, so the tests that need a sandbox with bubblewrap are not run/);
  expect(stderr).toContain('apt-get install bubblewrap');
  if (isRoot) {
    expect(stderr).not.toContain('socat was not found');
    expect(asked.filter((line) => line.startsWith('update'))).toHaveLength(1);
    expect(asked.at(-1)).toMatch(/^install .*socat$/);
  }
});

test('an empty name is none', () => {
  expect(findBrowser({ RONDO_BROWSER: '' })).toBe(findBrowser({}));
});
