import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createFileStore } from '@rondo/runtime/node';
import { startModelServer, text } from '@rondo/providers/testing';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createWorkplace, rondoProgram, runRondo, type Workplace } from '../testing/spawn-rondo.ts';
import { spawnTerminal } from '../testing/spawn-terminal.ts';
import { runSessions } from './run-sessions.ts';

// Each test starts processes of its own; a busy machine takes its time with them.
vi.setConfig({ testTimeout: 60_000 });

let place: Workplace;
beforeEach(() => {
  place = createWorkplace();
});
afterEach(() => place[Symbol.dispose]());

const older = 'aaaaaaaa-93a7-4c5e-8d7e-2f1c6a9b0d11';
const newer = 'aaaabbbb-93a7-4c5e-8d7e-2f1c6a9b0d12';

async function rondo(...argv: readonly string[]) {
  return await runRondo(argv, { cwd: place.project, env: place.env({}) });
}

async function twoSessions(): Promise<void> {
  await using server = await startModelServer({ script: [text('one'), text('two\u001b[2J')] });
  const options = { cwd: place.project, env: place.env({ ANTHROPIC_BASE_URL: server.url }) };
  await runRondo(['-p', 'the older prompt', '--session-id', older], options);
  await runRondo(['-p', 'the newer prompt', '--session-id', newer], options);
}

test('a home without sessions says so', async () => {
  expect(await rondo('sessions', 'list')).toMatchObject({
    stdout: expect.stringMatching(/^No sessions yet/) as string,
    exitCode: 0,
  });
  expect((await rondo('sessions', 'list', '--json')).stdout).toBe('[]\n');
});

test('sessions are listed, latest first, and shown by the beginning of their ID', async () => {
  await twoSessions();
  const { stdout } = await rondo('sessions', 'list');
  expect(
    stdout
      .trimEnd()
      .split('\n')
      .map((line) => line.slice(0, 8)),
  ).toEqual(['aaaabbbb', 'aaaaaaaa']);
  expect(stdout).toContain('the older prompt');

  expect(JSON.parse((await rondo('sessions', 'list', '--json', '--limit', '1')).stdout)).toMatchObject([
    { sessionId: newer },
  ]);
  expect((await rondo('sessions', 'list', '--limit', '1')).stdout).toContain('--limit 5');
  expect((await rondo('sessions', 'list', '--dir', place.home)).stdout).toMatch(/^No sessions/);

  const shown = await rondo('sessions', 'show', 'AAAAB');
  expect(shown.stdout).toContain(`rondo --resume ${newer}`);
  expect(shown.stdout).toContain('> the newer prompt');
  expect(shown.stdout).toContain('two␛[2J');
  const json: unknown = JSON.parse((await rondo('sessions', 'show', older, '--json')).stdout);
  expect(json).toMatchObject({ sessionId: older, messages: [{ type: 'user' }, { type: 'assistant' }] });
});

test('a beginning that several sessions share is no name, one that none has is no session', async () => {
  await twoSessions();
  const many = await rondo('sessions', 'show', 'aaaa');
  expect(many).toMatchObject({ stdout: '', exitCode: 2 });
  expect(many.stderr).toContain(older);
  expect(many.stderr).toContain(newer);
  expect(await rondo('sessions', 'show', 'ffff')).toMatchObject({ stdout: '', exitCode: 1 });
});

test('a session is renamed and tagged by the beginning of its ID, and its tag is taken away', async () => {
  await twoSessions();
  const renamed = await rondo('sessions', 'rename', 'aaaaa', 'The', 'new', 'name');
  expect(renamed).toMatchObject({ stdout: `${older} is called: The new name\n`, exitCode: 0 });
  expect((await rondo('sessions', 'tag', 'aaaaa', 'red')).stdout).toBe(`${older} is tagged: red\n`);
  const shown: unknown = JSON.parse((await rondo('sessions', 'show', older, '--json')).stdout);
  expect(shown).toMatchObject({ customTitle: 'The new name', tag: 'red', messages: [{}, {}] });
  expect((await rondo('sessions', 'tag', 'aaaaa')).stdout).toBe(`${older} has no tag any more; it was: red\n`);
  expect(JSON.parse((await rondo('sessions', 'show', older, '--json')).stdout)).not.toHaveProperty('tag');
});

test('a copy of a session has its own name and all that was said', async () => {
  await twoSessions();
  const { stdout, exitCode } = await rondo('sessions', 'fork', 'aaaaa', '--title', 'A copy');
  expect(exitCode).toBe(0);
  const copy = stdout.slice(0, 36);
  expect(stdout).toBe(`${copy} is a copy of ${older}. Go on with it: rondo --resume ${copy}\n`);
  const shown: unknown = JSON.parse((await rondo('sessions', 'show', copy, '--json')).stdout);
  expect(shown).toMatchObject({ customTitle: 'A copy', messages: [{ type: 'user' }, { type: 'assistant' }] });
  await using server = await startModelServer({ script: [text('on in the copy')] });
  const options = { cwd: place.project, env: place.env({ ANTHROPIC_BASE_URL: server.url }) };
  expect(await runRondo(['--resume', copy, '-p', 'go on'], options)).toMatchObject({ stdout: 'on in the copy\n' });
  expect(JSON.parse((await rondo('sessions', 'show', older, '--json')).stdout)).toMatchObject({ messages: [{}, {}] });
});

