import { rm } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { type HistoryCost, lateStep } from '../sessions/history-steps.ts';
import type { SessionsCost } from '../sessions/measure-sessions.ts';
import type { ModelServer } from '../server/start-model-server.ts';
import type { Supervisor } from './run-supervised.ts';

export const sessionCount = 1_000;

/** What sessions at once cost by hand, and on the engine with its sessions in memory and in files. */
export interface SessionsRound {
  readonly floor: SessionsCost;
  readonly memory: SessionsCost;
  readonly files: SessionsCost;
}

export interface HistoryRound {
  readonly floor: HistoryCost;
  readonly ours: HistoryCost;
}

export interface ProgramOptions {
  readonly supervisor: Supervisor;
  readonly server: ModelServer;
  /** A folder for homes. */
  readonly folder: string;
  readonly runs: number;
}

const program = (name: string): string => fileURLToPath(new URL(`../sessions/${name}.ts`, import.meta.url));

/** A thousand sessions of one tool call, all started in the same moment in one process. */
export async function measureSessionsAtOnce(options: ProgramOptions): Promise<SessionsRound[]> {
  const { supervisor, server, folder, runs } = options;
  const env = { ANTHROPIC_BASE_URL: server.baseUrl({ calls: 1, deltas: 24 }) };
  const run = async (name: string, ...home: string[]): Promise<SessionsCost> => {
    const command = [process.execPath, '--expose-gc', program(name), String(sessionCount), ...home];
    return JSON.parse((await supervisor.run(command, env)).stdout) as SessionsCost;
  };
  const rounds: SessionsRound[] = [];
  for (let index = 0; index < runs; index += 1) {
    rounds.push({
      floor: await run('floor-sessions'),
      memory: await run('rondo-sessions'),
      files: await run('rondo-sessions', path.join(folder, `sessions-${index}`)),
    });
  }
  return rounds;
}

/** One long session: what a step costs after 100 entries, and after 1,000. */
export async function measureHistory({ supervisor, server, folder, runs }: ProgramOptions): Promise<HistoryRound[]> {
  const env = { ANTHROPIC_BASE_URL: server.baseUrl({ calls: lateStep + 1, deltas: 24 }) };
  const run = async (name: string, ...home: string[]): Promise<HistoryCost> =>
    JSON.parse((await supervisor.run([process.execPath, program(name), ...home], env)).stdout) as HistoryCost;
  const rounds: HistoryRound[] = [];
  for (let index = 0; index < runs; index += 1) {
    rounds.push({
      floor: await run('floor-history'),
      ours: await run('rondo-history', path.join(folder, `history-${index}`)),
    });
  }
  return rounds;
}

/** Milliseconds that reading a large home took. */
export interface HomeRound {
  /** The first page of many sessions: when nothing is cached yet, and from then on. */
  readonly firstList: number;
  readonly list: number;
  /** `rondo sessions list` as a whole, and a program by hand. */
  readonly command: number;
  readonly byHand: number;
  /** Opening one long session for its next turn, with its snapshot and without. */
  readonly resume: Resume;
  readonly bareResume: Resume;
}

export interface Resume {
  readonly ms: number;
  readonly peakBytes: number | undefined;
}

export interface HomeOptions extends ProgramOptions {
  readonly sessions: number;
  readonly megabytes: number;
  readonly commandPath: string;
}

/** Homes that have seen much, made once and read again and again. */
export async function measureHomes(options: HomeOptions): Promise<HomeRound[]> {
  const { supervisor, server, folder, runs, sessions, megabytes, commandPath } = options;
  const env = { ANTHROPIC_BASE_URL: server.baseUrl({ calls: 0, deltas: 24 }) };
  const run = (name: string, ...words: string[]) => supervisor.run([process.execPath, program(name), ...words], env);
  const many = path.join(folder, 'many');
  const long = path.join(folder, 'long');
  await run('make-home', many, 'sessions', String(sessions));
  const sessionId = (await run('make-home', long, 'megabytes', String(megabytes))).stdout.trim();
  const list = async (): Promise<number> => Number((await run('read-home', many, 'list')).stdout);
  const resume = async (): Promise<Resume> => {
    const { stdout, peakBytes } = await run('read-home', long, 'resume', sessionId);
    return { ms: Number(stdout), peakBytes };
  };
  const command = [process.execPath, commandPath, 'sessions', 'list', '--limit', '50'];
  const byHand = [process.execPath, fileURLToPath(new URL('../floor/list-logs.mjs', import.meta.url)), many];
  const rounds: HomeRound[] = [];
  for (let index = 0; index < runs; index += 1) {
    // The index and the snapshot are caches that may be deleted at any time.
    for (const suffix of ['', '-wal', '-shm']) await rm(path.join(many, `index.db${suffix}`), { force: true });
    await rm(path.join(long, 'sessions', sessionId, 'snapshot'), { force: true });
    const firstList = await list();
    const bareResume = await resume();
    rounds.push({
      firstList,
      list: await list(),
      byHand: (await supervisor.run(byHand, env)).wallMs,
      command: (await supervisor.run(command, { ...env, RONDO_HOME: many })).wallMs,
      bareResume,
      resume: await resume(),
    });
  }
  return rounds;
}
