import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SDKMessage } from '@rondo/protocol';
import { say, scriptedModel } from '@rondo/runtime/testing';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Options } from '../options/options.ts';
import { query } from '../query.ts';
import { collectMessages } from '../testing/collect-messages.ts';
import { getSessionInfo } from './get-session-info.ts';
import { getSessionMessages } from './get-session-messages.ts';
import { listSessions } from './list-sessions.ts';
import { renameSession, tagSession } from './update-session.ts';

// git is a process, of which some are started; a busy machine takes its time with them.
vi.setConfig({ testTimeout: 60_000 });

let root = '';
let home = '';
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'rondo-list-')));
  home = join(root, 'home');
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const idOf = (lines: readonly SDKMessage[]): string => lines[0]?.session_id ?? '';

async function ask(cwd: string, prompt: string, more: Options = {}): Promise<string> {
  const model = scriptedModel([say('yes')]);
  const options: Options = { model, home, cwd, tools: [], settingSources: [], env: {}, ...more };
  return idOf(await collectMessages(query({ prompt, options })));
}

function git(cwd: string, ...argv: readonly string[]): void {
  const env = { PATH: process.env['PATH'], HOME: root, GIT_CONFIG_NOSYSTEM: '1' };
  const who = ['-c', 'user.name=A', '-c', 'user.email=a@example.com', '-c', 'init.defaultBranch=main'];
  execFileSync('git', [...who, ...argv], { cwd, env, stdio: 'pipe' });
}

test('sessions of all worktrees of a repository are listed, unless only the folder is wanted', async () => {
  const main = join(root, 'main');
  const linked = join(root, 'linked');
  const other = join(root, 'other');
  for (const folder of [join(main, 'packages'), other]) mkdirSync(folder, { recursive: true });
  git(main, 'init', '-q');
  git(main, 'commit', '-q', '--allow-empty', '-m', 'first');
  git(main, 'worktree', 'add', '-q', '-b', 'feature', linked);
  mkdirSync(join(linked, 'packages'));
  const inMain = await ask(main, 'in main');
  const inLinked = await ask(linked, 'in linked');
  const below = await ask(join(main, 'packages'), 'below');
  const belowLinked = await ask(join(linked, 'packages'), 'below, linked');
  await ask(other, 'elsewhere');
  const ids = async (options: Parameters<typeof listSessions>[0]) =>
    (await listSessions({ home, ...options })).map(({ sessionId }) => sessionId);
  expect(await ids({ dir: main })).toEqual([inLinked, inMain]);
  expect(await ids({ dir: linked })).toEqual([inLinked, inMain]);
  expect(await ids({ dir: main, limit: 1 })).toEqual([inLinked]);
  expect(await ids({ dir: main, includeWorktrees: false })).toEqual([inMain]);
  expect(await ids({ dir: join(main, 'packages') })).toEqual([belowLinked, below]);
  expect(await ids({})).toHaveLength(5);
  // What a list of the folder names is found by the folder.
  const found = { home, dir: main };
  expect(await getSessionInfo(inLinked, found)).toMatchObject({ sessionId: inLinked, cwd: linked });
  expect(await getSessionMessages(inLinked, found)).toHaveLength(2);
  await renameSession(inLinked, 'Linked', found);
  await tagSession(inLinked, 'tagged', found);
  expect(await getSessionInfo(inLinked, found)).toMatchObject({ customTitle: 'Linked', tag: 'tagged' });
  expect(await getSessionInfo(belowLinked, found)).toBeUndefined();
  expect((await listSessions({ home, dir: linked }))[0]).toMatchObject({ gitBranch: 'feature', cwd: linked });
  git(linked, 'checkout', '-q', '-b', 'later');
  await ask(linked, 'more', { resume: inLinked });
  expect((await getSessionInfo(inLinked, { home }))?.gitBranch).toBe('later');
});

test('a session says when it was made, what it is called, and how large its log is', async () => {
  const before = Date.now();
  const id = await ask(root, 'the first prompt', { title: 'Called so' });
  const [info] = await listSessions({ home });
  expect(info).toEqual(await getSessionInfo(id, { home, dir: root }));
  expect(info).toMatchObject({
    sessionId: id,
    summary: 'Called so',
    customTitle: 'Called so',
    firstPrompt: 'the first prompt',
  });
  expect(info?.createdAt).toBeGreaterThanOrEqual(before);
  expect(info?.lastModified).toBeGreaterThanOrEqual(info?.createdAt ?? 0);
  expect(info?.fileSize).toBeGreaterThan(500);
  expect(await getSessionInfo(id, { home, dir: join(root, 'elsewhere') })).toBeUndefined();
  // The title that the session has wins over that of who resumes it.
  await ask(root, 'more', { resume: id, title: 'Called otherwise' });
  expect((await getSessionInfo(id, { home }))?.customTitle).toBe('Called so');
  await renameSession(id, 'Renamed', { home, dir: root });
  await tagSession(id, 'tagged', { home, dir: root });
  expect(await getSessionInfo(id, { home })).toMatchObject({ customTitle: 'Renamed', tag: 'tagged' });
  await tagSession(id, null, { home });
  expect((await getSessionInfo(id, { home }))?.tag).toBeUndefined();
  const elsewhere = { home, dir: join(root, 'elsewhere') };
  await expect(renameSession(id, 'x', elsewhere)).rejects.toMatchObject({ code: 'session.not_found' });
  await expect(tagSession(id, 'x', elsewhere)).rejects.toMatchObject({ code: 'session.not_found' });
  await expect(renameSession(id, '  ', { home })).rejects.toMatchObject({ code: 'input.invalid' });
});

test('continue goes by what was last said, whatever the times of the files', async () => {
  const older = await ask(root, 'older');
  const newer = await ask(root, 'newer');
  const future = new Date(Date.now() + 86_400_000);
  utimesSync(join(home, 'sessions', older, 'log.jsonl'), future, future);
  utimesSync(join(home, 'sessions', older), future, future);
  const past = new Date(1_000_000_000_000);
  utimesSync(join(home, 'sessions', newer, 'log.jsonl'), past, past);
  await renameSession(older, 'A new name is nothing said', { home });
  expect(await ask(root, 'more', { continue: true })).toBe(newer);
});

test('an ID that is in use is refused, and persistSession: false leaves nothing behind', async () => {
  const sessionId = randomUUID();
  await ask(root, 'first', { sessionId });
  await expect(ask(root, 'second', { sessionId })).rejects.toMatchObject({
    code: 'session.exists',
    message: expect.stringContaining(sessionId) as string,
  });
  await ask(root, 'kept nowhere', { persistSession: false });
  expect(await listSessions({ home })).toHaveLength(1);
});

test('a limit is a count', async () => {
  await expect(listSessions({ home, limit: -1 })).rejects.toThrow('options.limit');
  await expect(listSessions({ home, limit: 1.5 })).rejects.toThrow('options.limit');
  expect(await listSessions({ home, limit: 0 })).toEqual([]);
});
