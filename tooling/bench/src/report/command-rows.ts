import { pairsOf, type Round } from '../measure/measure-commands.ts';
import { loopCalls, streamDeltas } from '../scenario/command-scenarios.ts';
import { type Row, rowOfPairs } from './row.ts';

const megabyte = 1_048_576;
const ratio = (atMost: number) => ({ of: 'ratio', atMost }) as const;
const figure = (atMost: number) => ({ of: 'figure', atMost }) as const;

/** The rows that are measured on whole processes, with the budgets of `docs/architecture.md`. */
export function commandRows(rounds: readonly Round[]): Row[] {
  const first = pairsOf(rounds, (round, side) => round.text[side].firstRequestMs);
  const step = pairsOf(rounds, (round, side) => (round.loop[side].cpuMs - round.text[side].cpuMs) / loopCalls);
  const delta = pairsOf(
    rounds,
    (round, side) => ((round.stream[side].cpuMs - round.text[side].cpuMs) / streamDeltas) * 1_000,
  );
  const memory = (name: 'text' | 'loop' | 'stream') =>
    pairsOf(rounds, (round, side) => {
      const bytes = round[name][side].peakBytes;
      return bytes === undefined ? undefined : bytes / megabyte;
    });
  const peaks = [
    { name: 'one-turn text: peak memory', pairs: memory('text'), budget: figure(90) },
    { name: '20-step loop: peak memory', pairs: memory('loop'), budget: figure(110) },
    { name: '20,000 deltas: peak memory', pairs: memory('stream'), budget: undefined },
  ];
  return [
    rowOfPairs('`--version`, against an empty Node: wall', 'ms', wall(rounds, 'version')),
    rowOfPairs('start to first model request', 'ms', first, ratio(1.5)),
    rowOfPairs('one-turn text: wall', 'ms', wall(rounds, 'text'), ratio(1.5)),
    rowOfPairs('one-turn text: CPU', 'ms', cpu(rounds, 'text')),
    rowOfPairs('20-step loop: wall', 'ms', wall(rounds, 'loop'), ratio(1.6)),
    rowOfPairs('20-step loop: CPU a step', 'ms', step, ratio(1.2)),
    rowOfPairs('20,000 deltas: wall', 'ms', wall(rounds, 'stream')),
    rowOfPairs('20,000 deltas: CPU a delta', 'µs', delta, ratio(1.2)),
    // Without `/proc` there is no row rather than a wrong one.
    ...peaks.flatMap(({ name, pairs, budget }) => (pairs.length === 0 ? [] : [rowOfPairs(name, 'MB', pairs, budget)])),
  ];
}

function wall(rounds: readonly Round[], name: keyof Round) {
  return pairsOf(rounds, (round, side) => round[name][side].wallMs);
}

function cpu(rounds: readonly Round[], name: keyof Round) {
  return pairsOf(rounds, (round, side) => round[name][side].cpuMs);
}