test('a text that is kept beside the log is shown whole', async () => {
  const long = `${'a long answer, '.repeat(20_000)}to its end`;
  await using server = await startModelServer({ script: [text(long)] });
  const env = place.env({ ANTHROPIC_BASE_URL: server.url });
  await runRondo(['-p', 'the prompt', '--session-id', older], { cwd: place.project, env });
  expect(existsSync(join(place.home, 'sessions', older, 'blobs'))).toBe(true);
  const { stdout } = await rondo('sessions', 'show', older);
  expect(stdout.split('a long answer,').length).toBe(20_001);
  expect(stdout).toContain('to its end');
  expect(JSON.parse((await rondo('sessions', 'show', older, '--json')).stdout)).toMatchObject({
    sessionId: older,
    messages: [{ type: 'user' }, { message: { content: [{ type: 'text', text: long }] } }],
  });
});

test('a session is removed only when it is said to be, and is gone then', async () => {
  await twoSessions();
  const asked = await rondo('sessions', 'rm', 'aaaaa');
  expect(asked).toMatchObject({ stdout: '', exitCode: 2, stderr: expect.stringContaining('--force') as string });
  expect(existsSync(join(place.home, 'sessions', older))).toBe(true);
  const removed = await rondo('sessions', 'rm', 'aaaaa', '--force');
  expect(removed).toMatchObject({ stdout: `Removed ${older}.\n`, exitCode: 0 });
  expect(existsSync(join(place.home, 'sessions', older))).toBe(false);
  expect(JSON.parse((await rondo('sessions', 'list', '--json')).stdout)).toMatchObject([{ sessionId: newer }]);
});

test.each([
  ['n\r', 'Kept', true],
  ['\u0003', 'Kept', true],
  ['y\r', 'Removed', false],
])('on a terminal, %j to the question: %s', async (keys, said, stays) => {
  await twoSessions();
  const parameters = [...rondoProgram, 'sessions', 'rm', 'aaaaa'];
  await using terminal = spawnTerminal(process.execPath, parameters, { cwd: place.project, env: place.env({}) });
  await terminal.waitFor('(the older prompt) for good? [y/N]');
  terminal.type(keys);
  await terminal.waitFor(`${said} ${older}.`);
  expect(await terminal.exited).toMatchObject({ exitCode: 0 });
  expect(existsSync(join(place.home, 'sessions', older))).toBe(stays);
});

test('a session is exported as lines, as one object, and as a page, to a file that was not there', async () => {
  await twoSessions();
  const lines = (await rondo('sessions', 'export', 'aaaaa')).stdout.trimEnd().split('\n');
  const events = lines.map((line): unknown => JSON.parse(line));
  expect(events[0]).toMatchObject({ type: 'session.created', seq: 1, sessionId: older });
  expect(events).toContainEqual(expect.objectContaining({ type: 'turn.ended' }));
  const whole: unknown = JSON.parse((await rondo('sessions', 'export', older, '--format', 'json')).stdout);
  expect(whole).toEqual({ session: expect.objectContaining({ sessionId: older }) as object, events });

  const argv = ['sessions', 'export', older, '--format', 'markdown', '--output', 'page.md'];
  expect((await rondo(...argv)).stdout).toBe(`Wrote ${older} to page.md.\n`);
  const page = readFileSync(join(place.project, 'page.md'), 'utf8');
  expect(page).toMatch(
    /^# the older prompt\n\n- Session: aaaaaaaa.*\n\n## User\n\nthe older prompt\n\n## Assistant \(.+\)\n\none\n$/s,
  );
  const again = await rondo(...argv);
  expect(again).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('page.md is there already') as string });
  expect(readFileSync(join(place.project, 'page.md'), 'utf8')).toBe(page);
});

test('sessions are verified, and a damaged one is told with its place', async () => {
  await twoSessions();
  expect(await rondo('sessions', 'verify', '--all')).toMatchObject({
    exitCode: 0,
    stdout: expect.stringMatching(/^aaaaaaaa\S+ {2}sound: \d+ events, 0 blobs\naaaabbbb\S+ {2}sound: .*\n$/) as string,
  });
  const log = join(place.home, 'sessions', older, 'log.jsonl');
  const whole = readFileSync(log, 'utf8');
  appendFileSync(log, '{"cut');
  const found = await rondo('sessions', 'verify', 'aaaaa');
  expect(found.exitCode).toBe(1);
  expect(found.stdout).toContain(`log.jsonl, bytes ${whole.length} to ${whole.length + 5}: no whole batch`);
  expect(found.stdout).toContain('Opening it cuts it off');
  expect(readFileSync(log, 'utf8')).toBe(`${whole}{"cut`);
});

