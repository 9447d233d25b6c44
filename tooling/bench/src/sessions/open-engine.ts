import { createHash } from 'node:crypto';
import { connect, type Client } from '@rondo/client';
import { serveRuntime } from '@rondo/host';
import { createMemoryChannel } from '@rondo/protocol/values';
import { createMemoryStore, createRuntime, type EventStore } from '@rondo/runtime';
import { createFileStore } from '@rondo/runtime/node';
import { benchAgent, type BenchAgentOptions } from './bench-agent.ts';

export interface EngineOptions extends BenchAgentOptions {
  readonly store: EventStore;
}

export interface Engine extends AsyncDisposable {
  readonly client: Client;
  /** What sessions are started with. */
  readonly bindingId: string;
}

/** An engine as a program puts it together that runs sessions of its own: one tool, and handles over a channel. */
export function openEngine({ model, store, read }: EngineOptions): Engine {
  const runtime = createRuntime({ store, sha256: (text) => createHash('sha256').update(text).digest('hex') });
  const [ours, theirs] = createMemoryChannel();
  serveRuntime(runtime, theirs, { trusted: true });
  const client = connect(ours, { trusted: true });
  const bindingId = runtime.bind(benchAgent({ model, read }));
  return {
    client,
    bindingId,
    async [Symbol.asyncDispose]() {
      client.close();
      await runtime.close();
    },
  };
}

/** Sessions in a home, or in memory where there is none. */
export function storeIn(home: string | undefined): EventStore {
  return home === undefined ? createMemoryStore() : createFileStore({ home });
}

/** Runs a session of one turn to its end. @throws when it did not complete: what failed early is not fast. */
export async function runTurn({ client, bindingId }: Engine, prompt: string) {
  const session = await client.createSession({ bindingId });
  const record = await session.run(prompt);
  if (record.type !== 'completed') throw new Error(`A session ended ${record.type}: ${JSON.stringify(record)}`);
  return session;
}
