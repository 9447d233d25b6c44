import { compileBinding, type CompileOptions } from '../options/compile-binding.ts';
import type { Options } from '../options/options.ts';
import type { QueryBinding } from '../options/query-binding.ts';
import { sessionServers, type SessionServers } from './session-servers.ts';

/** What `query()` runs with, its MCP servers among it. */
export type ServedBinding = QueryBinding & { readonly servers: SessionServers };

export interface CompileWithServersOptions extends CompileOptions {
  /** Aborts when nobody waits for the binding any more: servers that have not answered are given up. */
  readonly signal?: AbortSignal | undefined;
}

/** The binding with the servers that the options name. They are reached while the rest is loaded. @throws as `compileBinding`. */
export async function compileWithServers(
  options: Options,
  { signal, ...compile }: CompileWithServersOptions,
): Promise<ServedBinding> {
  const servers = sessionServers(options, compile.env);
  const onAbort = (): void => void servers.close();
  if (signal?.aborted === true) onAbort();
  else signal?.addEventListener('abort', onAbort, { once: true });
  try {
    const base = await compileBinding(options, compile);
    return {
      ...(await servers.equip(base, { tells: false })),
      servers,
      forTurn: async () => await servers.equip((await base.forTurn?.()) ?? base, { tells: true }),
    };
  } catch (error) {
    await servers.close();
    throw error;
  } finally {
    signal?.removeEventListener('abort', onAbort);
  }
}
