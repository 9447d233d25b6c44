import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { ResolvedSettings } from '@rondo/sdk';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createWorkplace, runRondo, type Workplace } from '../testing/spawn-rondo.ts';

// Each test starts processes of its own; a busy machine takes its time with them.
vi.setConfig({ testTimeout: 60_000 });

let place: Workplace;
beforeEach(() => {
  place = createWorkplace();
});
afterEach(() => place[Symbol.dispose]());

const rondo = (...argv: readonly string[]) =>
  runRondo(['settings', ...argv], { cwd: place.project, env: place.env({}) });

function write(path: string, content: unknown): string {
  const file = join(place.project, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
  return file;
}

test('each key has its value and its files, what is wrong comes first, and keys are hidden', async () => {
  const project = write('.claude/settings.json', {
    permissions: { deny: ['Bash(curl:*)'], denny: [] },
    env: { MY_TOKEN: 'abcdefgh', COLOUR: 'red\u001b[2K' },
  });
  const local = write('.rondo/settings.local.json', { permissions: { deny: ['Write'] }, model: 'opus' });
  const { stdout, stderr, exitCode } = await rondo();
  expect({ stderr, exitCode }).toEqual({ stderr: '', exitCode: 0 });
  expect(stdout.replaceAll('\n', ' ')).toMatch(
    /^warning: .*settings\.json:1:41: permissions\.denny .* did you mean deny\?/,
  );
  expect(stdout).toContain(`permissions.deny\n  [\n    "Bash(curl:*)",\n    "Write"\n  ]\n  ${project}\n  ${local}\n`);
  expect(stdout).toContain('[hidden]');
  expect(stdout).not.toContain('abcdefgh');
  expect(stdout).not.toContain('\u001b[2K');
  expect(stdout.replaceAll('\n', ' ')).toContain('is not trusted: until it is, env of it do not count');
  expect(await rondo('model')).toMatchObject({ stdout: `opus\n  ${local}\n`, exitCode: 0 });
  expect(await rondo('permissions.allow')).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('nothing says permissions.allow') as string,
  });
});

test('programs get JSON, and choose sources', async () => {
  const project = write('.rondo/settings.json', { model: 'opus' });
  const { stdout } = await rondo('--json', '--settings', '{"cleanupPeriodDays": 3}');
  const resolved = JSON.parse(stdout) as ResolvedSettings;
  expect(resolved.effective).toEqual({ model: 'opus', cleanupPeriodDays: 3 });
  expect(resolved.provenance).toMatchObject({
    model: { source: 'project', path: project },
    cleanupPeriodDays: { source: 'flag' },
  });
  expect(JSON.parse((await rondo('--json', 'model')).stdout)).toEqual({ key: 'model', value: 'opus', from: [project] });
  expect((await rondo('--setting-sources', 'user')).stdout).toBe('No settings file is there.\n');
  expect(await rondo('--setting-sources', 'users')).toMatchObject({ exitCode: 2 });
  expect(await rondo('a', 'b')).toMatchObject({ exitCode: 2 });
});

test('a broken file is told, and no session starts', async () => {
  const file = write('.rondo/settings.json', '{\n  "model": }');
  const { stdout, exitCode } = await rondo();
  expect(exitCode).toBe(1);
  expect(stdout.replaceAll('\n', ' ')).toContain(`broken: ${file}:2:12 is no JSON: expected a value here.`);
  const started = await runRondo(['-p', 'go', '--model', 'scripted/none.yaml'], {
    cwd: place.project,
    env: place.env({}),
  });
  expect(started.exitCode).toBe(2);
  expect(started.stderr).toContain(`${file}:2:12 is no JSON`);
});
