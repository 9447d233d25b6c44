import { compileBinding, type CompileOptions } from '../options/compile-binding.ts';
import type { Options } from '../options/options.ts';
import type { QueryBinding } from '../options/query-binding.ts';
import { sessionServers, type SessionServers } from './session-servers.ts';

/** What `query()` runs with, its MCP servers among it. */
export type ServedBinding = QueryBinding & { readonly servers: SessionServers };

/** The binding with the servers that the options name. They are reached while the rest is loaded. @throws as `compileBinding`. */
export async function compileWithServers(options: Options, compile: CompileOptions): Promise<ServedBinding> {
  const servers = sessionServers(options, compile.env);
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
  }
}
