import { randomUUID } from 'node:crypto';
import { listen } from '@rondo/host/node';
import { type Binding, compilePolicy, createMemoryStore, defineTool, type Model } from '@rondo/runtime';
import { createNodeRuntime } from '@rondo/runtime/node';
import { createLocalSandbox } from '@rondo/sandbox';
import type { Options } from '../options/options.ts';

/** What the tool `pay` of any host has paid. */
export const paid: unknown[] = [];
const pay = defineTool({
  name: 'pay',
  description: 'Pays an amount.',
  input: { type: 'object', properties: { amount: { type: 'number' } }, required: ['amount'] },
  run({ amount }) {
    paid.push(amount);
    return `Paid ${String(amount)}.`;
  },
});

/** A host of agents by name, over WebSocket, on an address and with a token of its own. */
export async function openHost(agents: Readonly<Record<string, Model>>) {
  const runtime = createNodeRuntime({ store: createMemoryStore() });
  const cwd = process.cwd();
  for (const [name, model] of Object.entries(agents)) {
    const binding: Binding = {
      agent: { name, fingerprint: '1' },
      cwd,
      model,
      system: 'You pay.',
      tools: [pay],
      policy: compilePolicy({ directories: [cwd], tools: [pay] }),
      unattended: 'wait',
      sandbox: createLocalSandbox(),
      env: {},
      customize: ({ instructions }) => ({
        ...binding,
        ...(instructions === undefined ? {} : { system: instructions }),
      }),
    };
    runtime.bind(binding, `agent:${name}`);
  }
  const token = randomUUID();
  const host = await listen(runtime, { tokens: [{ name: 'ada', rights: ['read', 'answer', 'drive'], token }] });
  const options: Options = { url: host.url.replace('http:', 'ws:'), token };
  return {
    options,
    async [Symbol.asyncDispose]() {
      await host.close();
      await runtime.close();
    },
  };
}
