import { resolve } from 'node:path';
import type { Client } from '@rondo/client';
import type { Runtime } from '@rondo/runtime';
import { resolveHome } from '@rondo/runtime/node';
import { leaseRuntime } from '../runtime/runtime-lease.ts';

export interface HomeOptions {
  /** Where sessions are kept: `RONDO_HOME` or `~/.rondo` unless given. Rondo's own. */
  home?: string;
}

/** Does something with the sessions of a home. Nothing is held afterwards. */
export async function withHome<Value>(
  { home }: HomeOptions,
  work: (client: Client, runtime: Runtime) => Promise<Value>,
): Promise<Value> {
  const lease = await leaseRuntime(home === undefined ? resolveHome() : resolve(home));
  try {
    return await work(lease.client, lease.runtime);
  } finally {
    await lease.release();
  }
}
