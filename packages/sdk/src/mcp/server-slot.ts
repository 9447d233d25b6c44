import { connectServer, type McpConnection, serverPart } from '@rondo/mcp';
import type { McpServerStatus } from '@rondo/protocol';
import { packageVersion } from '../package-version.ts';
import type { McpServer } from './mcp-server-config.ts';

/** A server that a session was told of, and how it stands with it. */
export interface ServerSlot {
  readonly name: string;
  readonly instance: McpServer;
  /** What calls go to; why there is nothing. */
  reached(): McpConnection | { readonly error: string };
  status(): McpServerStatus['status'];
  error(): string | undefined;
  /** Reaches it anew, or for the first time; resolves when it has been reached or has failed. Never rejects. */
  connect(): Promise<void>;
  disable(): Promise<void>;
  /** Leaves it. What is called later fails and says so. */
  leave(): Promise<void>;
}

export interface ServerSlotOptions {
  readonly name: string;
  readonly instance: McpServer;
  /** Milliseconds that it has to answer when it is connected to. */
  readonly connectTimeoutMs: number;
  /** Why it can never be reached, where that is known. */
  readonly refusal?: string | undefined;
}

type State =
  | { readonly status: 'pending' }
  | { readonly status: 'connected'; readonly connection: McpConnection }
  | { readonly status: 'failed' | 'disabled'; readonly error: string };

export function createServerSlot({ name, instance, connectTimeoutMs, refusal }: ServerSlotOptions): ServerSlot {
  let state: State = { status: 'pending' };
  /** Of the attempts to reach it, the last counts; those before are given up. */
  let attempt = new AbortController();

  function next(): AbortController {
    attempt.abort(new Error('it was given up'));
    attempt = new AbortController();
    return attempt;
  }

  async function open(controller: AbortController): Promise<McpConnection> {
    if (refusal !== undefined) throw new Error(refusal);
    if (serverPart(name) === undefined) throw new Error('its name has no letter or digit');
    const timer = setTimeout(
      () => controller.abort(new Error(`it did not answer within ${connectTimeoutMs} ms`)),
      connectTimeoutMs,
    );
    try {
      const clientInfo = { name: 'rondo', version: packageVersion };
      return await connectServer({ type: 'sdk', name, instance }, { signal: controller.signal, clientInfo });
    } finally {
      clearTimeout(timer);
    }
  }

  async function become(then: State): Promise<void> {
    const before = state;
    state = then;
    if (before.status === 'connected') await before.connection.close();
  }

  function now(): State {
    if (state.status !== 'connected' || state.connection.status === 'connected') return state;
    return { status: 'failed', error: state.connection.error ?? 'the connection is closed' };
  }

  return {
    name,
    instance,
    reached() {
      const current = now();
      if (current.status === 'connected') return current.connection;
      return { error: current.status === 'pending' ? 'it has not answered yet' : current.error };
    },
    status: () => now().status,
    error() {
      const current = now();
      return current.status === 'failed' ? current.error : undefined;
    },
    async connect() {
      const mine = next();
      await become({ status: 'pending' });
      try {
        const connection = await open(mine);
        if (mine === attempt) await become({ status: 'connected', connection });
        else await connection.close();
      } catch (error) {
        if (mine === attempt)
          await become({ status: 'failed', error: error instanceof Error ? error.message : String(error) });
      }
    },
    async disable() {
      next();
      await become({ status: 'disabled', error: 'it is disabled' });
    },
    async leave() {
      next();
      await become({ status: 'failed', error: 'the session has left it' });
    },
  };
}
