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
  readonly spawnedBy: SpawningCall | undefined;
  readonly leaveOut: (what: string) => void;
  readonly onSubagent: (agentId: string, call: SpawningCall) => void;
}

/** The call that a subagent worked for. */
export interface SpawningCall {
  readonly turnId: string;
  readonly callId: string;
}

/** A subagent's lines as a session below its root's, which has ended. Nothing where it says nothing new. */
export async function* importSubagent(options: ImportSubagentOptions): AsyncGenerator<ImportedBatch, void> {
  const { rootId, subagent, said, spawnedBy, leaveOut, onSubagent } = options;
  const { agentId, agentType = 'subagent' } = subagent;
  const sessionId = subagentSessionId(rootId, agentId);
  const binding: BindingRecord = { ...options.binding, agent: { ...options.binding.agent, name: agentType } };
  const begins: ImportedDraft = {
    type: 'session.created',
    binding,
    parentId: sessionId.slice(0, sessionId.lastIndexOf('.')),
    forkedFrom: { sessionId: `${rootId}.${agentId}`, cursor: `${rootId}.${agentId}:0` },
    ...(spawnedBy === undefined ? {} : { spawnedBy }),
  };
  const ends: ImportedDraft = { type: 'session.updated', status: 'terminated', termination: { type: 'completed' } };
  /** The beginning and the end are stored with turns, so that none is without. */
  let held: ImportedDraft[] | undefined;
  for await (const drafts of importTurns({ sessionId, binding, said, leaveOut, onSubagent })) {
    if (held !== undefined) yield { sessionId, drafts: held };
    else if (!options.isThere) drafts.unshift({ ...begins, ...timeOf(drafts[0]) });
    held = drafts;
  }
  if (held !== undefined) yield { sessionId, drafts: [...held, { ...ends, ...timeOf(held.at(-1)) }] };
}

function timeOf(draft: ImportedDraft | undefined): { readonly at?: string } {
  return draft?.at === undefined ? {} : { at: draft.at };
}
