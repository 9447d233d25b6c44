import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import {
  type AnyEvent,
  type Channel,
  createMemoryChannel,
  createSerializingChannel,
  type Frame,
  methods,
  RondoError,
} from '@rondo/protocol';
import type { EventBatch, Runtime, SubscribeOptions } from '@rondo/runtime';
import { handlers } from './handler/handlers.ts';
import { serveRuntime, type ServeOptions } from './serve-runtime.ts';
import { info, runtimeWith } from './testing/runtime-with.ts';

/** The raw end of a served channel: frames as they are, one by one. */
function serve(functions: Partial<Runtime>, options: ServeOptions = { trusted: true }, make = createMemoryChannel) {
  const [near, far] = make();
  const bugs: unknown[] = [];
  const served = serveRuntime(runtimeWith(functions), far, { log: (bug) => bugs.push(bug), ...options });
  const frames = near.frames[Symbol.asyncIterator]();
  return {
    near,
    served,
    bugs,
    send: (frame: object) => near.send({ jsonrpc: '2.0', ...frame } as Frame),
    async next(): Promise<Frame | undefined> {
      const { value, done } = await frames.next();
      return done ? undefined : value;
    },
  };
}

describe('requests', () => {
  test('every method of the table has a handler, and nothing else has', () => {
    expect(Object.keys(handlers).sort()).toEqual(Object.keys(methods).sort());
  });

  test('a request is answered under its ID with what the runtime answers', async () => {
    const { send, next } = serve({ readSession: ({ sessionId }) => Promise.resolve({ ...info, id: sessionId }) });
    send({ id: 'x', method: 'session/read', params: { sessionId: 's7' } });
    expect(await next()).toEqual({ jsonrpc: '2.0', id: 'x', result: { ...info, id: 's7' } });
  });

  test('a slow request holds no other up', async () => {
    const { promise, resolve } = Promise.withResolvers<typeof info>();
    const { send, next } = serve({
      readSession: ({ sessionId }) => (sessionId === 'slow' ? promise : Promise.resolve(info)),
    });
    send({ id: 1, method: 'session/read', params: { sessionId: 'slow' } });
    send({ id: 2, method: 'session/read', params: { sessionId: 'fast' } });
    expect(await next()).toMatchObject({ id: 2 });
    resolve(info);
    expect(await next()).toMatchObject({ id: 1 });
  });

  test('an unknown method gets exactly one error', async () => {
    const { send, next } = serve({ readSession: () => Promise.resolve(info) });
    send({ id: 1, method: 'session/explode', params: {} });
    send({ id: 2, method: 'toString', params: {} });
    send({ id: 3, method: 'session/read', params: { sessionId: 's' } });
    expect(await next()).toMatchObject({ id: 1, error: { code: -32601, data: { code: 'protocol.method_unknown' } } });
    expect(await next()).toMatchObject({ id: 2, error: { code: -32601 } });
    expect(await next()).toMatchObject({ id: 3, result: info });
  });

  test('a Rondo error arrives whole, under JSON-RPC’s number for what is Rondo’s own', async () => {
    const error = new RondoError('session.in_use', 'held by another process', { details: { pid: 7 } });
    const { send, next, bugs } = serve({ readSession: () => Promise.reject(error) });
    send({ id: 1, method: 'session/read', params: { sessionId: 's' } });
    expect(await next()).toEqual({
      jsonrpc: '2.0',
      id: 1,
      error: {
        code: -32000,
        message: 'held by another process',
        data: { code: 'session.in_use', message: 'held by another process', retryable: true, details: { pid: 7 } },
      },
    });
    expect(bugs).toEqual([]);
  });

  test('a bug is internal to the client, with nothing of it told, and whole in the log', async () => {
    const bug = new Error('secret path /home/x');
    const { send, next, bugs } = serve({ readSession: () => Promise.reject(bug) });
    send({ id: 1, method: 'session/read', params: { sessionId: 's' } });
    const frame = await next();
    expect(frame).toMatchObject({ id: 1, error: { code: -32603, data: { code: 'internal' } } });
    expect(JSON.stringify(frame)).not.toContain('secret');
    expect(bugs).toEqual([bug]);
  });

  test('a function that throws before it promises is the same bug', async () => {
    const { send, next, bugs } = serve({
      readSession: () => {
        throw new TypeError('no');
      },
    });
    send({ id: 1, method: 'session/read', params: { sessionId: 's' } });
    expect(await next()).toMatchObject({ id: 1, error: { code: -32603 } });
    expect(bugs).toHaveLength(1);
  });

  test('an answer that cannot be sent is a bug, not a silence', async () => {
    const { send, next, bugs } = serve(
      { readSession: () => Promise.resolve({ ...info, extra: () => 1 }) },
      { trusted: true },
      createSerializingChannel,
    );
    send({ id: 1, method: 'session/read', params: { sessionId: 's' } });
    expect(await next()).toMatchObject({ id: 1, error: { data: { code: 'internal' } } });
    expect(bugs).toHaveLength(1);
  });

  test('an ID in use is refused without an ID, and its first request still answered; a free one is used again', async () => {
    const { promise, resolve } = Promise.withResolvers<typeof info>();
    let calls = 0;
    const { send, next } = serve({
      readSession() {
        calls += 1;
        return calls === 1 ? promise : Promise.resolve(info);
      },
    });
    send({ id: 1, method: 'session/read', params: { sessionId: 's' } });
    send({ id: 1, method: 'session/read', params: { sessionId: 's' } });
    const refusal = { id: null, error: { data: { code: 'protocol.frame_invalid', details: { requestId: 1 } } } };
    expect(await next()).toMatchObject(refusal);
    resolve(info);
    expect(await next()).toMatchObject({ id: 1, result: info });
    send({ id: 1, method: 'session/read', params: { sessionId: 's' } });
    expect(await next()).toMatchObject({ id: 1, result: info });
    expect(calls).toBe(2);
  });

  test('notifications and responses that nobody waits for are let pass', async () => {
    const { send, next } = serve({ readSession: () => Promise.resolve(info) });
    send({ method: 'session/read', params: { sessionId: 's' } });
    send({ method: 'weather/changed' });
    send({ id: 9, result: {} });
    send({ id: null, error: { code: 1, message: 'x' } });
    send({ id: 2, method: 'session/read', params: { sessionId: 's' } });
    expect(await next()).toMatchObject({ id: 2, result: info });
  });

  test('an answer names who gave it', async () => {
    const seen: unknown[] = [];
    const { send, next } = serve(
      {
        answerCallback(_params, options) {
          seen.push(options);
          return Promise.resolve({ type: 'notFound' });
        },
      },
      { trusted: true, principal: 'ada' },
    );
    send({ id: 1, method: 'callback/answer', params: { sessionId: 's', callbackId: 'c', answer: { type: 'deny' } } });
    await next();
    expect(seen).toEqual([{ by: 'ada' }]);
  });
});

