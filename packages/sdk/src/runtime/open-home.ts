import { resolve } from 'node:path';
import type { Client } from '@rondo/client';
import type { Runtime } from '@rondo/runtime';
import { resolveHome } from '@rondo/runtime/node';
import type { HomeOptions } from '../sessions/with-home.ts';
import { leaseRuntime } from './runtime-lease.ts';

/** The sessions of a home, for a process that serves them or works with those of other processes. */
export interface Home extends AsyncDisposable {
  /** The folder. */
  readonly path: string;
  /**
   * To bind agents to and to serve. Sessions that another process of this user owns are worked with over that process's
   * socket, and other processes reach this one's in the same way.
   */
  readonly runtime: Runtime;
  readonly client: Client;
  /** Gives every session up. What is at work stops without a trace, and is found by whoever opens its session next. */
  close(): Promise<void>;
}

/** Opens a home: `RONDO_HOME` or `~/.rondo` unless given. Sessions are touched when they are asked for, not before. */
export async function openHome({ home }: HomeOptions = {}): Promise<Home> {
  const path = home === undefined ? resolveHome() : resolve(home);
  const { runtime, client, release } = await leaseRuntime(path);
  return { path, runtime, client, close: release, [Symbol.asyncDispose]: release };
}
