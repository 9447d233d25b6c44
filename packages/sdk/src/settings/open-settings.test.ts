import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openSettings, type OpenSettings } from './open-settings.ts';
import { problemText } from './settings-problem.ts';

let place = '';
let file = '';
beforeEach(() => {
  place = mkdtempSync(join(tmpdir(), 'rondo-open-'));
  for (const name of ['home', 'project', 'managed']) mkdirSync(join(place, name));
  file = join(place, 'home', 'settings.json');
});
afterEach(() => rmSync(place, { recursive: true, force: true }));

const open = () =>
  openSettings({
    cwd: join(place, 'project'),
    home: join(place, 'home'),
    env: { HOME: place },
    managedFolder: join(place, 'managed'),
  });

const denied = (settings: OpenSettings) =>
  settings.current().layers.flatMap((layer) => layer.settings.permissions?.deny ?? []);
const allowed = (settings: OpenSettings) =>
  settings.current().layers.flatMap((layer) => layer.settings.permissions?.allow ?? []);

const good = { permissions: { deny: ['Bash(curl:*)'], allow: ['Read'] } };
const write = (content: unknown, path = file) =>
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));

/** Every way that a file breaks while a session is at work, and what is said of it. */
const breakages: readonly (readonly [string, () => void, RegExp])[] = [
  [
    'is cut off',
    () => write('{"permissions": {"deny": ["Bash(curl:*)"'),
    /FILE:1:41 is no JSON: expected a comma or \]/,
  ],
  ['is emptied', () => write(''), /FILE is empty/],
  ['is only blanks', () => write(' \n\n'), /FILE is empty/],
  [
    'has a typo',
    () => write({ permissions: { denny: ['Bash(curl:*)'], allow: ['Write'] } }),
    /FILE:1:17: permissions\.denny .* did you mean deny\?/,
  ],
  [
    'has its rules at the wrong level',
    () => write({ deny: ['Bash(curl:*)'] }),
    /FILE:1:2: deny stands under permissions/,
  ],
  ['cannot be read', () => (unlinkSync(file), symlinkSync(file, file)), /FILE cannot be read: ELOOP/],
  ['is deleted', () => unlinkSync(file), /FILE is gone/],
  ['is a folder', () => (unlinkSync(file), mkdirSync(file)), /FILE cannot be read: it is a folder/],
  ['is null', () => write('null'), /FILE is null at its top/],
  ['is a list', () => write('[]'), /FILE is a list at its top/],
  ['is a text', () => write('"x"'), /FILE is a string at its top/],
  [
    'has rules of the wrong kind',
    () => write({ permissions: { deny: { curl: true }, allow: ['Write'] } }),
    /FILE:1:17: permissions\.deny takes a list of texts/,
  ],
  [
    'has one rule of the wrong kind',
    () => write({ permissions: { deny: [7], allow: ['Write'] } }),
    /permissions\.deny\.0 takes a text, not 7/,
  ],
  ['has null rules', () => write({ permissions: { deny: null, allow: ['Write'] } }), /permissions\.deny is null/],
  ['has permissions of the wrong kind', () => write({ permissions: 'none' }), /FILE:1:2: permissions takes an object/],
  ['is binary', () => write('\u0000\u0001'), /FILE:1:1 is no JSON/],
  ['holds a merge conflict', () => write('<<<<<<< HEAD\n{}\n=======\n{}\n'), /FILE:1:1 is no JSON/],
];

describe.each(breakages)('a file that %s', (_what, breakIt, said) => {
  test('takes no rule back, grants nothing, and is told once with its place', async () => {
    write(good);
    const settings = await open();
    breakIt();
    const changes = await settings.refresh();
    expect(changes).toMatchObject([{ kind: 'held', file, source: 'user' }]);
    expect(problemText(changes?.[0]?.problems[0] as never).replace(file, 'FILE')).toMatch(said);
    expect(denied(settings)).toEqual(['Bash(curl:*)']);
    expect(allowed(settings)).toEqual(['Read']);
    expect((await settings.refresh()) ?? []).toEqual([]);
    expect(denied(settings)).toEqual(['Bash(curl:*)']);
  });

  test('counts again when it is mended', async () => {
    write(good);
    const settings = await open();
    breakIt();
    await settings.refresh();
    rmSync(file, { recursive: true, force: true });
    write({ permissions: { deny: ['Write'] } });
    expect(await settings.refresh()).toMatchObject([{ kind: 'changed', problems: [] }]);
    expect(denied(settings)).toEqual(['Write']);
    expect(allowed(settings)).toEqual([]);
  });

  test('that was not there before grants nothing', async () => {
    const settings = await open();
    write(good);
    breakIt();
    await settings.refresh();
    expect(allowed(settings)).toEqual([]);
  });
});

