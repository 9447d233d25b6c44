import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';

let folder: string;
let home: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'rondo-start-'));
  home = join(folder, 'home');
  writeFileSync(join(folder, 'main.js'), "require('./chunk.js').run(process.argv.slice(2));");
  writeFileSync(
    join(folder, 'chunk.js'),
    `exports.run = (argv) => console.log('ran', argv.join(' '));\n// ${'x'.repeat(5000)}`,
  );
  writeFileSync(
    join(folder, 'start.mjs'),
    `import { start } from ${JSON.stringify(pathToFileURL(join(import.meta.dirname, 'start.ts')).href)};\nstart(${JSON.stringify(folder)});`,
  );
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function run(env: Record<string, string> = {}) {
  const { NODE_COMPILE_CACHE: _, NODE_DISABLE_COMPILE_CACHE: __, ...inherited } = process.env;
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(folder, 'start.mjs'), 'one', 'two'], {
    env: { ...inherited, RONDO_HOME: home, ...env },
    encoding: 'utf8',
  });
  return { status, stdout, stderr };
}

const ran = { status: 0, stdout: 'ran one two\n', stderr: '' };
const codeIn = (place: string) =>
  readdirSync(place, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.code'));

test('compiled code is kept at the end in a folder that its user alone may enter, and is used', () => {
  expect(run()).toEqual(ran);
  const place = join(home, 'cache', 'compile');
  expect(statSync(place).mode & 0o777).toBe(0o700);
  const [name, ...more] = codeIn(place);
  expect(more).toEqual([]);
  const { ino } = statSync(join(place, name ?? ''));
  expect(run()).toEqual(ran);
  expect(statSync(join(place, name ?? '')).ino).toBe(ino);
});

test('a folder that others may enter is closed to them first', () => {
  const place = join(home, 'cache', 'compile');
  mkdirSync(place, { recursive: true });
  chmodSync(place, 0o777);
  expect(run()).toEqual(ran);
  expect(statSync(place).mode & 0o777).toBe(0o700);
});

test('a link in its place is not followed', () => {
  mkdirSync(join(home, 'cache'), { recursive: true });
  mkdirSync(join(folder, 'elsewhere'));
  symlinkSync(join(folder, 'elsewhere'), join(home, 'cache', 'compile'));
  expect(run()).toEqual(ran);
  expect(readdirSync(join(folder, 'elsewhere'))).toEqual([]);
});

test('Node’s variables say where it is, and whether it is', () => {
  const place = join(folder, 'given');
  expect(run({ NODE_COMPILE_CACHE: place })).toEqual(ran);
  expect(codeIn(place)).toHaveLength(1);
  expect(run({ NODE_COMPILE_CACHE: place, NODE_DISABLE_COMPILE_CACHE: '1', RONDO_HOME: join(folder, 'new') })).toEqual(
    ran,
  );
  expect(readdirSync(folder)).not.toContain('new');
  expect(readdirSync(folder)).not.toContain('home');
});

test('a home that cannot be written costs the cache, not the command', () => {
  writeFileSync(home, '');
  expect(run()).toEqual(ran);
});
