import { PassThrough } from 'node:stream';
import type { Runtime } from '@rondo/runtime';
import { describe, expect, test } from 'vitest';
import { batchesThenWait, info, noticeOf, runtimeWith } from '../../testing/runtime-with.ts';
import { serveStdio, type ServeStdioOptions } from '../serve-stdio.ts';
import { frameReader } from '../testing/frame-reader.ts';

const hello = '{"jsonrpc":"2.0","id":0,"method":"host/initialize","params":{"protocolVersion":1}}\n';
const ask = (id: unknown, sessionId = 's'): string =>
  `${JSON.stringify({ jsonrpc: '2.0', id, method: 'session/read', params: { sessionId } })}\n`;

async function serve(functions: Partial<Runtime>, options: Partial<ServeStdioOptions> = {}) {
  const input = new PassThrough();
  const output = new PassThrough();
  const served = await serveStdio(runtimeWith(functions), { input, output, ...options });
  return { input, output, served, next: frameReader(output) };
}

const echo: Partial<Runtime> = { readSession: ({ sessionId }) => Promise.resolve({ ...info, title: sessionId }) };

describe('a connection of lines', () => {
  test('one frame a line; U+2028 is data, and a byte at a time changes nothing', async () => {
    const { input, next } = await serve(echo);
    const text = 'a\u2028b 漢字 👩‍👩‍👧 \\ud800 \r\n';
    for (const byte of Buffer.from(hello + ask(1, text))) input.write(Buffer.of(byte));
    expect(await next()).toMatchObject({ id: 0 });
    expect(await next()).toMatchObject({ id: 1, result: { title: text } });
  });

  test('what is no frame gets one error, an empty line nothing, and the connection goes on', async () => {
    const { input, next } = await serve(echo, { limits: { frameBytes: 200 } });
    input.write(hello);
    await next();
    const lines: [string | Buffer, object][] = [
      ['{"a":\n', { code: -32700, data: { code: 'protocol.frame_invalid' } }],
      ['7\n', { data: { code: 'protocol.frame_invalid' } }],
      [Buffer.from([0x22, 0xc3, 0x22, 0x0a]), { data: { code: 'protocol.frame_invalid' } }],
      [`"${'x'.repeat(500)}"\n`, { data: { code: 'protocol.frame_too_large', details: { frameBytes: 200 } } }],
    ];
    for (const [line, error] of lines) {
      input.write(line);
      input.write('\n\r\n  \n');
      input.write(ask(1));
      expect(await next()).toMatchObject({ id: null, error });
      expect(await next()).toMatchObject({ id: 1, result: info });
    }
  });

  test('the end of the input ends it, once what was asked is answered', async () => {
    const { promise, resolve } = Promise.withResolvers<typeof info>();
    const { input, served, next } = await serve({ readSession: () => promise });
    input.write(hello + ask(1));
    input.end();
    await next();
    resolve(info);
    expect(await next()).toMatchObject({ id: 1, result: info });
    expect(await next()).toBeUndefined();
    await served.closed;
  });

  test('an output that breaks ends it, and the session is let go of', async () => {
    const left = Promise.withResolvers<void>();
    const { input, output, served, next } = await serve({
      async *subscribe(_sessionId, { signal }) {
        yield [noticeOf(1)];
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
        left.resolve();
      },
    });
    const subscribe = { jsonrpc: '2.0', id: 1, method: 'events/subscribe' };
    const params = { sessionId: 's', subscriptionId: 'x' };
    input.write(`${hello}${JSON.stringify({ ...subscribe, params })}\n`);
    for (let frame = 0; frame < 3; frame += 1) await next();
    output.destroy(new Error('broken pipe'));
    await left.promise;
    await served.closed;
  });

  test('closing it tells the client, answers what was asked, and ends the output', async () => {
    const { promise, resolve } = Promise.withResolvers<typeof info>();
    const { input, served, next } = await serve({ readSession: () => promise });
    input.write(hello + ask(1));
    await next();
    const closing = served.close();
    expect(await next()).toMatchObject({ method: 'host/closing' });
    input.write(ask(2));
    expect(await next()).toMatchObject({ id: 2, error: { data: { code: 'host.closing' } } });
    resolve(info);
    expect(await next()).toMatchObject({ id: 1, result: info });
    expect(await next()).toBeUndefined();
    await closing;
  });

  test('a reader that does not read is waited for', async () => {
    let taken = 0;
    function* batches() {
      for (taken = 1; taken <= 500; taken += 1) yield [noticeOf(taken, 'x'.repeat(20_000))];
    }
    const { input, next } = await serve({ ...echo, subscribe: batchesThenWait(batches()) });
    const params = { sessionId: 's', subscriptionId: 'x' };
    input.write(`${hello}${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'events/subscribe', params })}\n`);
    for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate);
    expect(taken).toBeLessThan(200);
    await next();
    await next();
    for (let seq = 1; seq <= 500; seq += 1) expect(await next()).toMatchObject({ params: { events: [{ seq }] } });
  });
});
