import { spawnSync } from 'node:child_process';
import { chmodSync, copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'rondo-front-step-'));
  mkdirSync(join(folder, 'dist'));
  copyFileSync(join(import.meta.dirname, 'rondo.js'), join(folder, 'dist', 'rondo.js'));
  writeFileSync(join(folder, 'package.json'), '{ "type": "module", "version": "1.2.3" }');
  writeFileSync(join(folder, 'dist', 'main.js'), "console.log('main ran', process.argv.slice(2).join(' '));");
});

afterEach(() => {
  chmodSync(folder, 0o700);
  rmSync(folder, { recursive: true, force: true });
});

/** Runs the front step, as the Node of the given version would. */
function frontStep(version: string, env: Record<string, string> = {}, argv: readonly string[] = ['one', 'two']) {
  const pretend = `Object.defineProperty(process.versions, 'node', { value: '${version}' })`;
  const preload = `data:text/javascript,${encodeURIComponent(pretend)}`;
  const { NODE_COMPILE_CACHE: _, NODE_DISABLE_COMPILE_CACHE: __, ...inherited } = process.env;
  return spawnSync(process.execPath, ['--import', preload, join(folder, 'dist', 'rondo.js'), ...argv], {
    env: { ...inherited, RONDO_HOME: join(folder, 'home'), ...env },
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
  expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: 'main ran one two\n', stderr: '' });
});

test.each(['--version', '-v'])('%s is answered here, as the command answers it', (flag) => {
  const { status, stdout, stderr } = frontStep('24.21.0', {}, [flag]);
  expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: '1.2.3 (Rondo)\n', stderr: '' });
  expect(existsSync(join(folder, 'home'))).toBe(false);
});

test.each([['--version', 'more'], ['--verbose']])('the command answers %j %j', (...argv) => {
  expect(frontStep('24.21.0', {}, argv).stdout).toBe(`main ran ${argv.join(' ')}\n`);
});

test('where the version cannot be read, the command is asked', () => {
  writeFileSync(join(folder, 'package.json'), '{ "type": "module"');
  writeFileSync(join(folder, 'dist', 'package.json'), '{ "type": "module" }');
  expect(frontStep('24.21.0', {}, ['--version']).stdout).toBe('main ran --version\n');
});

test('the compile cache is a folder that its user alone may enter', () => {
  frontStep('24.21.0');
  expect(statSync(join(folder, 'home', 'cache', 'compile')).mode & 0o777).toBe(0o700);
});

test('a home that cannot be written costs the cache, not the command', () => {
  writeFileSync(join(folder, 'not-a-folder'), '');
  const { status, stdout } = frontStep('24.21.0', { RONDO_HOME: join(folder, 'not-a-folder') });
  expect({ status, stdout }).toEqual({ status: 0, stdout: 'main ran one two\n' });
});
