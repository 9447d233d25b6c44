import { connectionsOf, type HostCost, type HostRound } from '../host/measure-host.ts';
import { type Budget, type Row, rowOfPairs, type Unit } from './row.ts';
import { median, quantile } from './statistics.ts';

const kilobyte = 1_024;
const stores = ['memory', 'files'] as const;

/** The rows of a host of so many sessions: over a connection each and over one, with its sessions in memory and in files. */
export function hostRows(rounds: readonly HostRound[], sessions: number): Row[] {
  return [
    { name: 'host: fsync of 4 KB, median', unit: 'ms', ours: median(rounds.map(({ sync }) => sync.median)) },
    { name: 'host: fsync of 4 KB, p99', unit: 'ms', ours: median(rounds.map(({ sync }) => sync.p99)) },
    ...connectionsOf(sessions).flatMap((connections, index) =>
      stores.flatMap((store) => {
        const over = connections === 1 ? '1 connection' : `${connections.toLocaleString('en')} connections`;
        const name = `host of ${sessions.toLocaleString('en')} turns over ${over}, in ${store}`;
        return costRows(name, rounds, (round, host) => (host === 'floor' ? round.floor : round[store])[index]);
      }),
    ),
  ];
}

type CostOf = (round: HostRound, host: 'floor' | 'ours') => HostCost | undefined;

function costRows(name: string, rounds: readonly HostRound[], costOf: CostOf): Row[] {
  const pairs = rounds.flatMap((round) => {
    const floor = costOf(round, 'floor');
    const ours = costOf(round, 'ours');
    return floor === undefined || ours === undefined ? [] : [{ floor, ours }];
  });
  const row = (what: string, unit: Unit, figure: (cost: HostCost) => number, budget?: Budget): Row =>
    rowOfPairs(
      `${name}: ${what}`,
      unit,
      pairs.map(({ floor, ours }) => ({ floor: figure(floor), ours: figure(ours) })),
      budget,
    );
  // Without a ratio: what comes in the millisecond in which it was stamped took none.
  const late = (what: string, figure: (cost: HostCost) => number): Row => ({
    name: `${name}: ${what}`,
    unit: 'ms',
    floor: median(pairs.map(({ floor }) => figure(floor))),
    ours: median(pairs.map(({ ours }) => figure(ours))),
  });
  const beyond = pairs.map(({ floor, ours }) => (ours.session.residentBytes - floor.session.residentBytes) / kilobyte);
  return [
    row('heap a session', 'KB', ({ session }) => session.heapBytes / kilobyte, { of: 'figure', atMost: 100 }),
    row('resident memory a session', 'KB', ({ session }) => session.residentBytes / kilobyte),
    {
      name: `${name}: resident memory a session beyond the floor's`,
      unit: 'KB',
      ours: median(beyond),
      budget: { of: 'figure', atMost: 100 },
    },
    row('events delivered in a burst', '/s', ({ burst }) => (burst.events / burst.wallMs) * 1_000),
    row('CPU of the host a delta in a burst', 'µs', ({ burstCpuMs, burst }) => (burstCpuMs / burst.pieces) * 1_000),
    late('append to client, median', ({ paced }) => quantile(paced.eventDelays, 0.5)),
    late('append to client, p99', ({ paced }) => quantile(paced.eventDelays, 0.99)),
    late('delta from model to client, median', ({ paced }) => quantile(paced.pieceDelays, 0.5)),
    late('delta from model to client, p99', ({ paced }) => quantile(paced.pieceDelays, 0.99)),
  ];
}
