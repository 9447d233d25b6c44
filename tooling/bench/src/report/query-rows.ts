import type { Sample } from '../measure/measure-commands.ts';
import {
  fewQueries,
  type OfEach,
  type QueriesAtOnce,
  type QueryConversation,
  type QueryRound,
} from '../query/measure-queries.ts';
import { loopCalls, streamDeltas } from '../scenario/command-scenarios.ts';
import type { SessionsCost } from '../sessions/measure-sessions.ts';
import { type Budget, type Row, rowOfPairs, type Unit } from './row.ts';
import type { Pair } from './statistics.ts';

const ratio = (atMost: number): Budget => ({ of: 'ratio', atMost });
const figure = (atMost: number): Budget => ({ of: 'figure', atMost });

/** What `query()` costs in a process of its own, and what the `ai` package does. Only ours has budgets. */
export function queryRows(rounds: readonly QueryRound[]): Row[] {
  const rows = (
    name: string,
    unit: Unit,
    of: (round: QueryRound, side: keyof OfEach<Sample>) => number | undefined,
    budget?: Budget,
  ): Row[] =>
    (['query', 'ai'] as const).flatMap((side) => {
      const pairs = rounds.flatMap((round): Pair[] => {
        const [floor, ours] = [of(round, 'floor'), of(round, side)];
        return floor === undefined || ours === undefined ? [] : [{ floor, ours }];
      });
      if (pairs.length === 0) return [];
      return [rowOfPairs(`${titles[side]}, ${name}`, unit, pairs, side === 'query' ? budget : undefined)];
    });
  const wall = (name: QueryConversation) => (round: QueryRound, side: keyof OfEach<Sample>) => round[name][side].wallMs;
  const megabytes = (name: QueryConversation) => (round: QueryRound, side: keyof OfEach<Sample>) => {
    const { peakBytes } = round[name][side];
    return peakBytes === undefined ? undefined : peakBytes / 1_048_576;
  };
  return [
    ...rows('start to first model request', 'ms', (round, side) => round.text[side].firstRequestMs),
    ...rows('one-turn text: wall', 'ms', wall('text')),
    ...rows('20-step loop: wall', 'ms', wall('loop'), ratio(1.6)),
    ...rows(
      '20-step loop: CPU a step',
      'ms',
      (round, side) => (round.loop[side].cpuMs - round.text[side].cpuMs) / loopCalls,
      ratio(1.2),
    ),
    ...rows('20,000 deltas: wall', 'ms', wall('stream')),
    ...rows(
      '20,000 deltas: CPU a delta',
      'µs',
      (round, side) => ((round.stream[side].cpuMs - round.text[side].cpuMs) / streamDeltas) * 1_000,
      ratio(1.2),
    ),
    ...rows('one-turn text: peak memory', 'MB', megabytes('text'), figure(90)),
    ...rows('20-step loop: peak memory', 'MB', megabytes('loop'), figure(110)),
  ];
}

const titles = { query: '`query()`', ai: '`ai` package' } as const;

/** What many at once cost the one process that runs them. */
export function queriesAtOnceRows(rounds: readonly QueriesAtOnce[], many: number): Row[] {
  const pairs = (
    of: (round: QueriesAtOnce) => { readonly floor: SessionsCost; readonly ours: SessionsCost },
    cost: keyof SessionsCost,
    scale = 1,
  ): Pair[] =>
    rounds.map((round) => {
      const { floor, ours } = of(round);
      return { floor: floor[cost] / scale, ours: ours[cost] / scale };
    });
  const few =
    (side: 'query' | 'ai') =>
    ({ few: { floor, [side]: ours } }: QueriesAtOnce) => ({ floor, ours });
  const all =
    (side: 'query' | 'ai' | 'files') =>
    ({ many: { floor, [side]: ours } }: QueriesAtOnce) => ({ floor, ours });
  const count = many.toLocaleString('en');
  return [
    rowOfPairs(`${fewQueries} of \`query()\` at once: wall`, 'ms', pairs(few('query'), 'wallMs')),
    rowOfPairs(`${fewQueries} of the \`ai\` package at once: wall`, 'ms', pairs(few('ai'), 'wallMs')),
    rowOfPairs(`${count} of \`query()\` at once, in memory: wall`, 'ms', pairs(all('query'), 'wallMs'), ratio(2)),
    rowOfPairs(`${count} of \`query()\` at once, in files: wall`, 'ms', pairs(all('files'), 'wallMs'), ratio(2)),
    rowOfPairs(`${count} of the \`ai\` package at once: wall`, 'ms', pairs(all('ai'), 'wallMs')),
    rowOfPairs(
      `${count} of \`query()\` at once: heap a query`,
      'KB',
      pairs(all('query'), 'heapBytes', 1_024),
      figure(50),
    ),
    rowOfPairs(`${count} of the \`ai\` package at once: heap a query`, 'KB', pairs(all('ai'), 'heapBytes', 1_024)),
  ];
}
