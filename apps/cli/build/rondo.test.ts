import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'rondo-front-step-'));
  mkdirSync(join(folder, 'dist'));
  copyFileSync(join(import.meta.dirname, 'rondo.cjs'), join(folder, 'dist', 'rondo.js'));
  writeFileSync(join(folder, 'package.json'), '{ "type": "module", "version": "1.2.3" }');
  writeFileSync(join(folder, 'dist', 'package.json'), '{ "type": "commonjs" }');
  writeFileSync(
    join(folder, 'dist', 'start.js'),
    "exports.start = (bundle) => console.log(bundle === __dirname && 'started', process.argv.slice(2).join(' '));",
  );
});

afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

/** Runs the front step, as the Node of the given version would. */
function frontStep(version: string, argv: readonly string[] = ['one', 'two']) {
  const pretend = `Object.defineProperty(process.versions, 'node', { value: '${version}' })`;
  const preload = `data:text/javascript,${encodeURIComponent(pretend)}`;
  return spawnSync(process.execPath, ['--import', preload, join(folder, 'dist', 'rondo.js'), ...argv], {
    env: { ...process.env, RONDO_HOME: join(folder, 'home') },
    encoding: 'utf8',
  });
}

test.each(['18.20.4', '20.20.2', '22.12.0'])('Node %s is told what is needed, in one sentence', (version) => {
  const { status, stdout, stderr } = frontStep(version);
  expect(status).toBe(2);
  expect(stdout).toBe('');
  expect(stderr).toMatch(/^rondo needs Node 22\.13 or newer; this is Node [^\n]+\n$/);
});

test.each(['22.13.0', '23.0.0', '24.21.0'])('Node %s enters, with its arguments', (version) => {
  const { status, stdout, stderr } = frontStep(version);
  expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: 'started one two\n', stderr: '' });
});

test.each(['--version', '-v'])('%s is answered here, as the command answers it', (flag) => {
  const { status, stdout, stderr } = frontStep('24.21.0', [flag]);
  expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: '1.2.3 (Rondo)\n', stderr: '' });
  expect(existsSync(join(folder, 'home'))).toBe(false);
});

test.each([['--version', 'more'], ['--verbose']])('the command answers %j %j', (...argv) => {
  expect(frontStep('24.21.0', argv).stdout).toBe(`started ${argv.join(' ')}\n`);
});

test('where the version cannot be read, the command is asked', () => {
  writeFileSync(join(folder, 'package.json'), '{ "type": "module"');
  expect(frontStep('24.21.0', ['--version']).stdout).toBe('started --version\n');
});
