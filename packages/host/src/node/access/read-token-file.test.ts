import { chmod, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createAuthenticate } from './authenticate.ts';
import { readTokenFile } from './read-token-file.ts';

let folder = '';
beforeAll(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'rondo-tokens-')));
});
afterAll(async () => await rm(folder, { recursive: true }));

async function fileWith(content: unknown, mode = 0o600): Promise<string> {
  const path = join(folder, 'tokens');
  await writeFile(path, typeof content === 'string' ? content : JSON.stringify(content));
  await chmod(path, mode);
  return path;
}

test('one token alone is everybody’s who may do everything', async () => {
  const authenticate = createAuthenticate(await readTokenFile(await fileWith('  secret-token\n')));
  expect(authenticate('secret-token')).toEqual({ name: 'token', rights: ['read', 'answer', 'drive'] });
  expect(authenticate('secret-toke')).toBeUndefined();
  expect(authenticate(undefined)).toBeUndefined();
});

test('each entry names its principal, by token or by hash, with folders as they really are', async () => {
  await symlink(folder, join(folder, 'link'));
  const tokenSha256 = '2bb80d537b1da3e38bd30361aa855686bde0eacd7162fef6a25fe97bf527a25b'; // of "secret"
  const authenticate = createAuthenticate(
    await readTokenFile(
      await fileWith({
        tokens: [
          { token: 'one', name: 'ada', rights: ['read'], folders: [join(folder, 'link'), '/nowhere'] },
          { tokenSha256, name: 'bob', rights: ['drive', 'read'], highestMode: 'acceptEdits' },
        ],
      }),
    ),
  );
  expect(authenticate('one')).toEqual({ name: 'ada', rights: ['read'], folders: [folder, '/nowhere'] });
  expect(authenticate('secret')).toEqual({ name: 'bob', rights: ['read', 'drive'], highestMode: 'acceptEdits' });
});

describe('what is refused', () => {
  const entry = { token: 'hidden-value', name: 'ada', rights: ['read'] };
  test.each([
    ['an empty file', '', 'is empty'],
    ['two words', 'two words', 'neither'],
    ['broken JSON', '{"tokens": [{"token": "hidden-value"', 'none'],
    ['no list', {}, '"tokens"'],
    ['an empty list', { tokens: [] }, '"tokens"'],
    ['no name', { tokens: [{ ...entry, name: '' }] }, 'tokens[0].name'],
    ['no token', { tokens: [{ ...entry, token: undefined }] }, 'tokens[0] needs'],
    ['a token and a hash', { tokens: [{ ...entry, tokenSha256: 'a'.repeat(64) }] }, 'tokens[0] needs'],
    ['a hash that is none', { tokens: [{ ...entry, token: undefined, tokenSha256: 'abc' }] }, 'tokens[0] needs'],
    ['a right that there is not', { tokens: [{ ...entry, rights: ['read', 'write'] }] }, 'tokens[0].rights'],
    ['no right at all', { tokens: [{ ...entry, rights: [] }] }, 'tokens[0].rights'],
    ['a relative folder', { tokens: [{ ...entry, folders: ['work'] }] }, 'tokens[0].folders'],
    ['a mode that there is not', { tokens: [{ ...entry, highestMode: 'yolo' }] }, 'tokens[0].highestMode'],
    ['a misspelt bound', { tokens: [{ ...entry, folder: ['/work'] }] }, '"folder"'],
  ])('%s, saying where', async (_what, content, where) => {
    const failed = await readTokenFile(await fileWith(content)).catch((error: unknown) => error);
    expect(failed).toMatchObject({ code: 'input.invalid', message: expect.stringContaining(where) as unknown });
    expect(String((failed as Error).cause) + String(failed)).not.toContain('hidden-value');
  });

  test('a file that others can read, with the way to mend it', async () => {
    const path = await fileWith('secret', 0o640);
    await expect(readTokenFile(path)).rejects.toMatchObject({
      code: 'input.invalid',
      message: expect.stringContaining(`chmod 600 ${path}`) as unknown,
    });
  });

  test('a file that is not there', async () => {
    await expect(readTokenFile(join(folder, 'none'))).rejects.toMatchObject({ code: 'input.invalid' });
  });
});
