import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { withKeyOf } from './key-helper.ts';

const PATH = process.env['PATH'];

function folder(): string {
  const cwd = mkdtempSync(join(tmpdir(), 'rondo-helper-'));
  onTestFinished(() => rmSync(cwd, { recursive: true }));
  return cwd;
}

test('the key that it prints is the adapter’s, and it is asked again only when that is old', async () => {
  const cwd = folder();
  const helper = { command: 'echo x >> ran; echo "  key-of-helper  "', from: 'settings.json', cwd };
  const runs = (): number => readFileSync(join(cwd, 'ran'), 'utf8').trim().split('\n').length;
  expect(await withKeyOf(helper, { PATH })).toEqual({ PATH, ANTHROPIC_API_KEY: 'key-of-helper' });
  await withKeyOf(helper, { PATH });
  expect(runs()).toBe(1);
  const brief = { ...helper, command: `${helper.command} ` };
  const env = { PATH, CLAUDE_CODE_API_KEY_HELPER_TTL_MS: '0' };
  await withKeyOf(brief, env);
  await withKeyOf(brief, env);
  expect(runs()).toBe(3);
});

test('it is not run where the environment has a key, nor where there is none', async () => {
  const cwd = folder();
  const helper = { command: 'touch ran', from: 'settings.json', cwd };
  for (const name of ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN']) {
    expect(await withKeyOf(helper, { PATH, [name]: 'mine' })).toEqual({ PATH, [name]: 'mine' });
  }
  expect(await withKeyOf(undefined, { PATH })).toEqual({ PATH });
  expect(existsSync(join(cwd, 'ran'))).toBe(false);
});

test.each([
  ['echo no luck >&2; exit 3', /apiKeyHelper of settings\.json ended with exit code 3: no luck\. Repair it/],
  ['true', /printed nothing/],
  ['kill -9 $$', /signal SIGKILL/],
])('one that fails is an error that names it: %s', async (command, message) => {
  const failing = withKeyOf({ command, from: 'settings.json', cwd: folder() }, { PATH });
  await expect(failing).rejects.toMatchObject({
    code: 'model.key_missing',
    message: expect.stringMatching(message) as string,
  });
});
