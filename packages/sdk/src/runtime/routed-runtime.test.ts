import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { allowApproval, connect, type Client, type Session, type Turn } from '@rondo/client';
import { stdioChannel } from '@rondo/client/node';
import type { AnyEvent, StreamEvent } from '@rondo/protocol';
import { createFileStore } from '@rondo/runtime/node';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { sessionBindingId } from './session-bindings.ts';

const program = join(import.meta.dirname, '..', '..', 'fixtures', 'host-process.ts');
const bindingId = 'own';
const timeout = 60_000;

let folder = '';
let home = '';
let world = '';
let processes: HostProcess[] = [];

interface HostProcess {
  readonly client: Client;
  readonly child: ChildProcessByStdio<Writable, Readable, null>;
  kill(): Promise<void>;
  /** Ends it as its owner would. */
  end(): Promise<void>;
}

async function start(agentName = 'clerk'): Promise<HostProcess> {
  const child = spawn(process.execPath, ['--conditions=@rondo/source', program, home, world, agentName], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const client = connect(await stdioChannel({ input: child.stdout, output: child.stdin }));
  const host: HostProcess = {
    client,
    child,
    async kill() {
      child.kill('SIGKILL');
      await exited;
    },
    async end() {
      client.close();
      await exited;
    },
  };
  processes.push(host);
  return host;
}

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'rondo-route-'));
  home = join(folder, 'home');
  world = join(folder, 'world');
  processes = [];
});

afterEach(async () => {
  await Promise.all(processes.map((host) => host.kill()));
  await rm(folder, { recursive: true, force: true });
});

/** A session that a process owns and has been at work with. */
async function ownedSession(owner: HostProcess): Promise<Session> {
  const session = await owner.client.createSession({ bindingId });
  await session.run('hello');
  return session;
}

async function stored(sessionId: string): Promise<AnyEvent[]> {
  const store = createFileStore({ home });
  const events = await Array.fromAsync(store.read(sessionId));
  await store.close();
  return events;
}

function idsOf(events: readonly StreamEvent[]): string[] {
  return events.flatMap((event) => ('id' in event ? [event.id] : []));
}

function said(events: readonly AnyEvent[]): string[] {
  return events.flatMap((event) =>
    event.type === 'entry.completed' && event.entry.type === 'message' && event.entry.role === 'user'
      ? event.entry.content.flatMap((block) => (block.type === 'text' ? [block.text] : []))
      : [],
  );
}

test('a session of another process is worked with from here: messages, names, and its own turns', {
  timeout,
}, async () => {
  const [owner, other] = await Promise.all([start(), start()]);
  const { id } = await ownedSession(owner);
  const here = other.client.session(id, { bindingId });
  const record = await here.run('from elsewhere');
  expect(record).toMatchObject({ type: 'completed', text: 'You said: from elsewhere.' });
  expect(await here.update({ title: 'routed' })).toMatchObject({ title: 'routed' });
  expect(await owner.client.session(id).read()).toMatchObject({ title: 'routed' });

  const turn = await here.startTurn('think');
  if (turn.type !== 'turn') throw new Error(turn.type);
  expect(await here.startTurn('too much')).toMatchObject({ type: 'busy' });
  await turn.interrupt();
  expect(await turn.get()).toMatchObject({ type: 'interrupted' });
  const opened = await other.client.openSession(id, { bindingId, unfinished: 'settle' });
  expect(opened.info).toMatchObject({ id, status: 'waiting' });
  // All of it by the owner.
  expect((await stored(id)).filter(({ type }) => type === 'session.acquired')).toHaveLength(1);
});

test('a question is answered from another process, and the answer names who gave it', { timeout }, async () => {
  const [owner, other] = await Promise.all([start(), start()]);
  const session = await owner.client.createSession({ bindingId });
  const blocked = await session.run('charge');
  if (blocked.type !== 'blocked') throw new Error(blocked.type);
  const [callback] = blocked.callbacks;
  if (callback?.type !== 'approval') throw new Error(callback?.type);
  const question = callback.id;
  const turn = other.client.session(session.id).turn(blocked.turnId);
  expect(await turn.answer(question, allowApproval())).toMatchObject({ type: 'answered' });
  expect(await turn.result({ after: blocked })).toMatchObject({ type: 'completed', text: 'It is done.' });
  expect(await readFile(world, 'utf8')).toMatch(/^charge \d+\n$/);
  expect(await session.turn(blocked.turnId).answer(question, allowApproval())).toMatchObject({
    type: 'alreadySettled',
  });
});

