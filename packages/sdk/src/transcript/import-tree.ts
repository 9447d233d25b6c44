import type { BindingRecord } from '@rondo/protocol';
import type { ImportedBatch, ImportedDraft } from '@rondo/runtime';
import { importSubagent, type SpawningCall, type SubagentTranscript } from './import-subagent.ts';
import { importTurns } from './import-turns.ts';
import type { SaidEntry } from './read-chain.ts';

/** What a subagent said that is not here yet. */
export interface NewSubagent {
  readonly subagent: SubagentTranscript;
  readonly said: readonly SaidEntry[];
  readonly isThere: boolean;
}

export interface ImportTreeOptions {
  readonly rootId: string;
  readonly binding: BindingRecord;
  /** What the session itself said. */
  readonly said: readonly SaidEntry[];
  readonly tag: string | undefined;
  /** By their IDs, those above before those below. What is imported is taken out. */
  readonly below: Map<string, NewSubagent>;
  readonly leaveOut: (what: string) => void;
}

/**
 * A session's turns, and what its subagents said, before the end of the turn that they worked for; those of which no call is known
 * before the last turn: the last event is then the session's own.
 */
export async function* treeBatches(options: ImportTreeOptions): AsyncGenerator<ImportedBatch, void> {
  const { rootId, binding, said, tag, below, leaveOut } = options;
  const calls = new Map<string, SpawningCall>();
  /** Those that were named since the last look. */
  const heard: string[] = [];
  const onSubagent = (agentId: string, call: SpawningCall): void => {
    calls.set(agentId, call);
    heard.push(agentId);
  };
  const common = { binding, leaveOut, onSubagent };

  async function* subagents(named: Iterable<string>): AsyncGenerator<ImportedBatch, void> {
    // The names may become more meanwhile: a subagent calls others.
    for (const agentId of named) {
      const above = agentId.slice(0, Math.max(agentId.lastIndexOf('.'), 0));
      if (below.has(above)) yield* subagents([above]);
      const found = below.get(agentId);
      below.delete(agentId);
      const spawnedBy = calls.get(agentId);
      if (found !== undefined) yield* importSubagent({ rootId, ...found, ...common, spawnedBy });
    }
  }

  let held: ImportedDraft[] | undefined;
  for await (const drafts of importTurns({ sessionId: rootId, said, ...common })) {
    if (held !== undefined) yield { drafts: held };
    yield* subagents(heard);
    heard.length = 0;
    held = drafts;
  }
  yield* subagents(below.keys());
  if (held === undefined) return;
  if (tag !== undefined) held.push({ type: 'session.updated', tag });
  yield { drafts: held };
}
