import { appendFileSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { serveSocket } from '@rondo/host/node';
import { createFileStore, createKernelOwners, createNodeRuntime, nodeFileSystem } from '@rondo/runtime/node';
import { type Death, dyingFileSystem } from '../kill/dying-file-system.ts';
import { bindingId, type Lacking, servedAgent } from './served-agent.ts';

/** What the process is told, as JSON in its first argument. */
export interface ServingOptions {
  readonly folder: string;
  readonly death: Death;
  readonly lacks?: Lacking;
}

/** What it prints: once it serves, with what became of sessions that were left; at each call that waits; and when it ends by itself. */
export type ServingLine =
  | { readonly inFlight: number }
  | { readonly serving: readonly { readonly outcome: string; readonly missing?: readonly string[] }[] }
  | { readonly writes: number };

const { folder, death, lacks } = JSON.parse(process.argv[2] ?? '') as ServingOptions;
let writes = 0;
let inFlight = 0;
const home = join(folder, 'home');
const fileSystem = dyingFileSystem(nodeFileSystem, death, () => {
  writes += 1;
});
const world = {
  async untilReleased(signal: AbortSignal) {
    print({ inFlight: (inFlight += 1) });
    while (!existsSync(join(folder, 'released'))) await pause(5, undefined, { signal });
  },
  charge: (n: number) => appendFileSync(join(folder, 'world'), `${n}\n`),
};

function print(line: ServingLine): void {
  process.stdout.write(`${JSON.stringify(line)}\n`);
}

const store = createFileStore({ home, fileSystem, owners: createKernelOwners({ home }) });
const runtime = createNodeRuntime({ store });
runtime.bind(servedAgent(world, lacks), bindingId);
const recovered = await runtime.recover({ bindingIds: [bindingId] });
const served = await serveSocket(runtime, { path: join(folder, 'host.sock') });
print({
  serving: recovered.map(({ outcome, missing }) => ({ outcome, ...(missing === undefined ? {} : { missing }) })),
});
process.once('SIGTERM', () => {
  void (async () => {
    await served.close();
    await runtime.close();
    print({ writes });
  })();
});
