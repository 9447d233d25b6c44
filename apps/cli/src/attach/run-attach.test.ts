import { readFile } from 'node:fs/promises';
import { allowApproval, type Busy, type Client, type Session, type Turn } from '@rondo/client';
import type { AnyEvent } from '@rondo/protocol';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { clerkFolder, serveRondo, type Serving } from '../testing/serve-clerk.ts';
import { createWorkplace, rondoProgram, runRondo, spawnRondo, type Workplace } from '../testing/spawn-rondo.ts';
import { spawnTerminal, type Terminal } from '../testing/spawn-terminal.ts';
import { runAttach } from './run-attach.ts';

const timeout = 90_000;
const say = (): void => {};
let place: Workplace;
let host: Serving;
let client: Client;
let session: Session;

beforeEach(async () => {
  place = createWorkplace();
  host = await serveRondo(place, '--agents', clerkFolder(place));
  client = await host.connect();
  session = await client.createSession({ bindingId: 'agent:clerk' });
  await session.run('hello');
}, timeout);

afterEach(async () => {
  vi.unstubAllEnvs();
  client.close();
  host.child.kill('SIGKILL');
  await host.exit;
  place[Symbol.dispose]();
});

function attach(...argv: string[]): Terminal {
  const env = place.env({ NO_COLOR: '1' });
  return spawnTerminal(process.execPath, [...rondoProgram, 'attach', ...argv], { cwd: place.project, env });
}

test('on a terminal a session of another process is followed, spoken to, answered for, interrupted, and left', {
  timeout,
}, async () => {
  await using terminal = attach(session.id.slice(0, 8));
  await terminal.waitFor('You said: hello');
  await terminal.waitFor('> ');
  terminal.type('from the terminal\r');
  await terminal.waitFor('You said: from the terminal');
  await terminal.waitFor('> ');
  await session.run('from a client');
  await terminal.waitFor('> from a client');
  await terminal.waitFor('You said: from a client');
  await terminal.waitFor('> ');
  terminal.type('charge\r');
  await terminal.waitFor('y once');
  terminal.type('y\r');
  await terminal.waitFor('Charged.');
  await terminal.waitFor('> ');
  terminal.type('think\r');
  await terminal.waitFor('Hm, let me see');
  terminal.type('\u0003');
  await terminal.waitFor('> ');
  terminal.type('\u0004');
  expect((await terminal.exited).exitCode).toBe(0);
  expect(await session.read()).toMatchObject({ status: 'waiting' });
});

test('a question that is answered elsewhere is taken back, and one that is left stays open', { timeout }, async () => {
  const blocked = await session.run('charge');
  if (blocked.type !== 'blocked') throw new Error(blocked.type);
  const [question] = blocked.callbacks;
  if (question?.type !== 'approval') throw new Error(question?.type);
  await using leaving = attach(session.id);
  await leaving.waitFor('y once');
  leaving.type('\u0004');
  expect((await leaving.exited).exitCode).toBe(0);
  expect(await session.turn(blocked.turnId).get()).toMatchObject({ type: 'blocked' });

  await using terminal = attach(session.id);
  await terminal.waitFor('y once');
  await session.turn(blocked.turnId).answer(question.id, allowApproval());
  await terminal.waitFor('answered elsewhere');
  await terminal.waitFor('Charged.');
});

test('what is typed while a turn is at work goes into that turn', { timeout }, async () => {
  const started = await session.startTurn('think');
  await using terminal = attach(session.id);
  await terminal.waitFor('> think');
  terminal.type('and this\r');
  await vi.waitFor(
    async () => {
      const { events } = await client.request('events/read', { sessionId: session.id });
      expect(JSON.stringify(events)).toContain('and this');
      expect(events.findLast(({ type }) => type === 'turn.started')).toMatchObject({ turnId: idOf(started) });
    },
    { timeout: 30_000, interval: 50 },
  );
  terminal.type('\u0004');
  expect((await terminal.exited).exitCode).toBe(0);
});

test('what is typed before the session is on the screen goes into the turn at work', { timeout }, async () => {
  const started = await session.startTurn('think');
  await using terminal = attach(session.id);
  await terminal.waitFor('What you type goes to the session');
  terminal.type('at once\r');
  await vi.waitFor(
    async () => {
      const { events } = await client.request('events/read', { sessionId: session.id });
      expect(JSON.stringify(events)).toContain('"at once"');
      expect(events.findLast(({ type }) => type === 'turn.started')).toMatchObject({ turnId: idOf(started) });
    },
    { timeout: 30_000, interval: 50 },
  );
  terminal.type('\u0004');
  expect((await terminal.exited).exitCode).toBe(0);
});

function idOf(outcome: Turn | Busy): string {
  return outcome.type === 'turn' ? outcome.id : outcome.type;
}

test('over a URL, with --json, each event is a line, until the session ends', { timeout }, async () => {
  const token = (await readFile(host.tokenFile, 'utf8')).trim();
  const url = host.url.replace('http', 'ws');
  const options = { cwd: place.project, env: place.env({ RONDO_TOKEN: token }) };
  const following = spawnRondo(['attach', url, session.id, '--json'], options);
  await client.request('session/cancel', { sessionId: session.id });
  const { stdout, exitCode } = await following.exit;
  expect(exitCode).toBe(0);
  const events = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as AnyEvent);
  const { events: stored } = await client.request('events/read', { sessionId: session.id });
  expect(events.map(({ id }) => id)).toEqual(stored.map(({ id }) => id));
  const refused = await runRondo(['attach', url, session.id, '--json'], { cwd: place.project, env: place.env({}) });
  expect(refused).toMatchObject({ exitCode: 1, stdout: '' });
});

test('names and tags of a session that another process has are given through it', { timeout }, async () => {
  const options = { cwd: place.project, env: place.env({}) };
  expect(await runRondo(['sessions', 'rename', session.id, 'Orders'], options)).toMatchObject({ exitCode: 0 });
  expect(await runRondo(['sessions', 'tag', session.id, 'mine'], options)).toMatchObject({ exitCode: 0 });
  expect(await session.read()).toMatchObject({ title: 'Orders', tag: 'mine' });
  const { events } = await client.request('events/read', { sessionId: session.id });
  expect(events.filter(({ type }) => type === 'session.acquired')).toHaveLength(1);
});

test.each([
  [[], {}, /Which session/],
  [['ws://h:1'], {}, /Which session/],
  [['ws://h:1', 'a', 'b'], {}, /takes no "b"/],
  [['ws://h:1?token=x', 'a'], {}, /not put into a URL/],
  [['ftp://h:1', 'a'], {}, /no address of a host/],
  [['a'], { tokenFile: 'x' }, /for a URL/],
  [['ffffffff'], {}, /There is no session/],
] as const)('%j %j is refused with the way on', async (positionals, values, message) => {
  vi.stubEnv('RONDO_HOME', place.home);
  await expect(runAttach(values, positionals, { say })).rejects.toThrow(message);
});
