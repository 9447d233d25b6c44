import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { findBrowser } from './find-browser.mjs';

test('a browser that is named is the one, and nothing is installed', () => {
  const folder = mkdtempSync(join(tmpdir(), 'rondo-browser-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const asked = join(folder, 'asked');
  const installer = join(folder, 'apt-get');
  writeFileSync(installer, `#!/bin/sh\necho "$@" >> '${asked}'\n`);
  chmodSync(installer, 0o755);
  const { status, stdout } = spawnSync(process.execPath, [join(import.meta.dirname, 'browser.mjs')], {
    env: { PATH: folder, RONDO_BROWSER: '/opt/browser' },
    encoding: 'utf8',
  });
  expect({ status, stdout, wasAsked: existsSync(asked) }).toEqual({ status: 0, stdout: '', wasAsked: false });
  expect(findBrowser({ RONDO_BROWSER: '/opt/browser' })).toBe('/opt/browser');
});

test('an empty name is none', () => {
  expect(findBrowser({ RONDO_BROWSER: '' })).toBe(findBrowser({}));
});
