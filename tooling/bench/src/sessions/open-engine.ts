import { createHash } from 'node:crypto';
import { connect, type Client } from '@rondo/client';
import { serveRuntime } from '@rondo/host';
import { createMemoryChannel } from '@rondo/protocol/values';
import { createMemoryStore, createRuntime, defineTool, type EventStore, type Model } from '@rondo/runtime';
import { createFileStore } from '@rondo/runtime/node';
import { createLocalSandbox } from '@rondo/sandbox';

export interface EngineOptions {
  readonly model: Model;
  readonly store: EventStore;
  /** What the tool `Read` does. */
  readonly read: (path: string) => Promise<string>;
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
  const bindingId = runtime.bind({
    agent: { name: 'bench', fingerprint: 'bench' },
    cwd: process.cwd(),
    model,
    system: '',
    tools: [readTool(read)],
    policy: { sources: [], mode: 'default', directories: [process.cwd()] },
    unattended: 'deny',
    sandbox: createLocalSandbox(),
    env: {},
  });
  return {
    client,
    bindingId,
    async [Symbol.asyncDispose]() {
      client.close();
      await runtime.close();
    },
  };
}

function readTool(read: EngineOptions['read']) {
  return defineTool({
    name: 'Read',
    description: 'Reads a file.',
    input: { type: 'object', properties: { file_path: { type: 'string' } }, required: ['file_path'] },
    effect: 'none',
    access: ({ file_path }) => ({ reads: [file_path] }),
    run: ({ file_path }) => read(file_path),
  });
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
