import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { afterEach, describe, expect, test } from 'vitest';
import { frameReader } from './testing/frame-reader.ts';

/** Serves sessions by name, and a long one; says on standard error what it is asked. */
const program = `
  import { serveStdio } from '@rondo/host/node';
  const runtime = {
    readSession({ sessionId }) {
      process.stderr.write('read ' + sessionId + '\\n');
      return Promise.resolve({ id: sessionId, title: '漢字\\u2028👩‍👩‍👧' });
    },
    async *subscribe() {
      for (let seq = 1; seq <= 400; seq += 1) {
        const event = { type: 'notice', seq, id: 's:' + seq, at: 't', sessionId: 's', level: 'info' };
        yield [{ ...event, message: 'x'.repeat(20_000) }];
      }
      await new Promise(() => {});
    },
  };
  const served = await serveStdio(runtime, { name: 'child' });
  process.stderr.write('ready\\n');
  await served.closed;
  process.stderr.write('closed\\n');
`;

let child: ChildProcessByStdio<Writable, Readable, Readable>;
let said: AsyncIterator<string>;

async function start(): Promise<void> {
  child = spawn(process.execPath, ['--conditions=@rondo/source', '--input-type=module', '--eval', program], {
    cwd: new URL('../..', import.meta.url),
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  said = createInterface(child.stderr)[Symbol.asyncIterator]();
  expect((await said.next()).value).toBe('ready');
}
afterEach(() => void child.kill('SIGKILL'));

const send = (frame: object): void => void child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...frame })}\n`);
const hello = { id: 0, method: 'host/initialize', params: { protocolVersion: 1 } };
const read = (sessionId: string) => ({ id: sessionId, method: 'session/read', params: { sessionId } });

describe('a child process that serves standard input and output', { timeout: 30_000 }, () => {
  test('answers line by line, writes nothing else, and ends when its input does', async () => {
    await start();
    const next = frameReader(child.stdout);
    send(hello);
    expect(await next()).toMatchObject({ id: 0, result: { host: 'child' } });
    send(read('one'));
    child.stdin.write('no frame\n');
    const answers = [await next(), await next()];
    expect(answers).toContainEqual({ jsonrpc: '2.0', id: 'one', result: { id: 'one', title: '漢字\u2028👩‍👩‍👧' } });
    expect(answers).toContainEqual(expect.objectContaining({ id: null }));
    child.stdin.end();
    expect(await once(child, 'exit')).toEqual([0, null]);
    expect(await next()).toBeUndefined();
  });

  test('goes on with its work while nobody reads its output', async () => {
    await start();
    send(hello);
    send({ id: 1, method: 'events/subscribe', params: { sessionId: 's', subscriptionId: 'x' } });
    send(read('behind'));
    expect((await said.next()).value).toBe('read behind');
    send(read('and again'));
    expect((await said.next()).value).toBe('read and again');
    const next = frameReader(child.stdout);
    for (let seq = 1; seq <= 400; ) {
      const frame = (await next()) as { params?: { events: unknown[] } };
      if (frame.params === undefined) continue;
      expect(frame.params.events).toMatchObject([{ seq }]);
      seq += 1;
    }
  });

  test('ends when its reader has gone', async () => {
    await start();
    send(hello);
    send({ id: 1, method: 'events/subscribe', params: { sessionId: 's', subscriptionId: 'x' } });
    child.stdout.destroy();
    expect((await said.next()).value).toBe('closed');
  });
});