describe('from outside', () => {
  const untrusted: ServeOptions = { name: 'test-host' };
  const hello = { id: 0, method: 'host/initialize', params: { protocolVersion: 1 } };

  test('the version is agreed on first, and requests may follow at once', async () => {
    const { send, next } = serve({ readSession: () => Promise.resolve(info) }, untrusted);
    send(hello);
    send({ id: 1, method: 'session/read', params: { sessionId: 's' } });
    expect(await next()).toMatchObject({ id: 0, result: { protocolVersion: 1, host: 'test-host' } });
    expect(await next()).toMatchObject({ id: 1, result: info });
  });

  test('another version is refused, and with it whatever follows', async () => {
    const { send, next } = serve({ readSession: () => Promise.resolve(info) }, untrusted);
    send({ ...hello, params: { protocolVersion: 99 } });
    send({ id: 1, method: 'session/read', params: { sessionId: 's' } });
    const data = { code: 'protocol.version_unsupported', details: { requested: 99, supported: [1] } };
    expect(await next()).toMatchObject({ id: 0, error: { code: -32000, data } });
    expect(await next()).toMatchObject({ id: 1, error: { data: { code: 'protocol.version_unsupported' } } });
  });

  test.each([
    ['session/read', {}, 'sessionId'],
    ['turn/start', { sessionId: 's', bindingId: 'b', content: [{ type: 'image' }] }, 'content.0.uri'],
    ['turn/start', { sessionId: 's', bindingId: 'b', content: [{ type: 'hologram' }] }, 'content.0.type'],
    ['callback/answer', { sessionId: 's', callbackId: 'abc', answer: { type: 'deny' } }, 'callbackId'],
    ['session/create', { bindingId: 7 }, 'bindingId'],
    ['session/read', 'text', ''],
    ['session/list', [], ''],
  ])('%s with wrong params gets exactly one error that names the field', async (method, params, field) => {
    const { send, next } = serve({ readSession: () => Promise.resolve(info) }, untrusted);
    send(hello);
    await next();
    send({ id: 1, method, params });
    send({ id: 2, method: 'session/read', params: { sessionId: 's' } });
    const frame = await next();
    expect(frame).toMatchObject({
      id: 1,
      error: { code: -32602, data: { code: 'protocol.params_invalid', details: { method, field } } },
    });
    expect(await next()).toMatchObject({ id: 2, result: info });
  });

  test('defaults are filled in and unknown fields kept', async () => {
    const seen: unknown[] = [];
    const { send, next } = serve(
      {
        answerCallback(params) {
          seen.push(params.answer);
          return Promise.resolve({ type: 'notFound' });
        },
      },
      untrusted,
    );
    send(hello);
    await next();
    const callbackId = '6ba7b810-9dad-41d1-80b4-00c04fd430c8';
    send({
      id: 1,
      method: 'callback/answer',
      params: { sessionId: 's', callbackId, answer: { type: 'allow', newer: 1 } },
    });
    await next();
    expect(seen).toEqual([{ type: 'allow', scope: 'once', newer: 1 }]);
  });
});