describe('a file that is read tolerantly', () => {
  test.each([
    ['a byte order mark', `\uFEFF${JSON.stringify(good)}`],
    ['a comma too many', '{"permissions": {"deny": ["Bash(curl:*)",], "allow": ["Read"]},}'],
    ['comments', '{"permissions": {"deny": [/* no */ "Bash(curl:*)"], "allow": ["Read"]}} // done'],
    ['a key twice', '{"permissions": {"deny": ["Bash(curl:*)"]}, "permissions": {"allow": ["Read"], "deny": []}}'],
    ['CRLF', JSON.stringify(good, null, 2).replaceAll('\n', '\r\n')],
  ])('with %s keeps its rules', async (_what, content) => {
    write(good);
    const settings = await open();
    write(content);
    await settings.refresh();
    expect(denied(settings)).toEqual(['Bash(curl:*)']);
    expect(allowed(settings)).toEqual(['Read']);
  });
});

test('a new rule of a file in doubt denies at once, beside those from before', async () => {
  write(good);
  const settings = await open();
  write({ permissions: { deny: ['Write'], alow: [], allow: ['Edit'], ask: [7, 'Bash'] } });
  expect(await settings.refresh()).toMatchObject([{ kind: 'held' }]);
  expect(denied(settings)).toEqual(['Bash(curl:*)', 'Write']);
  expect(allowed(settings)).toEqual(['Read']);
});

test('a file that is replaced, touched or made is looked at, and only what is new is told', async () => {
  const settings = await open();
  expect(settings.refresh()).toBeUndefined();
  write(good);
  expect(await settings.refresh()).toMatchObject([{ kind: 'changed', file }]);
  write(good);
  expect((await settings.refresh()) ?? []).toEqual([]);
  const before = settings.current();
  const next = join(place, 'next.json');
  write({ permissions: { deny: [] } }, next);
  renameSync(next, file);
  expect(await settings.refresh()).toMatchObject([{ kind: 'changed' }]);
  expect(denied(settings)).toEqual([]);
  expect(settings.current()).not.toBe(before);
  expect(settings.current()).toBe(settings.current());
});

test('a write of the same length right after the last is not missed', async () => {
  write({ permissions: { deny: ['A'] } });
  const settings = await open();
  for (const rule of ['B', 'C', 'D', 'E']) {
    write({ permissions: { deny: [rule] } });
    await settings.refresh();
    expect(denied(settings)).toEqual([rule]);
  }
});

test('a part of managed settings that comes counts, one that goes stays', async () => {
  const settings = await open();
  const folder = join(place, 'managed', 'managed-settings.d');
  mkdirSync(folder);
  write({ permissions: { deny: ['A'] } }, join(folder, 'a.json'));
  expect(await settings.refresh()).toMatchObject([{ kind: 'changed', source: 'managed' }]);
  rmSync(folder, { recursive: true });
  expect(await settings.refresh()).toMatchObject([{ kind: 'held', source: 'managed' }]);
  expect(denied(settings)).toEqual(['A']);
  expect((await settings.refresh()) ?? []).toEqual([]);
});

test('looks that overlap are one', async () => {
  write(good);
  const settings = await open();
  write({ permissions: { deny: ['B'] } });
  const first = settings.refresh();
  expect(settings.refresh()).toBe(first);
  await first;
  expect(denied(settings)).toEqual(['B']);
});

describe('the flag', () => {
  test('is changed key by key, and null takes one out', async () => {
    write(good);
    const settings = await open();
    const flag = () => settings.current().layers.find(({ source }) => source === 'flag')?.settings;
    expect(await settings.setFlag({ model: 'x', permissions: { deny: ['A'], ask: ['B'] } })).toMatchObject([
      { kind: 'changed', file: 'options.settings' },
    ]);
    await settings.setFlag({ permissions: { deny: ['C'] }, env: undefined });
    expect(flag()).toEqual({ model: 'x', permissions: { deny: ['C'] } });
    await settings.setFlag({ model: null });
    expect(flag()).toEqual({ permissions: { deny: ['C'] } });
    expect(denied(settings)).toEqual(['Bash(curl:*)', 'C']);
  });

  test('that cannot be read as meant changes nothing', async () => {
    const settings = await open();
    await settings.setFlag({ permissions: { deny: ['A'] } });
    expect(await settings.setFlag({ permissions: { denny: ['B'] } })).toMatchObject([{ kind: 'held' }]);
    expect(denied(settings)).toEqual(['A']);
  });
});
