import { isRondoError } from '@rondo/protocol/values';
import type { Runtime } from '@rondo/runtime';
import { type BranchedLines, createBranchedLines } from '../sessions/branched-lines.ts';
import { createTranscriptProjection, type TranscriptProjection } from './project-transcript.ts';

/** UUIDs of a session's lines: of its newest branch, and of all that it ever said. */
export interface LinesHere {
  readonly branch: readonly string[];
  readonly all: ReadonlySet<string>;
}

/** Of a session, and of each one below it, by its ID. */
export type TreeLines = ReadonlyMap<string, LinesHere>;

interface Gathered {
  readonly projection: TranscriptProjection;
  readonly branched: BranchedLines<{ readonly uuid: string }>;
  readonly all: Set<string>;
}

/** What is here of a session, in one way through its log. Undefined where there is no such session. */
export async function treeLines(runtime: Pick<Runtime, 'readTree'>, sessionId: string): Promise<TreeLines | undefined> {
  const sessions = new Map<string, Gathered>();
  try {
    for await (const event of runtime.readTree(sessionId)) {
      let gathered = sessions.get(event.sessionId);
      if (gathered === undefined) {
        const projection = createTranscriptProjection(event.sessionId);
        gathered = { projection, branched: createBranchedLines(), all: new Set() };
        sessions.set(event.sessionId, gathered);
      }
      // Of a long session, what it says need not be in memory.
      const lines = gathered.projection
        .push(event)
        .flatMap(({ type, uuid }) => (type === 'user' || type === 'assistant' ? [{ uuid }] : []));
      gathered.branched.add(event, lines);
      for (const { uuid } of lines) gathered.all.add(uuid);
    }
  } catch (error) {
    if (isRondoError(error, 'session.not_found')) return undefined;
    throw error;
  }
  return new Map(
    [...sessions].map(([id, { branched, all }]) => [id, { branch: branched.lines().map(({ uuid }) => uuid), all }]),
  );
}
