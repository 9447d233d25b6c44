import { randomUUID } from 'node:crypto';
import { resolve } from 'node:path';
import { connect, type Client } from '@rondo/client';
import { serveRuntime, type ServedChannel } from '@rondo/host';
import { createMemoryChannel } from '@rondo/protocol/values';
import type { Binding, Runtime } from '@rondo/runtime';
import { resolveHome } from '@rondo/runtime/node';
import { leaseMemoryRuntime, leaseRuntime } from '../runtime/runtime-lease.ts';
import type { AgentOptions } from './agent-options.ts';
import { compileAgent } from './compile-agent.ts';

/** Where an agent's sessions live: handles can be made at once, what they ask waits until the agent is loaded. */
export interface AgentPlace {
  readonly client: Client;
  /** What the agent's handles run with. */
  readonly bindingId: string;
  /** Rejects with what keeps the agent from working, such as a missing key. */
  readonly ready: Promise<{ readonly runtime: Runtime; readonly binding: Binding }>;
  close(): Promise<void>;
}

export function openAgentPlace(options: AgentOptions<unknown>): AgentPlace {
  const env = options.env ?? process.env;
  const home = options.home === undefined ? resolveHome(env) : resolve(options.home);
  const inMemory = options.store === 'memory';
  const [ours, theirs] = createMemoryChannel();
  const client = connect(ours, { trusted: true, ...(inMemory ? {} : { place: `home:${home}` }) });
  const bindingId = randomUUID();
  let served: ServedChannel | undefined;

  const leasing = inMemory ? Promise.resolve(leaseMemoryRuntime()) : leaseRuntime(home);
  const ready = (async () => {
    try {
      const [lease, binding] = await Promise.all([leasing, compileAgent(options, env, home)]);
      lease.runtime.bind(binding, bindingId);
      served = serveRuntime(lease.runtime, theirs, { trusted: true });
      return { runtime: lease.runtime, binding };
    } catch (error) {
      served = serveRuntime(refusingRuntime(error), theirs, { trusted: true });
      throw error;
    }
  })();
  // A handle's own call rejects with the same error.
  ready.catch(() => {});

  return {
    client,
    bindingId,
    ready,
    async close() {
      client.close();
      const opened = await ready.catch(() => undefined);
      await served?.closed;
      const lease = await leasing;
      lease.runtime.unbind(bindingId);
      await lease.release();
      // A model of the program's own is the program's to close.
      if (typeof options.model === 'string') await opened?.binding.model.close?.();
    },
  };
}

/** Answers every request with the reason why there is no runtime to answer it. */
function refusingRuntime(reason: unknown): Runtime {
  const refuse = (): never => {
    throw reason;
  };
  const refusing: ProxyHandler<Runtime> = {
    get: (_runtime, name) => (name === 'unbuilt' ? new Proxy({}, { get: () => refuse }) : refuse),
  };
  return new Proxy({} as Runtime, refusing);
}
