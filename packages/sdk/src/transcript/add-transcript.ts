import type { BindingRecord } from '@rondo/protocol';
import { isRondoError, RondoError } from '@rondo/protocol/values';
import type { Runtime } from '@rondo/runtime';
import type { Client } from '@rondo/client';
import { createProjection } from '../message/project-message.ts';
import { foldHistory } from '../run/fold-history.ts';
import { createBranchedLines } from '../sessions/branched-lines.ts';
import { sessionMessages } from '../sessions/get-session-messages.ts';
import { importTurns, modelOf } from './import-turns.ts';
import type { TranscriptChain } from './read-chain.ts';

export interface AddedTranscript {
  /** `made` is a new session; `added to` one that was there; `known` one that has all of it. */
  readonly outcome: 'made' | 'added to' | 'known';
  readonly lines: number;
  /** What could not be taken along, by what it is. */
  readonly leftOut: Readonly<Record<string, number>>;
}

export interface AddTranscriptOptions {
  readonly client: Client;
  readonly runtime: Pick<Runtime, 'importSession'>;
  readonly sessionId: string;
  readonly chain: TranscriptChain;
  /** Where it was said, where its lines do not say so. */
  readonly cwd: string;
  /** Says what would be done, and does nothing. */
  readonly isDry?: boolean;
}

/**
 * Makes a session of a transcript, or adds what it has not yet to the one of that ID. Doing it again does nothing.
 * @throws RondoError `session.exists` for a session that went on otherwise, `input.invalid` for a transcript that says nothing.
 */
export async function addTranscript(options: AddTranscriptOptions): Promise<AddedTranscript> {
  const { client, runtime, sessionId, chain } = options;
  const leftOut: Record<string, number> = { ...chain.leftOut };
  const known = await linesOf(client, sessionId);
  const said = known === undefined ? chain.said : behind(known, chain.said);
  if (said === undefined) {
    throw new RondoError(
      'session.exists',
      `session ${sessionId} is there already, and has gone on otherwise than the transcript: fork or delete it first`,
      { details: { sessionId } },
    );
  }
  const cwd = chain.said.find((entry) => entry.cwd !== undefined)?.cwd ?? options.cwd;
  const model = chain.said.findLast(({ message }) => modelOf(message) !== '')?.message ?? {};
  const binding = bindingOf(cwd, modelOf(model));
  const leaveOut = (what: string): void => void (leftOut[what] = (leftOut[what] ?? 0) + 1);
  const batches = importTurns({ sessionId, binding, said, leaveOut });
  const lines = said.length;
  if (known !== undefined && batches.length === 0) return { outcome: 'known', lines: 0, leftOut };
  if (batches.length === 0)
    throw new RondoError('input.invalid', `the transcript of session ${sessionId} says nothing`);
  const outcome = known === undefined ? 'made' : 'added to';
  if (options.isDry === true) return { outcome, lines, leftOut };
  const at = said[0]?.timestamp;
  if (known === undefined && chain.tag !== undefined) batches.at(-1)?.push({ type: 'session.updated', tag: chain.tag });
  const created = {
    binding,
    from: sessionId,
    ...(at === undefined || Number.isNaN(Date.parse(at)) ? {} : { at: new Date(at).toISOString() }),
    ...(chain.title === undefined ? {} : { title: chain.title }),
  };
  await runtime.importSession({ sessionId, batches, ...(known === undefined ? { created } : {}) });
  return { outcome, lines, leftOut };
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

/** The UUIDs of a session's newest branch; undefined where there is no such session. */
async function linesOf(client: Client, sessionId: string): Promise<readonly string[] | undefined> {
  try {
    await client.session(sessionId).read();
  } catch (error) {
    if (isRondoError(error, 'session.not_found')) return undefined;
    throw error;
  }
  const projection = createProjection({ sessionId, replayUserMessages: true });
  const branched = createBranchedLines<{ readonly uuid: string }>();
  await foldHistory({ client, sessionId }, projection, (lines, event) => branched.add(event, sessionMessages(lines)));
  return branched.lines().map(({ uuid }) => uuid);
}

/** What of a transcript comes behind what is known. Undefined where that is no beginning of it. */
function behind(known: readonly string[], said: TranscriptChain['said']): TranscriptChain['said'] | undefined {
  const uuids = new Set(said.map(({ uuid }) => uuid));
  const last = known.findLastIndex((uuid) => uuids.has(uuid));
  if (last < 0) return known.length === 0 ? said : undefined;
  const next = said.slice(said.findIndex(({ uuid }) => uuid === known[last]) + 1);
  // Where both go on, they go on otherwise.
  return next.length > 0 && last < known.length - 1 ? undefined : next;
}
