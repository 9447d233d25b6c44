import type { BindingRecord } from '@rondo/protocol';
import { eventHookName } from '../hook/event-place.ts';
import { policyInForce } from '../permission/live-policy.ts';
import type { Binding } from '../turn/binding.ts';

/** What the log keeps of a binding: the facts another host has to match before it may continue the work. */
export function bindingRecordOf(binding: Binding, policyHash: string): BindingRecord {
  const { mcpServers = [] } = binding;
  return {
    cwd: binding.cwd,
    model: binding.model.name,
    policyHash,
    agent: { name: binding.agent.name, fingerprint: binding.agent.fingerprint },
    hooks: [
      ...[...(binding.guardrails ?? []), ...(binding.hooks ?? [])].map((hook) => hook.name),
      ...(binding.eventHooks ?? []).map(eventHookName),
    ],
    tools: binding.tools.filter((tool) => tool.kind !== 'builtin' && tool.kind !== 'mcp').map((tool) => tool.name),
    mcpServers: mcpServers.filter(({ status }) => status !== 'disabled').map(({ name }) => name),
    ...(mcpServers.length === 0
      ? {}
      : { mcp: mcpServers.map(({ name, status, tools }) => ({ name, status, tools: [...tools] })) }),
    unattended: binding.unattended,
    permissionMode: policyInForce(binding).mode,
    ...(binding.asker === undefined ? {} : { asker: binding.asker.name }),
  };
}

/**
 * What a session needs of whoever opens it and this binding does not offer, in words; empty when it fits. Model, folder
 * and policy may change between turns.
 */
export function missingForSession(recorded: BindingRecord, offered: BindingRecord): string[] {
  const missing: string[] = [];
  if (recorded.agent.name !== offered.agent.name) {
    missing.push(`agent "${recorded.agent.name}" (this one is "${offered.agent.name}")`);
  } else if (recorded.agent.fingerprint !== offered.agent.fingerprint) {
    missing.push(`agent "${recorded.agent.name}" as it was defined then`);
  }
  missing.push(...lacking('hook', recorded.hooks, offered.hooks));
  missing.push(...lacking('tool', recorded.tools, offered.tools));
  missing.push(...lacking('MCP server', recorded.mcpServers, offered.mcpServers));
  return missing;
}

/** What continuing an unfinished turn needs beyond that: the same folder, model, asker and policy. */
export function missingForTurn(recorded: BindingRecord, offered: BindingRecord): string[] {
  const missing = missingForSession(recorded, offered);
  if (recorded.cwd !== offered.cwd) missing.push(`folder ${recorded.cwd}`);
  if (recorded.model !== offered.model) missing.push(`model ${recorded.model}`);
  if (recorded.asker !== undefined && recorded.asker !== offered.asker) missing.push(`asker "${recorded.asker}"`);
  if (recorded.policyHash !== offered.policyHash) missing.push('the policy it was started with');
  return missing;
}

/**
 * What messages that wait for a turn need of a host that nobody told to go on with them: the folder and the policy that
 * the session was started with. Its model may be the session's own, which is settled when the turn begins.
 */
export function missingForWaiting(recorded: BindingRecord, offered: BindingRecord): string[] {
  return missingForTurn({ ...recorded, model: offered.model }, offered);
}

function lacking(kind: string, recorded: readonly string[], offered: readonly string[]): string[] {
  return recorded.filter((name) => !offered.includes(name)).map((name) => `${kind} "${name}"`);
}
