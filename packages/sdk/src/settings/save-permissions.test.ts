import { execFile } from 'node:child_process';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import type { PermissionUpdate } from '@rondo/protocol';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import './edit-permissions.ts';
import { savePermissions } from './save-permissions.ts';

let place = '';
let file = '';
beforeEach(() => {
  place = mkdtempSync(join(tmpdir(), 'rondo-save-'));
  for (const name of ['home', 'work']) mkdirSync(join(place, name));
  file = join(place, 'home', 'settings.json');
});
afterEach(() => rmSync(place, { recursive: true, force: true }));

const save = (...updates: PermissionUpdate[]) =>
  savePermissions(updates, { cwd: join(place, 'work'), home: join(place, 'home') });
const write = (content: string, path = file) => {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
};
const text = (path = file) => readFileSync(path, 'utf8');
const rule = (ruleContent?: string) => ({ toolName: 'Bash', ...(ruleContent === undefined ? {} : { ruleContent }) });
const rules = (
  type: 'addRules' | 'replaceRules' | 'removeRules',
  behavior: 'allow' | 'deny' | 'ask',
  ...contents: (string | undefined)[]
): PermissionUpdate => ({ type, behavior, destination: 'userSettings', rules: contents.map(rule) });

test('each destination is a file of Rondo’s own, made where it is missing', async () => {
  const add = (destination: 'userSettings' | 'projectSettings' | 'localSettings' | 'session'): PermissionUpdate => ({
    type: 'addRules',
    behavior: 'allow',
    destination,
    rules: [rule(destination)],
  });
  const notices = await save(add('localSettings'), add('session'), add('projectSettings'), add('userSettings'));
  const files = [
    file,
    join(place, 'work', '.rondo', 'settings.json'),
    join(place, 'work', '.rondo', 'settings.local.json'),
  ];
  expect(notices).toEqual(
    files.map((each) => ({ level: 'info', message: `Written to ${each}.`, details: { file: each } })),
  );
  expect(files.map((each) => JSON.parse(text(each)))).toEqual(
    ['userSettings', 'projectSettings', 'localSettings'].map((name) => ({ permissions: { allow: [`Bash(${name})`] } })),
  );
  expect(readdirSync(join(place, 'work', '.rondo')).sort()).toEqual(['settings.json', 'settings.local.json']);
});

test('comments, order, indentation and line ends stay', async () => {
  const before = [
    '\uFEFF// mine',
    '{',
    '\t"model": "opus", // the best',
    '\t"permissions": {',
    '\t\t/* what runs */',
    '\t\t"allow": [',
    '\t\t\t"Read", // first',
    '\t\t\t"Bash(git status)" // second',
    '\t\t],',
    '\t\t"deny": ["Bash(curl:*)"],',
    '\t},',
    '\t"custom": {"a":1},',
    '}',
    '',
  ].join('\r\n');
  write(before);
  await save(rules('addRules', 'allow', 'make test'), rules('addRules', 'ask', 'git push'));
  const after = text();
  expect(after).toContain('"Bash(make test)"');
  expect(after).toContain('"Bash(git push)"');
  for (const line of before.split('\r\n').filter((each) => each.trim() !== '' && !/second|deny/.test(each)))
    expect(after).toContain(line.trim());
  expect(after).toContain('// second');
  expect(after.replaceAll('\r\n', '')).not.toMatch(/[\r\n]/);
  expect(after.startsWith('\uFEFF// mine')).toBe(true);
  await save(rules('removeRules', 'allow', 'make test'), rules('removeRules', 'ask', 'git push'));
  expect(text()).toContain('"Bash(git status)" // second');
  expect(text()).not.toContain('make test');
});

test.each([
  ['["A", "B"]', '["A", "B", "Bash(x)"]'],
  ['["A", "B",]', '["A", "B", "Bash(x)",]'],
  ['["A" /* a */, "B" /* b */]', '["A" /* a */, "B", "Bash(x)" /* b */]'],
  ['[\n  "A", // a\n  "B" // b\n]', '[\n  "A", // a\n  "B", // b\n  "Bash(x)"\n]'],
  ['[\n  "A",\n  "B", // b\n  // end\n]', '[\n  "A",\n  "B", // b\n  // end\n  "Bash(x)",\n]'],
  ['["A"]', '["A", "Bash(x)"]'],
])('an entry of the list %j is added, and taken out as if it had never been there', async (list, longer) => {
  write(`{"permissions": {"allow": ${list}}}`);
  await save(rules('addRules', 'allow', 'x'));
  expect(text()).toBe(`{"permissions": {"allow": ${longer}}}`);
  await save(rules('removeRules', 'allow', 'x'));
  expect(text()).toBe(`{"permissions": {"allow": ${list}}}`);
});

