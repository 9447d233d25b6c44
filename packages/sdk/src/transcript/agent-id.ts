import { hash } from 'node:crypto';
import type { AnyEvent } from '@rondo/protocol';

/** As subagents' sessions are named below their root's: eight digits for each one on the way. */
const ownId = /^[0-9a-f]{8}(\.[0-9a-f]{8}){0,7}$/;
/** As other programs name theirs. It becomes part of names in stores and of files. */
const anyId = /^[A-Za-z0-9_][A-Za-z0-9._-]{0,127}$/;
const subpath = /^subagents\/agent-(.+)$/s;

/** Whether an ID of a subagent, of whatever program, can be kept. */
export function isAgentId(value: unknown): value is string {
  return typeof value === 'string' && anyId.test(value);
}

/** The session of a subagent that a transcript names: the same whenever it is imported. */
export function subagentSessionId(rootId: string, agentId: string): string {
  const name = ownId.test(agentId) ? agentId : hash('sha256', agentId).slice(0, 8);
  return `${rootId}.${name}`;
}

/** What transcripts call a subagent: as the program did that it was imported from, or as its session is named. */
export function agentIdOf(sessionId: string, first?: AnyEvent): string {
  const [rootId = sessionId] = sessionId.split('.', 1);
  const from = first?.type === 'session.created' ? first.forkedFrom?.sessionId : undefined;
  const named = from?.startsWith(`${rootId}.`) === true ? from : sessionId;
  return named.slice(rootId.length + 1);
}

/** Where a store has a subagent's transcript. */
export function subpathOf(agentId: string): string {
  return `subagents/agent-${agentId}`;
}

/** The subagent whose transcript stands there; undefined for what is none's. */
export function agentIdOfSubpath(name: unknown): string | undefined {
  const agentId = typeof name === 'string' ? subpath.exec(name)?.[1] : undefined;
  return isAgentId(agentId) ? agentId : undefined;
}
