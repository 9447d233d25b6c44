import type { AnyEvent } from '@rondo/protocol';
import type { EventBatch, Runtime } from '@rondo/runtime';

/** A runtime of which a test uses the functions it gives; calling another fails the request. */
export function runtimeWith(functions: Partial<Runtime>): Runtime {
  return new Proxy({} as Runtime, {
    get: (_target, name) =>
      Reflect.get(functions, name) ?? (() => Promise.reject(new Error(`the test gave no ${String(name)}`))),
  });
}

export const info = {
  id: 's',
  status: 'waiting',
  cwd: '/',
  model: 'm',
  agentName: 'a',
  createdAt: 't',
  updatedAt: 't',
  turns: 0,
  cursor: 's:1',
};

export const noticeOf = (seq: number, message = String(seq)): AnyEvent => ({
  type: 'notice',
  seq,
  id: `s:${seq}`,
  at: 't',
  sessionId: 's',
  level: 'info',
  message,
});

/** A subscription of these batches, which then stays open until it is left. */
export function batchesThenWait(batches: Iterable<EventBatch>): Runtime['subscribe'] {
  return async function* subscribe(_sessionId, { signal }) {
    yield* batches;
    if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve));
  };
}
