import { chmod, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { allowApproval } from '@rondo/client';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { clerkFolder, serveRondo, type Serving } from '../testing/serve-clerk.ts';
import { createWorkplace, type Workplace } from '../testing/spawn-rondo.ts';
import { runServe } from './run-serve.ts';

const timeout = 60_000;
let place: Workplace;
let running: Serving[] = [];
beforeEach(() => {
  place = createWorkplace();
  running = [];
});
afterEach(async () => {
  vi.unstubAllEnvs();
  for (const { child } of running) child.kill('SIGKILL');
  await Promise.all(running.map(({ exit }) => exit));
  place[Symbol.dispose]();
});

async function serve(...argv: string[]): Promise<Serving> {
  const serving = await serveRondo(place, ...argv);
  running.push(serving);
  return serving;
}

test('serves the agents of a folder to whoever has the token, and what it left goes on when it is started again', {
  timeout,
}, async () => {
  const agents = clerkFolder(place);
  const first = await serve('--agents', agents);
  expect((await stat(first.tokenFile)).mode & 0o777).toBe(0o600);
  const client = await first.connect();
  const session = await client.createSession({ bindingId: 'agent:clerk' });
  expect(await session.run('hello')).toMatchObject({ type: 'completed', text: 'You said: hello' });
  const blocked = await session.run('charge');
  if (blocked.type !== 'blocked') throw new Error(blocked.type);
  const [question] = blocked.callbacks;
  if (question?.type !== 'approval') throw new Error(question?.type);
  first.child.kill('SIGKILL');
  await first.exit;
  client.close();

  const second = await serve('--agents', agents);
  expect(second.tokenFile).toBe(first.tokenFile);
  await using again = await second.connect();
  const turn = again.session(session.id).turn(blocked.turnId);
  expect(await turn.get()).toMatchObject({ type: 'blocked', callbacks: [question] });
  expect(await turn.answer(question.id, allowApproval())).toMatchObject({ type: 'answered' });
  expect(await turn.result({ after: blocked })).toMatchObject({ type: 'completed', text: 'Charged.' });
});

test('says what happens in JSON lines without a secret, tells clients that it ends, and exits with 0', {
  timeout,
}, async () => {
  const host = await serve();
  const client = await host.connect();
  expect(await Array.fromAsync(client.listSessions())).toEqual([]);
  host.child.kill('SIGTERM');
  const { exitCode, stderr } = await host.exit;
  expect(exitCode).toBe(0);
  const lines = stderr.trimEnd().split('\n');
  const said = lines.map((line) => (JSON.parse(line) as { readonly msg: string }).msg);
  expect(said).toEqual(expect.arrayContaining(['listening', 'closing', 'closed']));
  expect(stderr).not.toContain((await readFile(host.tokenFile, 'utf8')).trim());
  client.close();
});

test.each([
  [{}, ['now'], 'input.invalid', /takes no "now"/],
  [{ port: 'http' }, [], 'input.invalid', /--port is a number/],
  [{ port: '65536' }, [], 'input.invalid', /--port is a number/],
  [{ store: 'postgres://h/db' }, [], 'input.invalid', /--store is a folder/],
  [{ tokenFile: 'none' }, [], 'input.invalid', /cannot be read/],
  [{ agents: 'none' }, [], 'input.invalid', /cannot be read/],
  [{ allowOrigin: ['localhost'] }, [], 'input.invalid', /takes an origin such as/],
  [{ host: '192.0.2.1' }, [], 'channel.closed', /does not have that address/],
] as const)('with %j %j it does not start, and says why', async (values, positionals, code, message) => {
  vi.stubEnv('RONDO_HOME', place.home);
  const starting = runServe(values, positionals, { redact: (text) => text });
  await expect(starting).rejects.toMatchObject({ code, message: expect.stringMatching(message) as unknown });
});

test('a token that others can read is none', async () => {
  const tokenFile = join(place.project, 'token');
  await writeFile(tokenFile, 'secret');
  await chmod(tokenFile, 0o644);
  const starting = runServe({ store: place.home, tokenFile }, [], { redact: (text) => text });
  await expect(starting).rejects.toThrow(/chmod 600/);
});
