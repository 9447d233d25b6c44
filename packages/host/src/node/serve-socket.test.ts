import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { info, runtimeWith } from '../testing/runtime-with.ts';
import { serveSocket } from './serve-socket.ts';
import { frameReader } from './testing/frame-reader.ts';

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'rondo-socket-'));
});
afterEach(async () => await rm(folder, { recursive: true, force: true }));

const runtime = runtimeWith({ readSession: () => Promise.resolve(info) });
const hello = { jsonrpc: '2.0', id: 0, method: 'host/initialize', params: { protocolVersion: 1 } };
const read = { jsonrpc: '2.0', id: 1, method: 'session/read', params: { sessionId: 's' } };

async function client(path: string): Promise<{ socket: Socket; next: () => Promise<unknown> }> {
  const socket = connect(path);
  await once(socket, 'connect');
  return { socket, next: frameReader(socket) };
}

test('other processes of its user speak to it, each for itself, until it closes', { timeout: 30_000 }, async () => {
  const path = join(folder, 'host.sock');
  await using served = await serveSocket(runtime, { path });
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  const clients = await Promise.all([client(path), client(path)]);
  for (const { socket, next } of clients) {
    socket.write(`${JSON.stringify(hello)}\n${JSON.stringify(read)}\n`);
    expect(await next()).toMatchObject({ id: 0, result: { protocolVersion: 1 } });
    expect(await next()).toMatchObject({ id: 1, result: info });
  }
  expect(served.connections()).toBe(2);
  clients[0]?.socket.end();
  expect(await clients[0]?.next()).toBeUndefined();
  const closing = served.close();
  expect(await clients[1]?.next()).toMatchObject({ method: 'host/closing' });
  expect(await clients[1]?.next()).toBeUndefined();
  await closing;
  await expect(stat(path)).rejects.toMatchObject({ code: 'ENOENT' });
});

test('a socket that a killed process left behind is replaced; one that is served is not', {
  timeout: 30_000,
}, async () => {
  const path = join(folder, 'host.sock');
  const script = `require('node:net').createServer().listen(${JSON.stringify(path)}, () => console.log('up'))`;
  const dead = spawn(process.execPath, ['--eval', script], { stdio: ['ignore', 'pipe', 'ignore'] });
  await once(dead.stdout, 'data');
  await expect(serveSocket(runtime, { path })).rejects.toMatchObject({ code: 'input.invalid' });
  dead.kill('SIGKILL');
  await once(dead, 'exit');
  await using _served = await serveSocket(runtime, { path });
  await expect(serveSocket(runtime, { path })).rejects.toMatchObject({
    message: expect.stringContaining('served by another') as unknown,
  });
});

test.each([
  ['a folder that others can enter', 'host.sock', 0o755, 'chmod 700'],
  ['a path that is too long', 'x'.repeat(120), 0o700, 'longer than'],
  ['a file that is no socket', 'file', 0o700, 'no socket'],
])('%s is refused, with what to mend', async (_what, name, mode, message) => {
  await writeFile(join(folder, 'file'), 'mine');
  await chmod(folder, mode);
  await expect(serveSocket(runtime, { path: join(folder, name) })).rejects.toMatchObject({
    code: 'input.invalid',
    message: expect.stringContaining(message) as unknown,
  });
  expect((await stat(join(folder, 'file'))).size).toBe(4);
});
