import type { BindingRecord } from '@rondo/protocol';
import type { ImportedBatch, ImportedDraft } from '@rondo/runtime';
import { subagentSessionId } from './agent-id.ts';
import { importTurns } from './import-turns.ts';
import type { SaidEntry, TranscriptChain } from './read-chain.ts';

/** The transcript of a subagent, as it comes beside its session's. */
export interface SubagentTranscript {
  readonly agentId: string;
  readonly chain: TranscriptChain;
  /** What kind of agent it was, where that is known. */
  readonly agentType?: string;
}

export interface ImportSubagentOptions {
  readonly rootId: string;
  readonly subagent: SubagentTranscript;
  /** Of the session above. */
  readonly binding: BindingRecord;
  /** What of it is not here yet. */
  readonly said: readonly SaidEntry[];
  /** There is a session of it already. */
  readonly isThere: boolean;
  readonly spawnedBy: { readonly turnId: string; readonly callId: string } | undefined;
  readonly leaveOut: (what: string) => void;
}

/** A subagent's lines as a session below its root's, which has ended. Nothing where it says nothing new. */
export function importSubagent(options: ImportSubagentOptions): ImportedBatch[] {
  const { rootId, subagent, said, isThere, spawnedBy, leaveOut } = options;
  const { agentId, agentType = 'subagent' } = subagent;
  const sessionId = subagentSessionId(rootId, agentId);
  const binding: BindingRecord = { ...options.binding, agent: { ...options.binding.agent, name: agentType } };
  const turns = importTurns({ sessionId, binding, said, leaveOut });
  if (turns.length === 0) return [];
  const { at: first } = turns[0]?.[0] ?? {};
  const { at: last } = turns.at(-1)?.at(-1) ?? {};
  const begins: ImportedDraft = {
    type: 'session.created',
    binding,
    parentId: sessionId.slice(0, sessionId.lastIndexOf('.')),
    forkedFrom: { sessionId: `${rootId}.${agentId}`, cursor: `${rootId}.${agentId}:0` },
    ...(spawnedBy === undefined ? {} : { spawnedBy }),
    ...(first === undefined ? {} : { at: first }),
  };
  const ends: ImportedDraft = {
    type: 'session.updated',
    status: 'terminated',
    termination: { type: 'completed' },
    ...(last === undefined ? {} : { at: last }),
  };
  const batches = isThere ? turns : [[begins], ...turns];
  return [...batches, [ends]].map((drafts) => ({ sessionId, drafts }));
}