describe('every update', () => {
  const permissions = (value: object) => JSON.stringify({ permissions: value }, null, 2);
  test.each<[string, PermissionUpdate, object, object]>([
    [
      'adds what is missing',
      rules('addRules', 'deny', 'a', 'b', 'b'),
      { deny: ['Bash(a)'] },
      { deny: ['Bash(a)', 'Bash(b)'] },
    ],
    [
      'replaces',
      rules('replaceRules', 'allow', 'b', 'c'),
      { allow: ['Bash(a)', 'Bash(b)'] },
      { allow: ['Bash(b)', 'Bash(c)'] },
    ],
    ['removes', rules('removeRules', 'allow', 'a', 'z'), { allow: [' Bash(a) ', 'Bash(b)'] }, { allow: ['Bash(b)'] }],
    ['removes the last', rules('removeRules', 'allow', 'a'), { allow: ['Bash(a)'] }, { allow: [] }],
    ['adds a whole tool', rules('addRules', 'ask', undefined), {}, { ask: ['Bash'] }],
    ['escapes', rules('addRules', 'allow', 'echo (a) \\'), {}, { allow: ['Bash(echo \\(a\\) \\\\)'] }],
    [
      'sets the mode',
      { type: 'setMode', mode: 'plan', destination: 'userSettings' },
      { defaultMode: 'default' },
      { defaultMode: 'plan' },
    ],
    [
      'adds folders',
      { type: 'addDirectories', directories: ['/a', '/b'], destination: 'userSettings' },
      { additionalDirectories: ['/a'] },
      { additionalDirectories: ['/a', '/b'] },
    ],
    [
      'removes folders',
      { type: 'removeDirectories', directories: ['/a'], destination: 'userSettings' },
      { additionalDirectories: ['/a', '/b'] },
      { additionalDirectories: ['/b'] },
    ],
  ])('%s, and again changes nothing', async (_what, update, before, after) => {
    write(permissions(before));
    await save(update);
    expect(JSON.parse(text())).toEqual({ permissions: after });
    const written = statSync(file);
    expect(await save(update)).toEqual([]);
    expect(statSync(file)).toMatchObject({ ino: written.ino, mtimeMs: written.mtimeMs });
  });
});

describe('a file that cannot be changed safely', () => {
  test.each([
    ['{"permissions": {"allow": [', 'it is no JSON'],
    ['[]', 'its top is no object'],
    ['null', 'its top is no object'],
    ['{"permissions": []}', 'what stands above its permissions.allow is no object'],
    ['{"permissions": {"allow": "Read"}}', 'its permissions.allow is no list of texts'],
    ['{"permissions": {"allow": [7]}}', 'its permissions.allow is no list of texts'],
    ['{"permissions": {"allow": ["A"]}, "permissions": {"allow": ["B"]}}', 'a key stands in it twice'],
  ])('%j is left as it is, and told', async (content, why) => {
    write(content);
    const notices = await save(rules('addRules', 'allow', 'x'));
    expect(notices).toMatchObject([{ level: 'error', details: { file } }]);
    expect(notices[0]?.message).toContain(`${file} was not written: ${why}.`);
    expect(text()).toBe(content);
    expect(readdirSync(dirname(file))).toEqual(['settings.json']);
  });

  test('a folder, a link to itself, a folder that is a file: told, nothing is made', async () => {
    mkdirSync(file);
    expect(await save(rules('addRules', 'allow', 'x'))).toMatchObject([{ level: 'error' }]);
    rmSync(file, { recursive: true });
    symlinkSync(file, file);
    expect(await save(rules('addRules', 'allow', 'x'))).toMatchObject([{ level: 'error' }]);
    writeFileSync(join(place, 'work', '.rondo'), '');
    const local = { ...rules('addRules', 'allow', 'x'), destination: 'localSettings' } as PermissionUpdate;
    expect(await save(local)).toMatchObject([{ level: 'error' }]);
  });
});

