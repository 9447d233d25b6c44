import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Sample, sample } from '../measure/measure-commands.ts';
import type { Supervisor } from '../measure/run-supervised.ts';
import { loopCalls, streamDeltas } from '../scenario/command-scenarios.ts';
import type { Conversation } from '../server/reply-bytes.ts';
import type { ModelServer } from '../server/start-model-server.ts';
import type { SessionsCost } from '../sessions/measure-sessions.ts';

/** By hand, by `query()`, and by the `ai` package: the same conversations with the same server. */
export interface OfEach<Figure> {
  readonly floor: Figure;
  readonly query: Figure;
  readonly ai: Figure;
}

export type QueryConversation = 'text' | 'loop' | 'stream';
export type QueryRound = Readonly<Record<QueryConversation, OfEach<Sample>>>;

/** Queries of one tool call in one process, all begun in the same moment. */
export interface QueriesAtOnce {
  readonly few: OfEach<SessionsCost>;
  readonly many: OfEach<SessionsCost> & { readonly files: SessionsCost };
}

export interface MeasureQueriesOptions {
  readonly supervisor: Supervisor;
  readonly server: ModelServer;
  readonly warmUps: number;
  readonly runs: number;
  readonly onRound: (done: number) => void;
}

export const fewQueries = 10;

const conversations: Readonly<Record<QueryConversation, Conversation>> = {
  text: { calls: 0, deltas: 24 },
  loop: { calls: loopCalls, deltas: 24 },
  stream: { calls: 0, deltas: streamDeltas },
};

const prompt = 'What do the notes say?';
const program = (name: string): string => fileURLToPath(new URL(name, import.meta.url));
const once = {
  floor: [process.execPath, program('../floor/converse.mjs'), prompt],
  query: [process.execPath, program('query-once.mjs'), prompt],
  ai: [process.execPath, program('ai-once.mjs'), prompt],
};

/** Rounds in which each of the three has each conversation once, in turn. */
export async function measureQueries(options: MeasureQueriesOptions): Promise<QueryRound[]> {
  const { supervisor, server, warmUps, runs, onRound } = options;
  const rounds: QueryRound[] = [];
  const converse = async (name: QueryConversation): Promise<OfEach<Sample>> => {
    const run = (words: readonly string[]): Promise<Sample> =>
      sample({ name, conversation: conversations[name] }, words, supervisor, server);
    return { floor: await run(once.floor), query: await run(once.query), ai: await run(once.ai) };
  };
  for (let index = -warmUps; index < runs; index += 1) {
    const round = { text: await converse('text'), loop: await converse('loop'), stream: await converse('stream') };
    if (index >= 0) rounds.push(round);
    onRound(index + 1);
  }
  return rounds;
}

export interface QueriesAtOnceOptions {
  readonly supervisor: Supervisor;
  readonly server: ModelServer;
  /** A folder for homes. */
  readonly folder: string;
  readonly runs: number;
  readonly many: number;
}

export async function measureQueriesAtOnce(options: QueriesAtOnceOptions): Promise<QueriesAtOnce[]> {
  const { supervisor, server, folder, runs, many } = options;
  const env = { ANTHROPIC_BASE_URL: server.baseUrl({ calls: 1, deltas: 24 }) };
  const run = async (name: string, count: number, ...words: string[]): Promise<SessionsCost> => {
    const command = [process.execPath, '--expose-gc', program(name), String(count), ...words];
    return JSON.parse((await supervisor.run(command, env)).stdout) as SessionsCost;
  };
  const ofEach = async (count: number): Promise<OfEach<SessionsCost>> => ({
    floor: await run('../sessions/floor-sessions.ts', count),
    query: await run('many-queries.ts', count),
    ai: await run('many-by-ai.ts', count),
  });
  const rounds: QueriesAtOnce[] = [];
  for (let index = 0; index < runs; index += 1) {
    const files = await run('many-queries.ts', many, path.join(folder, `queries-${index}`));
    rounds.push({ few: await ofEach(fewQueries), many: { ...(await ofEach(many)), files } });
  }
  return rounds;
}
