import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { loadSettings } from './load-settings.ts';
import type { LoadSettingsOptions } from './settings-layer.ts';
import { problemText, refuseBroken } from './settings-problem.ts';

let place = '';
beforeEach(() => {
  place = mkdtempSync(join(tmpdir(), 'rondo-settings-'));
  for (const name of ['home', 'project', 'claude', 'managed']) mkdirSync(join(place, name));
});
afterEach(() => rmSync(place, { recursive: true, force: true }));

function write(file: string, content: unknown): string {
  const path = join(place, file);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  return path;
}

function load(more: Partial<LoadSettingsOptions> = {}) {
  return loadSettings({
    cwd: join(place, 'project'),
    home: join(place, 'home'),
    env: { CLAUDE_CONFIG_DIR: join(place, 'claude') },
    managedFolder: join(place, 'managed'),
    ...more,
  });
}

/** What the user's own file comes to: its settings, or nothing where it is broken, and every problem in a sentence. */
async function read(content: unknown) {
  const file = write('home/settings.json', content);
  const loaded = await load();
  return {
    settings: loaded.layers[0]?.settings,
    problems: loaded.problems.map((problem) => problemText(problem).replace(file, 'FILE')),
    severities: loaded.problems.map(({ severity }) => severity),
  };
}

describe('sources', () => {
  test('are read the lowest first, what is beside Rondo’s below it, and managed ones last', async () => {
    const says = (env: string) => ({ env: { WHO: env } });
    write('claude/settings.json', says('user claude'));
    write('home/settings.json', says('user'));
    write('project/.claude/settings.json', says('project claude'));
    write('project/.rondo/settings.json', says('project'));
    write('project/.claude/settings.local.json', says('local claude'));
    write('project/.rondo/settings.local.json', says('local'));
    write('managed/managed-settings.json', says('managed'));
    write('managed/managed-settings.d/20-b.json', says('managed b'));
    write('managed/managed-settings.d/10-a.json', says('managed a'));
    write('managed/managed-settings.d/.hidden.json', says('hidden'));
    const { layers, problems } = await load({ flag: says('flag'), serverManaged: says('server') });
    expect(problems).toEqual([]);
    const whose = 'user claude,user,project claude,project,local claude,local,flag,managed,managed a,managed b,server';
    expect(layers.map(({ settings }) => settings.env?.['WHO']).join(',')).toBe(whose);
    const places =
      'user claude,user rondo,project claude,project rondo,local claude,local rondo,flag ,managed file,managed file,managed file,managed server';
    expect(
      layers.map(({ source, folder, policyOrigin }) => `${source} ${folder ?? policyOrigin ?? ''}`).join(','),
    ).toBe(places);
    expect(new Set(layers.map(({ name }) => name)).size).toBe(layers.length);
    expect(new Set(layers.map(({ hash }) => hash)).size).toBe(layers.length);
  });

  test('that were not chosen are not read, managed ones always are', async () => {
    write('home/settings.json', { model: 'user' });
    write('project/.rondo/settings.json', { model: 'project' });
    write('managed/managed-settings.json', { model: 'managed' });
    const models = async (...chosen: ('user' | 'project' | 'local')[]) =>
      (await load({ settingSources: chosen })).layers.map(({ settings }) => settings.model);
    expect(await models()).toEqual(['managed']);
    expect(await models('project')).toEqual(['project', 'managed']);
    expect(await models('project', 'user')).toEqual(['user', 'project', 'managed']);
  });

  test('in the home folder are the user’s, not a project’s', async () => {
    write('.rondo/settings.json', { model: 'mine' });
    const { layers } = await load({ cwd: place, home: join(place, '.rondo') });
    expect(layers.map(({ source }) => source)).toEqual(['user']);
    expect((await load({ cwd: place, home: join(place, '.rondo'), settingSources: ['project'] })).layers).toEqual([]);
  });

  test('of a folder above or below do not count', async () => {
    write('project/.rondo/settings.json', { model: 'above' });
    write('project/sub/deep/.rondo/settings.json', { model: 'below' });
    expect((await load({ cwd: join(place, 'project', 'sub') })).layers).toEqual([]);
  });

  test('that are links are followed, those that are none are nothing', async () => {
    const target = write('elsewhere.json', { model: 'linked' });
    symlinkSync(target, join(place, 'home', 'settings.json'));
    expect((await load()).layers[0]?.settings.model).toBe('linked');
    rmSync(target);
    expect(await load()).toEqual({ layers: [], problems: [] });
  });
});

