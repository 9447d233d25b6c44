import type { SDKMessage, SDKUserMessage } from '@rondo/protocol';
import type { Model } from '@rondo/runtime';
import { say, scriptedModel } from '@rondo/runtime/testing';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { Options } from '../options/options.ts';
import { type Query, query } from '../query.ts';
import { openHost } from '../testing/agent-host.ts';
import { collectMessages } from '../testing/collect-messages.ts';
import { openDeafProxy } from '../testing/deaf-proxy.ts';

// A busy machine takes its time to load what a session needs.
vi.setConfig({ testTimeout: 60_000 });

/** A model that says nothing until it is told to, or its turn is stopped. */
function slowModel() {
  const asked = Promise.withResolvers<void>();
  const stopped = Promise.withResolvers<void>();
  const answer = Promise.withResolvers<void>();
  const model: Model = {
    name: 'scripted/slow',
    async *stream(request, options) {
      const { signal } = options;
      asked.resolve();
      signal.addEventListener('abort', () => stopped.resolve(), { once: true });
      await Promise.race([answer.promise, stopped.promise]);
      signal.throwIfAborted();
      yield* scriptedModel([[say('Late.')]]).stream(request, options);
    },
  };
  return { model, asked: asked.promise, stopped: stopped.promise, answer: answer.resolve };
}

/** A query at work at a host that has just fallen silent. */
async function deafQuery(more: Options = {}) {
  const slow = slowModel();
  const host = await openHost({ clerk: slow.model });
  onTestFinished(() => host[Symbol.asyncDispose]());
  const proxy = await openDeafProxy(host.options.url ?? '');
  onTestFinished(() => proxy[Symbol.asyncDispose]());
  const running = query({ prompt: 'Well?', options: { ...host.options, url: proxy.url, ...more } });
  const init = await running.next();
  await slow.asked;
  proxy.fallSilent();
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const sessionId = init.done === true ? '' : (init.value.session_id ?? '');
  return { slow, host, proxy, running, sessionId };
}

/** Lets the patience with a silent host pass at once. */
async function passing<Value>(promise: Promise<Value>): Promise<Value> {
  let isOver = false;
  promise.then(
    () => (isOver = true),
    () => (isOver = true),
  );
  while (!isOver) await vi.advanceTimersByTimeAsync(1000);
  vi.useRealTimers();
  return await promise;
}

test('close() ends the iteration at once; the turn stops when the host hears of it', async () => {
  const { slow, proxy, running } = await deafQuery();
  const next = running.next();
  running.close();
  expect(await next).toEqual({ done: true, value: undefined });
  proxy.wakeUp();
  await slow.stopped;
  await running[Symbol.asyncDispose]();
});

test('an abort ends the iteration at once', async () => {
  const abortController = new AbortController();
  const { running } = await deafQuery({ abortController });
  const next = running.next();
  abortController.abort();
  await expect(next).rejects.toMatchObject({ name: 'AbortError' });
  await passing(running[Symbol.asyncDispose]());
});

test('with debug it ends at once too', async () => {
  const { running } = await deafQuery({ debug: true, stderr: () => {} });
  running.close();
  expect(await running.next()).toEqual({ done: true, value: undefined });
  await passing(running[Symbol.asyncDispose]());
});

test.each<[string, (running: Query) => Promise<unknown>]>([
  ['leaving the loop', (running) => running.return()],
  ['await using', (running) => running[Symbol.asyncDispose]()],
  ['leave()', (running) => running.leave()],
])('%s waits for a silent host only so long', async (_name, end) => {
  const { running } = await deafQuery();
  await passing(end(running));
  expect(await running.next()).toEqual({ done: true, value: undefined });
});

test('a turn of which the host never heard that it should stop goes on there, and is there for whoever resumes it', async () => {
  const { slow, host, proxy, running, sessionId } = await deafQuery();
  running.close();
  await proxy[Symbol.asyncDispose]();
  await passing(running[Symbol.asyncDispose]());
  const after: SDKMessage[] = [];
  const resumed = query({ prompt: joining(), options: { ...host.options, resume: sessionId } });
  for await (const message of resumed) {
    after.push(message);
    if (message.type === 'system' && message.subtype === 'init') slow.answer();
  }
  expect(after.at(-1)).toMatchObject({ type: 'result', session_id: sessionId, result: 'Late.' });
});

test('a query at a host that hears is stopped before the loop is left', async () => {
  const slow = slowModel();
  await using host = await openHost({ clerk: slow.model });
  const running = query({ prompt: 'Well?', options: host.options });
  const init = await running.next();
  await slow.asked;
  await running.return();
  await slow.stopped;
  const resume = init.done === true ? '' : (init.value.session_id ?? '');
  const lines = await collectMessages(query({ prompt: joining(), options: { ...host.options, resume } }));
  expect(lines).toEqual([]);
});

/** Says nothing: what is at work is followed to its end. */
async function* joining(): AsyncGenerator<SDKUserMessage> {}
