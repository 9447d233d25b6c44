import path from 'node:path';
import type { Arrivals, ClientAnswers } from './client-program.ts';
import type { HostAnswers, HostMemory } from './host-program.ts';
import type { LiveModelAnswers } from './live-model.ts';
import { startProgram } from './program.ts';
import { measureSync, type SyncCost } from './measure-sync.ts';

/** A host and its clients: whose they are, and over how many connections their sessions come. */
export interface HostCase {
  readonly host: 'floor' | 'rondo';
  readonly store: 'memory' | 'files';
  readonly connections: number;
}

/** What a host of many sessions cost. */
export interface HostCost {
  /** What each session holds with its turn in flight. */
  readonly session: HostMemory;
  /** Milliseconds of CPU time of the host in the burst. */
  readonly burstCpuMs: number;
  readonly burst: Arrivals;
  /** What came at a model's pace. */
  readonly paced: Arrivals;
}

export interface HostRound {
  readonly sync: SyncCost;
  readonly floor: readonly HostCost[];
  readonly memory: readonly HostCost[];
  readonly files: readonly HostCost[];
}

export interface MeasureHostOptions {
  /** For homes, on the disk that counts. */
  readonly folder: string;
  readonly sessions: number;
  readonly runs: number;
  readonly onRound: (done: number) => void;
}

/** One session a connection, and all sessions over one. */
export const connectionsOf = (sessions: number): readonly number[] => [sessions, 1];

/** Sessions of a host, each with a turn in flight, over WebSocket. Host, clients and model are processes of their own. */
export async function measureHost({ folder, sessions, runs, onRound }: MeasureHostOptions): Promise<HostRound[]> {
  const rounds: HostRound[] = [];
  let homes = 0;
  async function measureAll(host: HostCase['host'], store: HostCase['store']): Promise<HostCost[]> {
    const costs: HostCost[] = [];
    for (const connections of connectionsOf(sessions)) {
      homes += 1;
      const home = store === 'files' ? [path.join(folder, `host-${homes}`)] : [];
      costs.push(await measureCase({ host, store, connections }, sessions, home));
    }
    return costs;
  }
  for (let round = 0; round < runs; round += 1) {
    rounds.push({
      sync: await measureSync(folder),
      floor: await measureAll('floor', 'memory'),
      memory: await measureAll('rondo', 'memory'),
      files: await measureAll('rondo', 'files'),
    });
    onRound(round + 1);
  }
  return rounds;
}

async function measureCase(
  { host: kind, connections }: HostCase,
  sessions: number,
  home: readonly string[],
): Promise<HostCost> {
  using model = startProgram<LiveModelAnswers>('live-model', []);
  using host = startProgram<HostAnswers>('host-program', [kind, await model.ask('url'), ...home]);
  const args = [kind, await host.ask('url'), String(sessions), String(connections)];
  using clients = startProgram<ClientAnswers>('client-program', args);

  await clients.ask('warm');
  const before = await host.ask('memory');
  await model.ask('hold');
  await clients.ask('start');
  const inFlight = await host.ask('memory');

  const cpuBefore = await host.ask('cpu');
  const bursting = clients.ask('burst');
  await model.ask('burst');
  const burst = await bursting;
  const burstCpuMs = (await host.ask('cpu')) - cpuBefore;

  await model.ask('pace');
  const paced = await clients.ask('end');
  return { session: perSession(before, inFlight, sessions), burstCpuMs, burst, paced };
}

function perSession(before: HostMemory, now: HostMemory, sessions: number): HostMemory {
  return {
    heapBytes: (now.heapBytes - before.heapBytes) / sessions,
    residentBytes: (now.residentBytes - before.residentBytes) / sessions,
    descriptors:
      now.descriptors === undefined || before.descriptors === undefined
        ? undefined
        : (now.descriptors - before.descriptors) / sessions,
  };
}
