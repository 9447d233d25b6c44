import { type DialectRound, longDeltas, shortDeltas } from '../dialects/measure-dialects.ts';
import type { Wire } from '../dialects/wires.ts';
import { type Row, rowOfPairs } from './row.ts';
import type { Pair } from './statistics.ts';

/** What each vendor's adapter costs, with its own floor. Only the one that the budgets are about has a budget. */
export function dialectRows(measured: ReadonlyMap<Wire, readonly DialectRound[]>): Row[] {
  return [...measured].flatMap(([{ title }, rounds]) => {
    const pairs = (of: (round: DialectRound, side: 'floor' | 'ours') => number): Pair[] =>
      rounds.map((round) => ({ floor: of(round, 'floor'), ours: of(round, 'ours') }));
    const deltaCpu = (round: DialectRound, side: 'floor' | 'ours'): number =>
      ((round.long[side].cpuMs - round.short[side].cpuMs) / (longDeltas - shortDeltas)) * 1_000;
    return [
      rowOfPairs(
        `${title}: one-turn text, wall`,
        'ms',
        pairs((round, side) => round.short[side].wallMs),
      ),
      rowOfPairs(
        `${title}: one-turn text, CPU`,
        'ms',
        pairs((round, side) => round.short[side].cpuMs),
      ),
      rowOfPairs(`${title}: CPU a delta`, 'µs', pairs(deltaCpu)),
    ];
  });
}