describe('subscriptions', () => {
  const event = (seq: number): AnyEvent => ({
    type: 'notice',
    seq,
    id: `s:${seq}`,
    at: 't',
    sessionId: 's',
    level: 'info',
    message: String(seq),
  });

  /** A source that a test feeds by hand, and that notes how it was asked and left. */
  function feed() {
    const asked: SubscribeOptions[] = [];
    const batches: EventBatch[] = [];
    let wake = (): void => {};
    let ended: { error?: unknown } | undefined;
    const { promise: left, resolve: leave } = Promise.withResolvers<void>();
    async function* subscribe(_sessionId: string, options: SubscribeOptions): AsyncGenerator<EventBatch> {
      asked.push(options);
      options.signal.addEventListener('abort', () => wake());
      try {
        for (;;) {
          const batch = batches.shift();
          if (batch !== undefined) yield batch;
          else if (options.signal.aborted) return;
          else if (ended?.error !== undefined) throw ended.error;
          else if (ended !== undefined) return;
          else await new Promise<void>((resolve) => (wake = resolve));
        }
      } finally {
        leave();
      }
    }
    return {
      functions: { subscribe },
      asked,
      left,
      put(...events: AnyEvent[]) {
        batches.push(events);
        wake();
      },
      end(error?: unknown) {
        ended = { error };
        wake();
      },
    };
  }

  const subscribe = {
    id: 1,
    method: 'events/subscribe',
    params: { sessionId: 's', subscriptionId: 'a', after: 's:3', deltas: true },
  };

  test('the answer comes first, then the batches as they are, then the end', async () => {
    const source = feed();
    source.put(event(4), event(5));
    const { send, next } = serve(source.functions);
    send(subscribe);
    expect(await next()).toEqual({ jsonrpc: '2.0', id: 1, result: { subscriptionId: 'a' } });
    expect(await next()).toMatchObject({
      method: 'events/item',
      params: { subscriptionId: 'a', events: [{ seq: 4 }, { seq: 5 }] },
    });
    source.put(event(6));
    expect(await next()).toMatchObject({ method: 'events/item', params: { events: [{ seq: 6 }] } });
    source.end();
    expect(await next()).toEqual({ jsonrpc: '2.0', method: 'events/end', params: { subscriptionId: 'a' } });
    expect(source.asked).toMatchObject([{ after: 's:3', deltas: true }]);
  });

  test('what is wrong with the subscription is its end', async () => {
    const source = feed();
    const { send, next } = serve(source.functions);
    send(subscribe);
    await next();
    source.end(new RondoError('cursor.invalid', 'never a place'));
    expect(await next()).toMatchObject({
      method: 'events/end',
      params: { subscriptionId: 'a', error: { code: 'cursor.invalid' } },
    });
  });

  test('a bug ends it as internal and is logged', async () => {
    const source = feed();
    const { send, next, bugs } = serve(source.functions);
    send(subscribe);
    await next();
    const bug = new Error('disk');
    source.end(bug);
    expect(await next()).toMatchObject({ method: 'events/end', params: { error: { code: 'internal' } } });
    expect(bugs).toEqual([bug]);
  });

  test('after an unsubscribe nothing more of it comes, not even its end', async () => {
    const source = feed();
    const { send, next } = serve(source.functions);
    send(subscribe);
    await next();
    send({ id: 2, method: 'events/unsubscribe', params: { subscriptionId: 'a' } });
    expect(await next()).toMatchObject({ id: 2, result: {} });
    await source.left;
    source.put(event(4));
    send({ id: 3, method: 'events/unsubscribe', params: { subscriptionId: 'a' } });
    expect(await next()).toMatchObject({ id: 3, result: {} });
  });

  test('an ID that is open is refused; once over it may be used again', async () => {
    const source = feed();
    const { send, next } = serve(source.functions);
    send(subscribe);
    send({ ...subscribe, id: 2 });
    expect(await next()).toMatchObject({ id: 1, result: {} });
    expect(await next()).toMatchObject({
      id: 2,
      error: { code: -32602, data: { details: { field: 'subscriptionId' } } },
    });
    source.end();
    expect(await next()).toMatchObject({ method: 'events/end' });
    send({ ...subscribe, id: 3 });
    expect(await next()).toMatchObject({ id: 3, result: { subscriptionId: 'a' } });
  });

  test.each(['the client', 'the host'])(
    'when %s closes, the runtime is let go of and the served channel is closed',
    async (side) => {
      const source = feed();
      const { near, served, send, next } = serve(source.functions);
      send(subscribe);
      await next();
      if (side === 'the client') near.close();
      else served.close();
      await source.left;
      await served.closed;
      expect(await next()).toBeUndefined();
    },
  );
});

