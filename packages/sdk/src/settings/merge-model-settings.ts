import type { ModelSettings } from '@rondo/providers';

/** Both together, where `over` counts: entry by entry of aliases, servers and facts. */
export function mergeModelSettings(under: ModelSettings = {}, over: ModelSettings = {}): ModelSettings {
  const defaultProvider = over.defaultProvider ?? under.defaultProvider;
  return {
    ...(defaultProvider !== undefined && { defaultProvider }),
    aliases: { ...under.aliases, ...over.aliases },
    servers: { ...under.servers, ...over.servers },
    facts: { ...under.facts, ...over.facts },
  };
}
