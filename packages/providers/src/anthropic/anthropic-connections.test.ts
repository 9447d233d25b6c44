import { createServer, type Socket } from 'node:net';
import { describe, expect, test } from 'vitest';
import {
  askModel,
  mute,
  reply,
  reset,
  startModelServer,
  status,
  text,
  times,
  type ModelServer,
  type Step,
} from '../testing/index.ts';
import { createAnthropicModel } from './create-anthropic-model.ts';

const key = 'sk-ant-secret-0123456789';

async function serve(script: readonly Step[]) {
  const server = await startModelServer({ script });
  const model = createAnthropicModel({
    model: 'claude-sonnet-5-5',
    apiKey: key,
    keySource: 'ANTHROPIC_API_KEY',
    baseUrl: server.url,
    baseUrlSource: 'ANTHROPIC_BASE_URL',
  });
  return { server, model, [Symbol.asyncDispose]: () => server.close() };
}

const greeting = {
  system: '',
  tools: [],
  messages: [{ role: 'user', content: [{ type: 'text', text: 'Hello' }] }],
} as const;

describe('connections', () => {
  test('a loop of twenty steps uses one', async () => {
    await using served = await serve(times(20, text('Step done.')));
    for (let step = 0; step < 20; step += 1) expect((await askModel(served.model)).error).toBeUndefined();
    expect(served.server.connections).toBe(1);
  });

  test('an error answer does not cost the connection', async () => {
    await using served = await serve([status(529), status(429), text('at last')]);
    for (let attempt = 0; attempt < 3; attempt += 1) await askModel(served.model);
    expect(served.server.connections).toBe(1);
  });

  test('a kept connection that was closed meanwhile is replaced without a word', async () => {
    await using served = await serve([text('one'), reset(), text('two')]);
    expect((await askModel(served.model)).text).toBe('one');
    expect((await askModel(served.model)).text).toBe('two');
    expect(served.server.connections).toBe(2);
  });

  test('a fresh connection that breaks is an error, and so is the replacement of a kept one', async () => {
    await using fresh = await serve([reset()]);
    expect((await askModel(fresh.model)).error).toMatchObject({
      code: 'model.connection_failed',
      retryable: true,
      details: { code: 'ECONNRESET' },
    });
    await using served = await serve([text('one'), reset(), reset()]);
    await askModel(served.model);
    expect((await askModel(served.model)).error).toMatchObject({ code: 'model.connection_failed' });
    expect(served.server.requests).toHaveLength(3);
  });

  test('a kept connection that breaks inside the answer is not tried again', async () => {
    const sockets: Socket[] = [];
    let asked = 0;
    const server = createServer((socket) => {
      sockets.push(socket);
      socket.on('error', () => undefined);
      socket.on('data', () => {
        asked += 1;
        if (asked === 1) socket.write('HTTP/1.1 500 No\r\ncontent-length: 2\r\n\r\nno');
        else socket.write('HTTP/1.1 2', () => socket.destroy());
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    const port = typeof address === 'object' ? address?.port : undefined;
    const model = createAnthropicModel({ model: 'm', apiKey: key, baseUrl: `http://127.0.0.1:${port}` });
    expect((await askModel(model)).error).toMatchObject({ code: 'model.server_error' });
    expect((await askModel(model)).error).toMatchObject({ code: 'model.connection_failed' });
    expect({ asked, connections: sockets.length }).toEqual({ asked: 2, connections: 1 });
    await new Promise((resolve) => server.close(resolve));
  });

  test('a refused connection says where and what to check', async () => {
    await using served = await serve([text('later')]);
    await served.server.refuse();
    const { error } = await askModel(served.model);
    expect(error).toMatchObject({
      code: 'model.connection_failed',
      retryable: true,
      details: { code: 'ECONNREFUSED' },
    });
    expect(String(error)).toContain('ANTHROPIC_BASE_URL');
    await served.server.accept();
    expect((await askModel(served.model)).text).toBe('later');
  });
});

describe('leaving', () => {
  test.each([
    ['before the headers', mute(), 0],
    ['after the headers', reply(text('Hello'), { fault: { type: 'silence', after: 'headers' } }), 0],
    ['in the middle', reply(text('Hello'), { fault: { type: 'silence', after: { events: 3 } } }), 3],
  ])('an abort %s closes the socket and throws', async (_name, step, partsBefore) => {
    await using served = await serve([step]);
    const controller = new AbortController();
    const stream = served.model.stream(greeting, { signal: controller.signal })[Symbol.asyncIterator]();
    const request = await served.server.request(0);
    for (let taken = 0; taken < partsBefore; taken += 1) await stream.next();
    const next = stream.next();
    controller.abort(new Error('the person left'));
    await expect(next).rejects.toMatchObject({ code: 'operation.aborted', retryable: false });
    expect(await stream.next()).toEqual({ value: undefined, done: true });
    expect(await request.ended).toBe('left');
  });

  test('a signal that is aborted already sends nothing', async () => {
    await using served = await serve([]);
    const { error } = await askModel(served.model, { signal: AbortSignal.abort() });
    expect(error).toMatchObject({ code: 'operation.aborted' });
    expect(served.server.connections).toBe(0);
  });

  test('whoever stops reading closes the socket too', async () => {
    await using served = await serve([reply(text('Hello'), { fault: { type: 'silence', after: { events: 3 } } })]);
    const stream = served.model.stream(greeting, { signal: new AbortController().signal });
    for await (const part of stream) if (part.type === 'delta') break;
    expect(await (await served.server.request(0)).ended).toBe('left');
  });

  test('a reader that is slow loses nothing', async () => {
    const long = 'word '.repeat(20_000);
    await using served = await serve([reply(text(long, { pieceLength: 5 }), { wire: { eventsPerWrite: 500 } })]);
    const stream = served.model.stream(greeting, { signal: new AbortController().signal });
    let told = '';
    for await (const part of stream) {
      if (part.type !== 'delta') continue;
      told += part.text;
      if (told.length % 5_000 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    expect(told).toBe(long);
  });
});

test('many faulty servers at once are no trouble', async () => {
  const servers: ModelServer[] = [];
  const outcomes = await Promise.all(
    Array.from({ length: 30 }, async (_, index) => {
      const fault = { type: 'cut', after: { halfEvent: index % 5 }, how: index % 2 === 0 ? 'close' : 'end' } as const;
      const server = await startModelServer({ script: [reply(text('Hello'), { fault }), text('Hello')] });
      servers.push(server);
      const model = createAnthropicModel({ model: 'm', apiKey: key, baseUrl: server.url });
      return [(await askModel(model)).error, (await askModel(model)).text];
    }),
  );
  for (const [error, text] of outcomes) {
    expect(error).toMatchObject({ code: 'model.stream_broken' });
    expect(text).toBe('Hello');
  }
  await Promise.all(servers.map((server) => server.close()));
});
