import { httpChannel } from '@rondo/client';
import { stdioChannel, webSocketChannel } from '@rondo/client/node';
import { serveRuntime } from '@rondo/host';
import { type HostLog, listen, serveStdio } from '@rondo/host/node';
import { type Channel, createMemoryChannel, createSerializingChannel } from '@rondo/protocol';
import type { Runtime } from '@rondo/runtime';
import { PassThrough } from 'node:stream';

/** A runtime that clients reach. */
export interface ServedWire {
  /** A new connection's near end. */
  open(): Promise<Channel>;
  close(): Promise<void>;
}

/** A way between clients and a runtime. What is shown over one is shown over all. */
export interface Wire {
  readonly name: string;
  /** Both ends are of one process: nothing is parsed. */
  readonly trusted: boolean;
  /** Bugs of the host are reported, which its clients read as `internal` only. */
  readonly serve: (runtime: Runtime, report: (bug: unknown) => void) => Promise<ServedWire>;
}

export const principal = 'tester';
const token = 'a-token-of-the-tests';
const local = { name: principal, rights: ['read', 'answer', 'drive'] } as const;

function inProcess(make: () => [Channel, Channel], trusted: boolean): Wire['serve'] {
  return (runtime, report) => {
    const served: AsyncDisposable[] = [];
    return Promise.resolve({
      open() {
        const [near, far] = make();
        served.push(serveRuntime(runtime, far, { trusted, log: report, principal }));
        return Promise.resolve(near);
      },
      async close() {
        for (const one of served) await one[Symbol.asyncDispose]();
      },
    });
  };
}

async function listening(runtime: Runtime, report: (bug: unknown) => void) {
  return await listen(runtime, {
    tokens: [{ ...local, token }],
    log: reporting(report),
  });
}

function reporting(report: (bug: unknown) => void): HostLog {
  return { info() {}, warn() {}, error: (facts) => report('err' in facts ? facts.err : facts) };
}

/** The wires that the requirements name. */
export const wires: readonly Wire[] = [
  { name: 'memory, objects', trusted: false, serve: inProcess(createMemoryChannel, false) },
  { name: 'memory, JSON', trusted: false, serve: inProcess(createSerializingChannel, false) },
  {
    name: 'stdio',
    trusted: false,
    serve: (runtime, report) => {
      const closing: (() => Promise<void>)[] = [];
      return Promise.resolve({
        async open() {
          const [input, output] = [new PassThrough(), new PassThrough()];
          const served = await serveStdio(runtime, { input, output, principal: local, log: reporting(report) });
          closing.push(() => served.close());
          return await stdioChannel({ input: output, output: input });
        },
        async close() {
          for (const close of closing) await close();
        },
      });
    },
  },
  {
    name: 'WebSocket',
    trusted: false,
    serve: async (runtime, report) => {
      const host = await listening(runtime, report);
      const url = `${host.url.replace('http:', 'ws:')}/ws`;
      return { open: () => webSocketChannel(url, { token }), close: () => host.close() };
    },
  },
  {
    name: 'HTTP+SSE',
    trusted: false,
    serve: async (runtime, report) => {
      const host = await listening(runtime, report);
      return { open: () => Promise.resolve(httpChannel(host.url, { token })), close: () => host.close() };
    },
  },
];
