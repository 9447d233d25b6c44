import type { BindingRecord } from '@rondo/protocol';
import { RondoError } from '@rondo/protocol/values';
import type { ImportedBatch, Runtime } from '@rondo/runtime';
import { subagentSessionId } from './agent-id.ts';
import type { SubagentTranscript } from './import-subagent.ts';
import { type NewSubagent, treeBatches } from './import-tree.ts';
import { modelOf } from './import-turns.ts';
import type { TranscriptChain } from './read-chain.ts';
import type { LinesHere, TreeLines } from './tree-lines.ts';

export interface AddedTranscript {
  /** `made` is a new session; `added to` one that was there; `known` one that has all of it. */
  readonly outcome: 'made' | 'added to' | 'known';
  /** Of the session itself. */
  readonly lines: number;
  /** How many subagents' transcripts brought something new. */
  readonly subagents: number;
  /** What could not be taken along, by what it is. */
  readonly leftOut: Readonly<Record<string, number>>;
}

export interface AddTranscriptOptions {
  readonly runtime: Pick<Runtime, 'importSession'>;
  readonly sessionId: string;
  /** What is here of it and of its subagents, as `treeLines` gives it. */
  readonly here: TreeLines | undefined;
  readonly chain: TranscriptChain;
  readonly subagents?: readonly SubagentTranscript[];
  /** Where it was said, where its lines do not say so. */
  readonly cwd: string;
  /** Says what would be done, and does nothing. */
  readonly isDry?: boolean;
}

/**
 * Makes a session of a transcript, or adds what it has not yet to the one of that ID, and the same for its subagents. Doing it
 * again does nothing.
 * @throws RondoError `session.exists` for a session that went on otherwise, `input.invalid` for a transcript that says nothing.
 */
export async function addTranscript(options: AddTranscriptOptions): Promise<AddedTranscript> {
  const { runtime, sessionId, here, chain, subagents = [] } = options;
  const leftOut: Record<string, number> = {};
  const leaveOut = (what: string, count = 1): void => void (leftOut[what] = (leftOut[what] ?? 0) + count);
  for (const { leftOut: ofChain } of [chain, ...subagents.map((subagent) => subagent.chain)])
    for (const [what, count] of Object.entries(ofChain)) leaveOut(what, count);
  const known = here?.get(sessionId);
  const said = known === undefined ? chain.said : unknownOf(known, chain.said);
  if (said === undefined) {
    throw new RondoError(
      'session.exists',
      `session ${sessionId} is there already, and has gone on otherwise than the transcript: fork or delete it first`,
      { details: { sessionId } },
    );
  }
  if (known === undefined && said.length === 0) throw saysNothing(sessionId, subagents.length);
  const cwd = chain.said.find((entry) => entry.cwd !== undefined)?.cwd ?? options.cwd;
  const model = chain.said.findLast(({ message }) => modelOf(message) !== '')?.message ?? {};
  const binding = bindingOf(cwd, modelOf(model));
  const below = new Map<string, NewSubagent>();
  for (const subagent of parentsFirst(subagents)) {
    const there = here?.get(subagentSessionId(sessionId, subagent.agentId));
    const fresh = there === undefined ? subagent.chain.said : unknownOf(there, subagent.chain.said);
    if (fresh === undefined) leaveOut('subagents that have gone on otherwise here');
    else if (fresh.length > 0) below.set(subagent.agentId, { subagent, said: fresh, isThere: there !== undefined });
  }
  const count = below.size;
  const batches = treeBatches({
    rootId: sessionId,
    binding,
    said,
    tag: known === undefined ? chain.tag : undefined,
    below,
    leaveOut,
  });
  const first = await batches.next();
  if (first.done === true) {
    if (known === undefined) throw saysNothing(sessionId, subagents.length);
    return { outcome: 'known', lines: 0, subagents: 0, leftOut };
  }
  const outcome = known === undefined ? 'made' : 'added to';
  const added = { outcome, lines: said.length, subagents: count, leftOut } as const;
  if (options.isDry === true) {
    for await (const batch of batches) void batch;
    return added;
  }
  const at = said[0]?.timestamp;
  const created = {
    binding,
    from: sessionId,
    ...(at === undefined || Number.isNaN(Date.parse(at)) ? {} : { at: new Date(at).toISOString() }),
    ...(chain.title === undefined ? {} : { title: chain.title }),
  };
  const all = startingWith(first.value, batches);
  await runtime.importSession({ sessionId, batches: all, ...(known === undefined ? { created } : {}) });
  return added;
}

function saysNothing(sessionId: string, subagents: number): RondoError {
  const way = subagents === 0 ? '' : ' itself: what its subagents said is added to it once it is there';
  return new RondoError('input.invalid', `the transcript of session ${sessionId} says nothing${way}`, {
    details: { sessionId },
  });
}

async function* startingWith(
  first: ImportedBatch,
  rest: AsyncIterable<ImportedBatch>,
): AsyncGenerator<ImportedBatch, void> {
  yield first;
  yield* rest;
}

function parentsFirst(subagents: readonly SubagentTranscript[]): readonly SubagentTranscript[] {
  const depth = ({ agentId }: SubagentTranscript): number => subagentSessionId('', agentId).split('.').length;
  return subagents.toSorted((one, other) => depth(one) - depth(other));
}

/** What any `query()` goes on with: with this model, where it names none and there is one. */
function bindingOf(cwd: string, model: string): BindingRecord {
  return {
    cwd,
    model,
    policyHash: '',
    agent: { name: 'rondo', fingerprint: 'query/v0' },
    hooks: [],
    tools: [],
    mcpServers: [],
    unattended: 'deny',
    permissionMode: 'default',
  };
}

/**
 * What of a transcript the session has not: nothing where all was said in it, on whichever branch; what comes behind the end
 * of its branch. Undefined where both went on otherwise.
 */
function unknownOf({ branch, all }: LinesHere, said: TranscriptChain['said']): TranscriptChain['said'] | undefined {
  if (said.every(({ uuid }) => all.has(uuid))) return [];
  const end = branch.at(-1);
  if (end === undefined) return said;
  const place = said.findIndex(({ uuid }) => uuid === end);
  return place < 0 ? undefined : said.slice(place + 1);
}
