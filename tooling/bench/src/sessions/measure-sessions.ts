import { memoryWithoutGarbage } from './memory-without-garbage.ts';

/** What many sessions at once cost the one process that runs them. */
export interface SessionsCost {
  readonly wallMs: number;
  readonly cpuMs: number;
  /** Heap that each session keeps while its handle is kept, with no garbage. */
  readonly heapBytes: number;
}

export interface SessionsOptions {
  readonly count: number;
  /** Runs one session of one tool call to its end; what it gives is kept alive, as a server keeps its sessions. */
  readonly runSession: (index: number) => Promise<unknown>;
}

const warmUps = 50;

/** Starts all sessions in the same moment, and prints what they cost. Needs `--expose-gc`. */
export async function measureSessions({ count, runSession }: SessionsOptions): Promise<void> {
  const runAll = (from: number, many: number): Promise<unknown[]> =>
    Promise.all(Array.from({ length: many }, (_, index) => runSession(from + index)));

  const warm = await runAll(0, warmUps);
  const before = (await memoryWithoutGarbage()).heapUsed;
  const cpu = process.cpuUsage();
  const startedAt = process.hrtime.bigint();
  const kept = await runAll(warm.length, count);
  const wallMs = Number(process.hrtime.bigint() - startedAt) / 1e6;
  const { user, system } = process.cpuUsage(cpu);
  const heapBytes = ((await memoryWithoutGarbage()).heapUsed - before) / kept.length;
  const cost: SessionsCost = { wallMs, cpuMs: (user + system) / 1_000, heapBytes };
  process.stdout.write(`${JSON.stringify(cost)}\n`);
}