test('an empty file is filled, a link is followed, a mode is kept', async () => {
  const real = join(place, 'real.json');
  write(' \n', real);
  chmodSync(real, 0o640);
  symlinkSync(real, file);
  await save(rules('addRules', 'allow', 'x'));
  expect(JSON.parse(text(real))).toEqual({ permissions: { allow: ['Bash(x)'] } });
  expect(statSync(real).mode & 0o777).toBe(0o640);
});

test.each([
  ['its file', '.rondo/settings.local.json', 'home/settings.json'],
  ['its folder', '.rondo', 'home'],
])('a link in %s that leads out of the session’s folder is not written through', async (_what, link, target) => {
  write('{}');
  mkdirSync(dirname(join(place, 'work', link)), { recursive: true });
  symlinkSync(join(place, target), join(place, 'work', link));
  const local = { ...rules('addRules', 'allow', 'x'), destination: 'localSettings' } as PermissionUpdate;
  const [notice] = await save(local);
  expect(notice).toMatchObject({ level: 'error' });
  expect(notice?.message).toContain('it leads out of its folder');
  expect(text()).toBe('{}');
  expect(readdirSync(join(place, 'home'))).toEqual(['settings.json']);
});

test('a link within the folder is followed', async () => {
  write('{}', join(place, 'work', 'shared.json'));
  mkdirSync(join(place, 'work', '.rondo'));
  symlinkSync('../shared.json', join(place, 'work', '.rondo', 'settings.json'));
  await save({ ...rules('addRules', 'allow', 'x'), destination: 'projectSettings' } as PermissionUpdate);
  expect(JSON.parse(text(join(place, 'work', 'shared.json')))).toEqual({ permissions: { allow: ['Bash(x)'] } });
});

test('an exact rule whose star would be a pattern allows for the session only, and denies as written', async () => {
  const update = (behavior: 'allow' | 'deny'): PermissionUpdate => ({
    type: 'addRules',
    behavior,
    destination: 'userSettings',
    rules: [{ toolName: 'Bash', ruleContent: 'rm *', literal: true }],
  });
  expect(await save(update('allow'))).toMatchObject([{ level: 'warning' }]);
  expect(readdirSync(dirname(file))).toEqual([]);
  await save(update('deny'));
  expect(JSON.parse(text())).toEqual({ permissions: { deny: ['Bash(rm *)'] } });
});

test('a local file that a repository would take in is hinted at, once', async () => {
  mkdirSync(join(place, 'work', '.git'));
  const local = { ...rules('addRules', 'allow', 'x'), destination: 'localSettings' } as PermissionUpdate;
  expect((await save(local))[0]?.message).toContain('put .rondo/settings.local.json into .gitignore');
  rmSync(join(place, 'work', '.rondo'), { recursive: true });
  write('.rondo/settings.local.json\n', join(place, 'work', '.gitignore'));
  expect((await save(local))[0]?.message).not.toContain('.gitignore');
});

test('many who write at once, here and in other processes, lose nothing', { timeout: 60_000 }, async () => {
  const module = new URL('./save-permissions.ts', import.meta.url).href;
  const script = (name: string) => `
    import { savePermissions } from ${JSON.stringify(module)};
    const options = ${JSON.stringify({ cwd: join(place, 'work'), home: join(place, 'home') })};
    for (let index = 0; index < 5; index += 1) {
      const rules = [{ toolName: 'Bash', ruleContent: ${JSON.stringify(name)} + index }];
      await savePermissions([{ type: 'addRules', behavior: 'allow', destination: 'userSettings', rules }], options);
    }`;
  const args = (name: string) => ['--conditions=@rondo/source', '--input-type=module', '-e', script(name)];
  await Promise.all([
    ...['a', 'b', 'c'].map((name) => promisify(execFile)(process.execPath, args(name))),
    ...[0, 1, 2, 3, 4].map((index) => save(rules('addRules', 'allow', `own${index}`))),
  ]);
  expect(JSON.parse(text()).permissions.allow.toSorted()).toEqual(
    ['a', 'b', 'c', 'own'].flatMap((name) => [0, 1, 2, 3, 4].map((index) => `Bash(${name}${index})`)).toSorted(),
  );
  expect(readdirSync(dirname(file))).toEqual(['settings.json']);
});

test('a lock that a dead process left is broken', async () => {
  write('999999999', join(dirname(file), '.settings.json.lock'));
  expect(await save(rules('addRules', 'allow', 'x'))).toMatchObject([{ level: 'info' }]);
});