describe('a flag', () => {
  test.each([[{ model: 'x' }], ['{"model": "x"}'], [' \n{"model": "x", /* why */}']])('is %j', async (flag) => {
    const { layers } = await load({ flag });
    expect(layers).toMatchObject([{ source: 'flag', name: 'options.settings', settings: { model: 'x' } }]);
  });

  test('is a path, from the session’s folder', async () => {
    const path = write('project/flag.json', { model: 'x' });
    expect((await load({ flag: 'flag.json' })).layers).toMatchObject([{ source: 'flag', path, name: path }]);
  });

  test('that names nothing breaks', async () => {
    const loaded = await load({ flag: 'nowhere.json', flagName: '--settings' });
    expect(() => refuseBroken(loaded)).toThrow(
      /--settings names the settings file .*nowhere\.json, which is not there/,
    );
  });
});

describe('managed settings of an embedding program', () => {
  const tight = {
    model: 'other',
    env: { A: '1' },
    permissions: { allow: ['Bash'], deny: ['Bash(rm:*)'], defaultMode: 'acceptEdits' },
    sandbox: { enabled: true, excludedCommands: ['docker'], network: { deniedDomains: ['a.example'] } },
    allowManagedHooksOnly: true,
    allowManagedPermissionRulesOnly: false,
  } as const;
  const kept = {
    permissions: { deny: ['Bash(rm:*)'] },
    sandbox: { enabled: true, network: { deniedDomains: ['a.example'] } },
    allowManagedHooksOnly: true,
  };

  test('count where they restrict', async () => {
    const { layers, problems } = await load({ managed: tight });
    expect(layers).toMatchObject([{ source: 'managed', policyOrigin: 'parent' }]);
    expect(layers[0]?.settings).toEqual(kept);
    expect(problems).toEqual([]);
  });

  test('are dropped where an administrator has a policy, unless that one says otherwise', async () => {
    write('managed/managed-settings.json', { permissions: { ask: ['Write'] } });
    const origins = async () => (await load({ managed: tight })).layers.map(({ policyOrigin }) => policyOrigin);
    expect(await origins()).toEqual(['file']);
    write('managed/managed-settings.json', { parentSettingsBehavior: 'merge' });
    expect(await origins()).toEqual(['parent', 'file']);
    expect((await load({ managed: tight, serverManaged: {} })).layers.length).toBe(3);
  });

  test('an administrator’s file that says nothing breaks: it was cut short', async () => {
    for (const content of ['', 'null', '[]']) {
      write('managed/managed-settings.json', content);
      expect((await load()).problems[0]?.severity).toBe('broken');
    }
  });

  test('of no administrator: keys of managed settings only do not count', async () => {
    expect(
      await read({ allowManagedHooksOnly: true, sandbox: { network: { allowManagedDomainsOnly: true } } }),
    ).toEqual({
      settings: { sandbox: { network: {} } },
      problems: [
        'FILE:1:2: allowManagedHooksOnly counts only in managed settings.',
        'FILE:1:53: sandbox.network.allowManagedDomainsOnly counts only in managed settings.',
      ],
      severities: ['warning', 'warning'],
    });
  });
});