test('what is shown and not stored comes from the owner, and over owners events come once each', {
  timeout,
}, async () => {
  const [owner, other] = await Promise.all([start(), start()]);
  const { id } = await ownedSession(owner);
  const seen: StreamEvent[] = [];
  const stop = new AbortController();
  const turns = new Map<string, () => void>();
  const ended = (turn: Turn): Promise<void> => new Promise((resolve) => turns.set(turn.id, resolve));
  const following = (async () => {
    for await (const event of other.client.session(id).events({ deltas: true, signal: stop.signal })) {
      seen.push(event);
      if (event.type === 'text.delta' && event.turnId !== undefined) turns.get(event.turnId)?.();
    }
  })();
  following.catch(() => {});
  const first = await owner.client.session(id, { bindingId }).startTurn('think');
  if (first.type !== 'turn') throw new Error(first.type);
  await ended(first);
  await owner.kill();
  const third = await start();
  const second = await third.client.session(id, { bindingId }).startTurn('think');
  if (second.type !== 'turn') throw new Error(second.type);
  await ended(second);
  await second.interrupt();
  await second.result();
  const log = await stored(id);
  await expect.poll(() => idsOf(seen).length, { timeout: 20_000 }).toBe(log.length);
  stop.abort();
  expect(idsOf(seen)).toEqual(idsOf(log));
});

test('with another agent, or other tools, a program is told what it lacks; by the session’s own name it is not asked', {
  timeout,
}, async () => {
  const [owner, other] = await Promise.all([start(), start('stranger')]);
  const { id } = await ownedSession(owner);
  await expect(other.client.session(id, { bindingId }).startTurn('hello')).rejects.toMatchObject({
    code: 'session.in_use',
    details: { pid: owner.child.pid, missing: [expect.stringContaining('agent "clerk"')] },
  });
  const attached = other.client.session(id, { bindingId: sessionBindingId(id) });
  expect(await attached.run('hello')).toMatchObject({ type: 'completed' });
  await owner.end();
  await expect(attached.startTurn('hello')).rejects.toMatchObject({ code: 'binding.not_found' });
});

test('an owner that dies with keyed messages on their way: none is lost, none applied twice', { timeout }, async () => {
  const [owner, other] = await Promise.all([start(), start()]);
  const { id } = await ownedSession(owner);
  const here = other.client.session(id, { bindingId });
  const texts = Array.from({ length: 30 }, (_, index) => `message ${index}`);
  const sent = texts.map((text, index) =>
    here.sendMessage(text, { idempotencyKey: text, delivery: index % 2 === 0 ? 'join' : 'next' }),
  );
  await sent[10];
  await owner.kill();
  await Promise.all(sent);
  // Sent again, as one does who was cut off, they do what they did.
  await Promise.all(
    texts.map((text, index) =>
      here.sendMessage(text, { idempotencyKey: text, delivery: index % 2 === 0 ? 'join' : 'next' }),
    ),
  );
  await expect.poll(async () => (await here.read()).status, { timeout: 20_000 }).toBe('waiting');
  const events = await stored(id);
  expect(said(events).toSorted()).toEqual(['hello', ...texts].toSorted());
});

test('a way in is opened once a turn is at work, for the user alone, and closed with the process', {
  timeout,
}, async () => {
  const owner = await start();
  const session = await owner.client.createSession({ bindingId });
  await session.run('hello');
  const sockets = join(home, 'sockets');
  await expect.poll(() => existsSync(sockets) && readdir(sockets).then((names) => names.length)).toBe(1);
  const [name = ''] = await readdir(sockets);
  expect([(await stat(sockets)).mode & 0o777, (await stat(join(sockets, name))).mode & 0o777]).toEqual([0o700, 0o600]);
  await owner.end();
  expect(await readdir(sockets)).toEqual([]);
});
