import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { listen, serveSocket } from '@rondo/host/node';
import { createMemoryStore, createRuntime } from '@rondo/runtime';
import { say, scriptedModel, sha256, temporaryBinding } from '@rondo/runtime/testing';

/** A host at work, reached as text. */
export interface FuzzedHost extends AsyncDisposable {
  send(text: string): void;
  /** Calls with each text that comes. */
  onText(take: (text: string) => void): void;
  readonly bindingId: string;
  /** What its log holds of faults. */
  readonly faults: readonly string[];
}

export type Transport = 'websocket' | 'lines';

/** A runtime with real sessions behind a real edge. Its model says a word to whatever it is told. */
export async function openFuzzedHost(transport: Transport): Promise<FuzzedHost> {
  const model = scriptedModel(Array.from({ length: 5_000 }, () => say('yes')));
  const temporary = await temporaryBinding({ model });
  const runtime = createRuntime({ store: createMemoryStore(), sha256 });
  const bindingId = runtime.bind(temporary.binding, 'fuzzed');
  const faults: string[] = [];
  const log = {
    info() {},
    warn() {},
    error: (facts: object, message: string) => void faults.push(`${message}: ${describe(facts)}`),
  };
  const wire = transport === 'websocket' ? await overWebSocket() : await overLines();

  async function overWebSocket() {
    const host = await listen(runtime, { log });
    const socket = new WebSocket(`${host.url.replace('http', 'ws')}/ws`);
    await new Promise((resolve, reject) => {
      socket.onopen = resolve;
      socket.onerror = reject;
    });
    return {
      send: (text: string) => socket.send(text),
      onText(take: (text: string) => void) {
        socket.onmessage = ({ data }) => take(String(data));
      },
      async close() {
        socket.close();
        await host.close();
      },
    };
  }

  async function overLines() {
    const folder = await mkdtemp(join(tmpdir(), 'rondo-fuzz-'));
    const served = await serveSocket(runtime, { path: join(folder, 'host.sock'), log });
    const socket = connect(served.path).setEncoding('utf8');
    await once(socket, 'connect');
    return {
      send: (text: string) => void socket.write(`${text}\n`),
      onText(take: (text: string) => void) {
        let rest = '';
        socket.on('data', (chunk) => {
          const lines = (rest + String(chunk)).split('\n');
          rest = lines.pop() ?? '';
          for (const line of lines) take(line);
        });
      },
      async close() {
        socket.end();
        await served.close();
        await rm(folder, { recursive: true });
      },
    };
  }

  return {
    bindingId,
    faults,
    send: wire.send,
    onText: wire.onText,
    async [Symbol.asyncDispose]() {
      await wire.close();
      await runtime.close();
      await temporary[Symbol.asyncDispose]();
    },
  };
}

function describe(facts: object): string {
  const { err, method } = facts as { err?: unknown; method?: unknown };
  return `${String(method)}: ${err instanceof Error ? (err.stack ?? err.message) : String(err)}`;
}