describe('text that is not quite JSON', () => {
  test.each([
    ['{\n  "permissions": {"deny": ["Bash"]\n', 'FILE:3:1 is no JSON: expected a comma or } here.'],
    ['{\n  "model": sonnet\n}', 'FILE:2:12 is no JSON: expected a value here.'],
    ['// why\n{\n "model": "x",\n  oops\n}', 'FILE:4:3 is no JSON: expected a key in double quotes here.'],
    ['{"model": "x",} y', 'FILE:1:17 is no JSON: expected the end of the file here.'],
    ['[1, ', 'FILE:1:5 is no JSON: expected a value here.'],
    ['['.repeat(200_000), 'FILE is nested too deeply to be read.'],
    [`{"a": ${'['.repeat(100_000)}${']'.repeat(100_000)}}`, 'FILE is nested too deeply to be read.'],
  ])('%.40j breaks', async (content, problem) => {
    expect(await read(content)).toEqual({ settings: undefined, problems: [problem], severities: ['broken'] });
  });

  test.each([
    ['{"model": "x",}', ['FILE holds a comma behind the last entry, which JSON has not.']],
    ['// why\n{"model": "x" /* and */}', ['FILE holds comments, which JSON has not.']],
    ['\uFEFF{"model": "x"}', ['FILE begins with a byte order mark, which is skipped.']],
    ['{\r\n"model": "x"\r\n}\r\n', []],
    ['{"model": "y", "model": "x"}', ['FILE:1:16: model stands here for a second time; the last one counts.']],
  ])('%j is read', async (content, problems) => {
    expect(await read(content)).toMatchObject({ settings: { model: 'x' }, problems });
  });

  test.each([
    ['', 'FILE is empty, which says nothing.'],
    [' \n', 'FILE is empty, which says nothing.'],
    ['null', 'FILE is null at its top, not an object.'],
    ['[]', 'FILE is a list at its top, not an object.'],
    ['"x"', 'FILE is a string at its top, not an object.'],
  ])('%j says nothing', async (content, problem) => {
    expect(await read(content)).toEqual({ settings: {}, problems: [problem], severities: ['notice'] });
  });

  test('what stands twice counts together, so that a second block erases no rule', async () => {
    const twice =
      '{"permissions": {"deny": ["A"], "deny": ["B"], "deny": null, "ask": ["C"]}, "hooks": {"Stop": [1]},\n' +
      '"permissions": {"deny": "D", "allow": ["E"]}, "hooks": {"Stop": [2]}}';
    const { settings, problems } = await read(twice);
    expect(settings).toEqual({
      permissions: { deny: ['A', 'B', 'D'], ask: ['C'], allow: ['E'] },
      hooks: { Stop: [1, 2] },
    });
    expect(problems).toContain('FILE:2:1: permissions stands here for a second time; all that both say counts.');
  });

  test('colons and quotes in texts are no members', async () => {
    const env = { A: 'a:b "c": {d:1}', B: '\\"::' };
    expect(await read({ env })).toEqual({ settings: { env }, problems: [], severities: [] });
  });

  test('the name of an object’s prototype is none of a key', async () => {
    const { settings } = await read('{"__proto__": {"model": "x"}, "constructor": 1, "env": {"__proto__": "y"}}');
    expect(settings?.model).toBeUndefined();
    expect(Object.entries(settings?.env ?? {})).toEqual([]);
  });
});

test.each([
  ['a folder', (path: string) => mkdirSync(path), 'cannot be read: it is a folder'],
  ['a link to itself', (path: string) => symlinkSync(path, path), 'cannot be read: ELOOP'],
  ['a device', (path: string) => symlinkSync('/dev/zero', path), 'cannot be read: it is no ordinary file'],
])('a file that is %s breaks', async (_what, make, problem) => {
  make(join(place, 'home', 'settings.json'));
  const loaded = await load();
  expect(loaded.layers).toEqual([]);
  expect(() => refuseBroken(loaded)).toThrow(problem);
});

