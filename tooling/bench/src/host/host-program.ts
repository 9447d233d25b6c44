// A host to be measured: `host-program.ts floor|rondo MODEL-URL [HOME]`. Without a home its sessions are in memory.
import { readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { listen } from '@rondo/host/node';
import { createAnthropicModel } from '@rondo/providers/anthropic';
import { createNodeRuntime } from '@rondo/runtime/node';
import { serveSessions } from '../floor/serve-sessions.mjs';
import { benchAgent } from '../sessions/bench-agent.ts';
import { memoryWithoutGarbage } from '../sessions/memory-without-garbage.ts';
import { storeIn } from '../sessions/open-engine.ts';
import { answerParent } from './program.ts';

export interface HostMemory {
  readonly heapBytes: number;
  readonly residentBytes: number;
  /** Undefined on systems without `/proc`. */
  readonly descriptors: number | undefined;
}

export interface HostAnswers {
  readonly url: string;
  readonly memory: HostMemory;
  /** Milliseconds of CPU time so far. */
  readonly cpu: number;
}

const [kind, baseUrl = '', home] = process.argv.slice(2);

async function serveRondo(): Promise<string> {
  const runtime = createNodeRuntime({ store: storeIn(home) });
  const model = createAnthropicModel({ model: 'claude-sonnet-4-5', apiKey: 'bench', baseUrl });
  runtime.bind(benchAgent({ model, read: (path) => readFile(path, 'utf8') }), 'agent:bench');
  const { port } = await listen(runtime);
  return `ws://127.0.0.1:${port}`;
}

function descriptors(): number | undefined {
  try {
    return readdirSync('/proc/self/fd').length;
  } catch {
    return undefined;
  }
}

const url = kind === 'floor' ? serveSessions(baseUrl) : serveRondo();

answerParent<HostAnswers>({
  url: () => url,
  async memory() {
    const { heapUsed, external, rss } = await memoryWithoutGarbage();
    return { heapBytes: heapUsed + external, residentBytes: rss, descriptors: descriptors() };
  },
  cpu() {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1_000;
  },
});
