import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { resolveSettings } from './resolve-settings.ts';

let place = '';
beforeEach(() => {
  place = mkdtempSync(join(tmpdir(), 'rondo-resolve-'));
  Reflect.set(globalThis, Symbol.for('rondo.managed-folder'), join(place, 'managed'));
});
afterEach(() => {
  Reflect.deleteProperty(globalThis, Symbol.for('rondo.managed-folder'));
  rmSync(place, { recursive: true, force: true });
});

function write(file: string, content: unknown): string {
  const path = join(place, file);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  return path;
}

function resolved(more: Parameters<typeof resolveSettings>[0] = {}) {
  return resolveSettings({
    cwd: join(place, 'project'),
    home: join(place, 'home'),
    env: { CLAUDE_CONFIG_DIR: join(place, 'claude'), RONDO_MANAGED_FOLDER: '/nowhere' },
    ...more,
  });
}

test('the highest wins, lists are joined, variables and hooks go by name; each with its source', async () => {
  const user = write('home/settings.json', {
    model: 'user',
    cleanupPeriodDays: 3,
    env: { A: 'user', B: 'user' },
    permissions: { allow: ['Read'], deny: ['A', 'B'], defaultMode: 'plan' },
    hooks: { Stop: [{ hooks: [1] }] },
    models: { aliases: { a: 'x', b: 'x' } },
    custom: { a: 1 },
  });
  const local = write('project/.rondo/settings.local.json', {
    model: 'local',
    env: { B: 'local' },
    permissions: { deny: ['B', 'C'], defaultMode: 'dontAsk' },
    hooks: { Stop: [{ hooks: [2] }], SessionEnd: [] },
    models: { aliases: { b: 'y' } },
    custom: { b: 2 },
  });
  const { effective, provenance, sources, problems, origins, untrusted } = await resolved();
  expect(effective).toEqual({
    model: 'local',
    cleanupPeriodDays: 3,
    env: { A: 'user', B: 'local' },
    permissions: { allow: ['Read'], deny: ['A', 'B', 'C'], defaultMode: 'dontAsk' },
    hooks: { Stop: [{ hooks: [1] }, { hooks: [2] }], SessionEnd: [] },
    models: { aliases: { a: 'x', b: 'y' }, servers: {}, facts: {} },
    custom: { b: 2 },
  });
  expect(provenance).toMatchObject({
    model: { source: 'local', path: local },
    cleanupPeriodDays: { source: 'user', path: user },
    permissions: { source: 'local', path: local },
  });
  expect(sources.map(({ source, path }) => [source, path])).toEqual([
    ['user', user],
    ['local', local],
  ]);
  expect(problems).toEqual([]);
  expect(origins).toMatchObject({ 'permissions.deny': [user, local], 'permissions.allow': [user], model: [local] });
  expect(untrusted).toEqual([{ path: local, keys: ['model', 'env', 'permissions.defaultMode', 'hooks', 'models'] }]);
});

test('managed settings beat all others, and may be the only ones', async () => {
  const mine = {
    permissions: { allow: ['Bash'], deny: ['A'], ask: ['B'] },
    hooks: { Stop: [1] },
    sandbox: { enabled: false, network: { allowedDomains: ['a.example'], deniedDomains: ['b.example'] } },
  };
  write('home/settings.json', { ...mine, model: 'user' });
  const file = write('managed/managed-settings.json', {
    model: 'managed',
    allowManagedPermissionRulesOnly: true,
    allowManagedHooksOnly: true,
    permissions: { allow: ['Read'] },
    hooks: { Stop: [2] },
    sandbox: { enabled: true, network: { allowManagedDomainsOnly: true, allowedDomains: ['c.example'] } },
  });
  const { effective, provenance } = await resolved({ settings: { ...mine, model: 'flag' }, settingSources: ['user'] });
  expect(effective).toMatchObject({
    model: 'managed',
    permissions: { allow: ['Read'], deny: ['A'], ask: ['B'] },
    hooks: { Stop: [2] },
    sandbox: { enabled: true, network: { allowedDomains: ['c.example'], deniedDomains: ['b.example'] } },
  });
  expect(provenance['model']).toEqual({ source: 'managed', policyOrigin: 'file', path: file });
});

test('hooks may be switched off by whoever is trusted, managed ones by managed settings only', async () => {
  const stop = (...by: unknown[]) => ({ hooks: { Stop: by } });
  write('home/settings.json', { ...stop(1), disableAllHooks: true });
  write('managed/managed-settings.json', stop(2));
  expect((await resolved()).effective.hooks).toEqual({ Stop: [2] });
  write('managed/managed-settings.json', { ...stop(2), disableAllHooks: true });
  expect((await resolved()).effective.hooks).toBeUndefined();
});

test('a broken file is a problem, and everything else still stands', async () => {
  const broken = write('home/settings.json', '{"model": }');
  write('claude/settings.json', { model: 'other' });
  const { effective, problems } = await resolved();
  expect(effective).toEqual({ model: 'other' });
  expect(problems).toEqual([
    { file: broken, place: '1:11', problem: 'is no JSON: expected a value here', severity: 'broken' },
  ]);
});

test('nothing is there', async () => {
  expect(await resolved()).toEqual({
    effective: {},
    provenance: {},
    sources: [],
    problems: [],
    ruleProblems: [],
    hookProblems: [],
    origins: {},
    untrusted: [],
  });
});
