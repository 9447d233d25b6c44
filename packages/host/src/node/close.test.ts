import { Agent, request } from 'node:http';
import { manualClock } from '@rondo/runtime/testing';
import { describe, expect, test } from 'vitest';
import { batchesThenWait, info, noticeOf } from '../testing/runtime-with.ts';
import { bearer, grants, openStage } from './testing/stage.ts';

const ask = (id: number) => ({ id, method: 'session/read', params: { sessionId: 's' } });

describe('a host that closes', () => {
  test('tells its clients, answers what they have asked, takes no more, and says that it goes away', async () => {
    const { promise, resolve } = Promise.withResolvers<typeof info>();
    await using stage = await openStage({ readSession: () => promise });
    const client = await stage.connected();
    client.send(ask(1));
    client.send({ id: 'x', method: 'nothing/such' });
    expect(await client.next()).toMatchObject({ id: 'x' });
    const closing = stage.host.close();
    expect(await client.next()).toEqual({ jsonrpc: '2.0', method: 'host/closing', params: {} });
    client.send(ask(2));
    expect(await client.next()).toMatchObject({ id: 2, error: { data: { code: 'host.closing', retryable: true } } });
    expect(await stage.ask('GET', '/healthz', {})).toMatchObject({ status: 503, body: '{"status":"closing"}' });
    const late = stage.connect();
    expect(await late.closed).toBe(1006);
    resolve(info);
    expect(await client.next()).toMatchObject({ id: 1, result: info });
    expect(await client.closed).toBe(1001);
    await closing;
    expect(stage.host.connections()).toBe(0);
    await expect(stage.ask('GET', '/healthz', {})).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  });

  test('waits no longer than the bound for a request that does not end', async () => {
    const clock = manualClock();
    const both = Promise.withResolvers<void>();
    let calls = 0;
    await using stage = await openStage(
      {
        readSession() {
          calls += 1;
          if (calls === 2) both.resolve();
          return new Promise(() => {});
        },
      },
      { tokens: grants, clock, limits: { closeMs: 3000 } },
    );
    const client = await stage.connected();
    client.send(ask(1));
    const hanging = stage.rpc({ jsonrpc: '2.0', ...ask(1) }).catch((error: unknown) => error);
    await both.promise;
    const closing = stage.host.close();
    await client.next();
    await clock.advance(3000);
    expect(await client.closed).toBe(1001);
    await closing;
    expect(await hanging).toMatchObject({ code: 'ECONNRESET' });
  });

  test('ends event streams with its reason, so that they are continued elsewhere', async () => {
    await using stage = await openStage({ subscribe: batchesThenWait([[noticeOf(1)]]) });
    const stream = await stage.stream('/sessions/s/events');
    const closing = stage.host.close();
    let text = '';
    for await (const chunk of stream) text += String(chunk);
    expect(text.split('\n\n').at(-2)).toMatch(/^event: end\ndata: .*"code":"host.closing".*"retryable":true/s);
    await closing;
  });

  test('closes connections that are kept alive and do nothing', async () => {
    await using stage = await openStage();
    const agent = new Agent({ keepAlive: true });
    await new Promise<void>((resolve) => {
      request(`${stage.host.url}/healthz`, { agent, headers: bearer }, (response) =>
        response.resume().on('end', resolve),
      ).end();
    });
    await stage.host.close();
    agent.destroy();
  });
});