describe('the end', () => {
  test('a request that is still at work when the client leaves is waited for, and its answer dropped', async () => {
    const { promise, resolve } = Promise.withResolvers<typeof info>();
    const { near, served, send, bugs } = serve({ readSession: () => promise });
    send({ id: 1, method: 'session/read', params: { sessionId: 's' } });
    near.close();
    let isClosed = false;
    void served.closed.then(() => (isClosed = true));
    await Promise.resolve();
    expect(isClosed).toBe(false);
    resolve(info);
    await served.closed;
    expect(bugs).toEqual([]);
  });

  test('disposing closes both ends', async () => {
    const { near, served } = serve({});
    await served[Symbol.asyncDispose]();
    await near.closed;
    expect(() => near.send({ jsonrpc: '2.0', method: 'x' })).toThrow(/closed/);
  });

  test('a channel that breaks is logged and let go', async () => {
    const broken = new Error('broken pipe');
    const [near, far] = createMemoryChannel();
    const channel: Channel = {
      send: far.send,
      signal: far.signal,
      closed: far.closed,
      close: far.close,
      frames: { [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(broken) }) },
    };
    const bugs: unknown[] = [];
    const served = serveRuntime(runtimeWith({}), channel, { trusted: true, log: (bug) => bugs.push(bug) });
    await served.closed;
    await near.closed;
    expect(bugs).toEqual([broken]);
  });
});

test('the trusted path loads no schema', { timeout: 30_000 }, async () => {
  const program = `
    import { registerHooks } from 'node:module';
    const loaded = [];
    registerHooks({ load: (url, context, next) => { loaded.push(url); return next(url, context); } });
    const { serveRuntime } = await import('@rondo/host');
    const { createMemoryChannel } = await import('@rondo/protocol/values');
    const [near, far] = createMemoryChannel();
    const runtime = { readSession: () => Promise.resolve({ ok: true }) };
    serveRuntime(runtime, far, { trusted: true });
    near.send({ jsonrpc: '2.0', id: 1, method: 'session/read', params: { sessionId: 's' } });
    for await (const frame of near.frames) { near.close(); console.log(JSON.stringify(frame)); }
    console.log(loaded.filter((url) => /[\\\\/]zod[\\\\/]/.test(url)).length, loaded.length > 5);
  `;
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--conditions=@rondo/source', '--input-type=module', '--eval', program],
    { cwd: new URL('..', import.meta.url) },
  );
  expect(stdout.trim().split('\n')).toEqual(['{"jsonrpc":"2.0","id":1,"result":{"ok":true}}', '0 true']);
});