test('what can be read of a damaged session becomes a new one, and the damaged one stays', async () => {
  await twoSessions();
  const log = join(place.home, 'sessions', older, 'log.jsonl');
  appendFileSync(log, '{"cut');
  const damaged = readFileSync(log, 'utf8');
  const made = await rondo('sessions', 'salvage', 'aaaaa');
  expect(made.exitCode).toBe(1);
  expect(made.stdout).toMatch(
    new RegExp(
      `^\\S+ {2}has \\d+ events of ${older}, which stays as it is\n {2}Lost: log.jsonl, bytes .*\nGo on with: rondo`,
    ),
  );
  expect(readFileSync(log, 'utf8')).toBe(damaged);
  const [sessionId = ''] = made.stdout.split(' ');
  expect((await rondo('sessions', 'verify', sessionId)).exitCode).toBe(0);
  expect((await rondo('sessions', 'show', sessionId)).stdout).toContain('the older prompt');
});

test('a session that another process has open is neither removed nor renamed', async () => {
  await twoSessions();
  const store = createFileStore({ home: place.home });
  await store.acquire(older);
  try {
    for (const words of [
      ['rm', older, '--force'],
      ['rename', older, 'x'],
    ]) {
      const refused = await rondo('sessions', ...words);
      expect(refused).toMatchObject({ stdout: '', exitCode: 1 });
      expect(refused.stderr).toContain(String(process.pid));
    }
  } finally {
    await store.close();
  }
  expect(JSON.parse((await rondo('sessions', 'show', older, '--json')).stdout)).not.toHaveProperty('customTitle');
});

test.each([
  [['verify'], {}, 'Which session?'],
  [['verify', 'a'], { all: true as const }, 'takes no "a"'],
  [['list'], { all: true as const }, 'list takes no --all'],
  [['fork', 'a', 'b'], {}, 'takes no "b"'],
  [['rename', 'a'], {}, 'rename a TITLE'],
  [['rename'], {}, 'Which session?'],
  [['tag', 'a', 'b', 'c'], {}, 'in quotes'],
  [['show', 'a'], { limit: '3' }, 'show takes no --limit'],
  [['shwo', 'x'], {}, 'Did you mean show?'],
  [['list', 'x'], {}, 'takes no "x"'],
  [['show'], {}, 'Which session?'],
  [['show', 'a', 'b'], {}, 'takes no "b"'],
  [['list'], { limit: '0' }, '--limit takes'],
])('%j is wrong usage', async (positionals, values, message) => {
  await expect(runSessions(values, positionals)).rejects.toMatchObject({
    code: 'input.invalid',
    message: expect.stringContaining(message) as string,
  });
});

test('transcripts are imported, once, and what cannot be read is named', async () => {
  const sessionId = 'cccccccc-93a7-4c5e-8d7e-2f1c6a9b0d13';
  const line = (type: 'user' | 'assistant', uuid: string, parentUuid: string | null, message: object): string =>
    JSON.stringify({
      type,
      uuid,
      parentUuid,
      sessionId,
      cwd: place.project,
      timestamp: '2026-01-02T03:04:05.000Z',
      message,
    });
  const first = 'dddddddd-93a7-4c5e-8d7e-2f1c6a9b0d14';
  const second = 'eeeeeeee-93a7-4c5e-8d7e-2f1c6a9b0d15';
  const content = [{ type: 'text', text: 'an answer from elsewhere' }];
  const reply = { id: 'msg_1', role: 'assistant', model: 'claude-test-1', content };
  const file = join(place.project, 'transcript.jsonl');
  const said = [
    line('user', first, null, { role: 'user', content: 'asked elsewhere' }),
    line('assistant', second, first, reply),
  ];
  writeFileSync(file, `${said.join('\n')}\n{"type":"attach`);
  const third = 'ffffffff-93a7-4c5e-8d7e-2f1c6a9b0d16';
  const subagent = line('user', third, null, { role: 'user', content: 'asked of a subagent' });
  const folder = join(place.project, sessionId, 'subagents');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'agent-1a2b3c4d.jsonl'), `${subagent}\n`);

  const dry = await rondo('sessions', 'import', file, '--dry-run');
  expect(dry.stdout).toContain(`${sessionId}  would be made of 2 lines and 1 subagent\n`);
  expect((await rondo('sessions', 'list')).stdout).toContain('No sessions yet');

  const imported = await rondo('sessions', 'import', file);
  expect(imported.stdout).toContain(`${sessionId}  was made of 2 lines and 1 subagent\n`);
  expect(imported.stdout).toContain(`Not read: ${file}:3: is no JSON`);
  expect(imported.exitCode).toBe(1);
  expect((await rondo('sessions', 'show', sessionId.slice(0, 6))).stdout).toContain('an answer from elsewhere');
  expect((await rondo('sessions', 'import', file)).stdout).toContain('has all of it already');

  await using server = await startModelServer({ script: [text('gone on')] });
  const options = { cwd: place.project, env: place.env({ ANTHROPIC_BASE_URL: server.url }) };
  const went = await runRondo(['-p', 'more', '--resume', sessionId, '--model', 'anthropic/claude-other'], options);
  expect(went.stdout).toContain('gone on');
  expect(await rondo('sessions', 'import')).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('Which files') as string,
  });
});
