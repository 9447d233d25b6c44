import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { applyTrust } from '../settings/apply-trust.ts';
import { loadSettings } from '../settings/load-settings.ts';
import type { Settings } from '../settings/settings.ts';
import { isTrustedIn, untrustedMessage } from './is-trusted.ts';
import { judgeFolder } from './judge-folder.ts';
import { signAgain, trustFolder } from './trust-folder.ts';
import { createTrustStore } from './trust-store.ts';

function place(files: Readonly<Record<string, string | Settings>>) {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'rondo-trust-')));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const [cwd, home] = [join(root, 'project'), join(root, 'home')];
  mkdirSync(cwd);
  const write = (name: string, content: string | Settings): void => {
    mkdirSync(dirname(join(cwd, name)), { recursive: true });
    writeFileSync(join(cwd, name), typeof content === 'string' ? content : JSON.stringify(content));
  };
  for (const [name, content] of Object.entries(files)) write(name, content);
  const load = async (folder = cwd) =>
    await loadSettings({ cwd: folder, home, env: { HOME: root }, managedFolder: join(root, 'etc') });
  const judge = async (trusted?: boolean, folder = cwd) =>
    await judgeFolder({ cwd: folder, home, layers: (await load(folder)).layers, trusted });
  const counted = async (trusted?: boolean) => {
    const loaded = await load();
    return applyTrust(loaded, isTrustedIn(await judge(trusted))).layers.map(({ settings }) => settings);
  };
  return { cwd, home, root, write, judge, counted };
}

const hooks = { PreToolUse: [{ hooks: [{ type: 'command', command: '"$CLAUDE_PROJECT_DIR"/tools/check.sh --now' }] }] };
const settings: Settings = {
  permissions: { allow: ['Bash(make:*)'], deny: ['Bash(rm:*)'] },
  hooks,
  env: { NODE_OPTIONS: '--require ./tools/first.js' },
};
const files = {
  '.claude/settings.json': settings,
  'tools/check.sh': 'exit 0',
  'tools/first.js': '',
  'tools/other.sh': 'exit 0',
};

test('of a folder that nobody trusts only what narrows counts, and it is said what was left out', async () => {
  const { counted, judge, cwd } = place(files);
  expect(await counted()).toEqual([{ permissions: { deny: ['Bash(rm:*)'] } }]);
  const judged = await judge();
  expect(judged.parts).toEqual([
    {
      name: '.claude/settings.json',
      hash: expect.any(String) as string,
      state: 'new',
      brings: [
        'allows Bash(make:*)',
        'runs at PreToolUse: "$CLAUDE_PROJECT_DIR"/tools/check.sh --now',
        'sets NODE_OPTIONS=--require ./tools/first.js',
        'with tools/check.sh, tools/first.js',
      ],
    },
  ]);
  expect(untrustedMessage(judged)).toContain(
    `${cwd} is not trusted: of .claude/settings.json only what narrows counts`,
  );
});

test('a trusted folder counts whole, by any name that leads there', async () => {
  const { counted, judge, home, root, cwd } = place(files);
  trustFolder(await judge(), home);
  expect(await counted()).toEqual([settings]);
  const link = join(root, 'link');
  symlinkSync(cwd, link);
  expect((await judge(undefined, link)).parts.map(({ state }) => state)).toEqual(['trusted']);
  expect(
    createTrustStore(home)
      .list()
      .map(({ folder }) => folder),
  ).toEqual([cwd]);
  expect(createTrustStore(home).remove(cwd)).toBe(true);
  expect((await judge()).parts.map(({ state }) => state)).toEqual(['new']);
});

const changes: readonly (readonly [string, 'changed' | 'trusted', string, string | Settings])[] = [
  ['the hook’s script', 'changed', 'tools/check.sh', 'exit 1'],
  ['a module that a variable requires', 'changed', 'tools/first.js', 'go()'],
  [
    'an allow rule',
    'changed',
    '.claude/settings.json',
    { ...settings, permissions: { allow: ['Bash'], deny: ['Bash(rm:*)'] } },
  ],
  [
    'another deny rule',
    'trusted',
    '.claude/settings.json',
    { ...settings, permissions: { allow: ['Bash(make:*)'], deny: [] } },
  ],
  ['a file that nothing names', 'trusted', 'tools/other.sh', 'exit 1'],
  ['the layout of the file', 'trusted', '.claude/settings.json', JSON.stringify(settings, undefined, 4)],
];

test.each(changes)('%s: afterwards it is %s', async (_, state, file, content) => {
  const { judge, home, write } = place(files);
  trustFolder(await judge(), home);
  write(file, content);
  expect((await judge()).parts.map((part) => part.state)).toEqual([state]);
});

test('a script that appears where a hook names one is a change', async () => {
  const { judge, home, write } = place({ '.rondo/settings.json': { hooks } });
  trustFolder(await judge(), home);
  write('tools/check.sh', 'exit 0');
  const judged = await judge();
  expect(judged.parts.map(({ state }) => state)).toEqual(['changed']);
  expect(untrustedMessage(judged)).toContain('changed since it was trusted');
});

test('a link that leads elsewhere is a change, also to the same bytes', async () => {
  const { judge, home, cwd, root } = place({
    '.rondo/settings.json': { hooks },
    'tools/one.sh': 'x',
    'tools/two.sh': 'x',
  });
  symlinkSync('one.sh', join(cwd, 'tools/check.sh'));
  trustFolder(await judge(), home);
  rmSync(join(cwd, 'tools/check.sh'));
  symlinkSync(join(root, 'project/tools/two.sh'), join(cwd, 'tools/check.sh'));
  expect((await judge()).parts.map(({ state }) => state)).toEqual(['changed']);
});

test('who embeds the runtime answers for the folder, either way', async () => {
  const { counted, judge, home } = place(files);
  expect(await counted(true)).toEqual([settings]);
  trustFolder(await judge(), home);
  expect(await counted(false)).toEqual([{ permissions: { deny: ['Bash(rm:*)'] } }]);
});

test('a store that cannot be read trusts nothing', async () => {
  const { judge, home } = place(files);
  trustFolder(await judge(), home);
  const [trusted] = createTrustStore(home).list();
  writeFileSync(join(home, 'trust', 'x.json'), '{');
  expect(createTrustStore(home).list()).toEqual([trusted]);
  const store = createTrustStore(home);
  store.write({ ...(trusted as NonNullable<typeof trusted>), parts: { '.claude/settings.json': 'another' } });
  expect((await judge()).parts.map(({ state }) => state)).toEqual(['changed']);
});

test('what Rondo writes itself is signed anew, but only where it was trusted or brought nothing', async () => {
  const { judge, home, write, cwd } = place({});
  const name = '.rondo/settings.local.json';
  const written = async (rules: readonly string[], before: string | undefined) => {
    write(name, { permissions: { allow: rules } });
    const [part] = (await judge()).parts;
    signAgain({ folder: cwd, name, before, hash: part?.hash ?? '' }, home);
    return (await judge()).parts.map(({ state }) => state);
  };
  expect(await written(['Bash(make)'], undefined)).toEqual(['trusted']);
  const [first] = (await judge()).parts;
  expect(await written(['Bash(make)', 'Bash(ls)'], first?.hash)).toEqual(['trusted']);
  write(name, { permissions: { allow: ['Bash'] } });
  const [foreign] = (await judge()).parts;
  expect(await written(['Bash', 'Bash(pwd)'], foreign?.hash)).toEqual(['changed']);
});