describe('a value of the wrong kind', () => {
  test.each([
    [
      { permissions: { deny: 'Bash' } },
      { permissions: { deny: ['Bash'] } },
      'warning',
      'takes a list; "Bash" is read as a list of one',
    ],
    [{ permissions: { allow: '*' } }, { permissions: {} }, 'error', 'takes a list of texts, not "*"; write ["*"]'],
    [
      { permissions: { deny: ['A', 7, 'B'] } },
      { permissions: { deny: ['A', 'B'] } },
      'error',
      'FILE:1:29: permissions.deny.1 takes a text, not 7',
    ],
    [{ permissions: { allow: [null, 'B'] } }, { permissions: { allow: ['B'] } }, 'error', 'takes a text, not null'],
    [
      { permissions: { defaultMode: 'allowEdits' } },
      { permissions: { defaultMode: 'default' } },
      'error',
      'cannot be "allowEdits", and is read as default; did you mean acceptEdits?',
    ],
    [
      { permissions: { defaultMode: true } },
      { permissions: { defaultMode: 'default' } },
      'error',
      'cannot be true, and is read as default; there are default',
    ],
    [
      { permissions: { disableBypassPermissionsMode: true } },
      { permissions: { disableBypassPermissionsMode: 'disable' } },
      'warning',
      'is read as disable',
    ],
    [{ permissions: { additionalDirectories: '/x' } }, { permissions: {} }, 'error', 'write ["/x"]'],
    [
      { env: { A: 1, B: true, C: 'c', D: null, E: {} } },
      { env: { A: '1', B: 'true', C: 'c' } },
      'error',
      'env.D takes a text, not null',
    ],
    [{ env: 'A=1' }, {}, 'error', 'env takes an object, not "A=1"'],
    [{ hooks: [] }, {}, 'error', 'hooks takes an object, not []'],
    [{ sandbox: { enabled: 'true' } }, { sandbox: { enabled: true } }, 'warning', 'it is read as true'],
    [{ sandbox: { enabled: 'false' } }, { sandbox: {} }, 'error', 'takes true or false, not "false"'],
    [
      { sandbox: { filesystem: { denyRead: '/etc' } } },
      { sandbox: { filesystem: { denyRead: ['/etc'] } } },
      'warning',
      'read as a list of one',
    ],
    [
      { sandbox: { ignoreViolations: { file: ['/tmp/*'], network: 1 } } },
      { sandbox: { ignoreViolations: { file: ['/tmp/*'] } } },
      'error',
      'ignoreViolations.network takes a list',
    ],
    [{ cleanupPeriodDays: '30' }, {}, 'error', 'cleanupPeriodDays takes a number, not "30"'],
    [{ permissions: { deny: null } }, { permissions: {} }, 'warning', 'permissions.deny is null, which says nothing'],
  ])('%j', async (content, settings, severity, problem) => {
    const said = await read(content);
    expect(said.settings).toEqual(settings);
    expect(said.severities).toContain(severity);
    expect(said.problems.join('\n')).toContain(problem);
  });

  test.each([
    [{ permissions: [] }, 'permissions takes an object, not []'],
    [{ permissions: { deny: { Bash: true } } }, 'permissions.deny takes a list of texts'],
    [{ permissions: { ask: 7 } }, 'permissions.ask takes a list of texts, not 7'],
    [{ sandbox: true }, 'sandbox takes an object, not true'],
    [{ model: 7 }, 'model takes a text, not 7'],
  ])('%j breaks, since a restriction may be lost', async (content, problem) => {
    const said = await read(content);
    expect(said.settings).toBeUndefined();
    expect(said.severities).toEqual(['broken']);
    expect(said.problems[0]).toContain(problem);
  });
});

describe('an unknown key', () => {
  test.each([
    [{ permissions: { denny: ['Bash'] } }, 'permissions.denny is no key that this version knows; did you mean deny?'],
    [{ hook: {} }, 'did you mean hooks?'],
    [{ deny: ['Bash'] }, 'deny stands under permissions.'],
    [{ autoAllowBashIfSandboxed: true }, 'stands under sandbox.'],
    [{ permissions: { hooks: {} } }, 'permissions.hooks stands at the top level.'],
    [{ sandbox: { allowedDomains: [] } }, 'stands under sandbox.network.'],
  ])('%j is kept and named', async (content, problem) => {
    const said = await read(content);
    expect(said.settings).toEqual(content);
    expect(said.severities).toEqual(['warning']);
    expect(said.problems[0]).toContain(problem);
  });

  test('of anybody’s invention is kept without a word', async () => {
    const invented = {
      project: { name: 'x', enabled: true },
      workflow: {},
      quality: 1,
      features: {},
      lsp: {},
      commands: [],
    };
    expect(await read(invented)).toEqual({ settings: invented, problems: [], severities: [] });
  });

  test('that is nearly a model breaks the user’s own file only', async () => {
    expect((await read({ modle: 'opus' })).severities).toEqual(['broken']);
    expect((await read({ aliases: {} })).problems).toEqual(['FILE:1:2: aliases stands under models.']);
    rmSync(join(place, 'home', 'settings.json'));
    write('claude/settings.json', { modle: 'opus' });
    expect((await load()).problems).toMatchObject([{ severity: 'warning', suggestion: 'did you mean model?' }]);
  });
});
