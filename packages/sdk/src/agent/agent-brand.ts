import type { AgentOptions } from './agent-options.ts';

/** What an agent is made of, for hosts that serve it. Registered, so that two copies of this package know each other's agents. */
export const agentDefinition: unique symbol = Symbol.for('@rondo/sdk/agent-definition@1');

/** The definition behind an `Agent`, of this copy of the package or another; undefined for anything else. */
export function definitionOf(value: unknown): AgentOptions | undefined {
  if (typeof value !== 'object' || value === null || !(agentDefinition in value)) return undefined;
  return value[agentDefinition] as AgentOptions;
}
