import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { ProcessCost, Supervisor } from '../measure/run-supervised.ts';
import { lastWord } from '../server/reply-bytes.ts';
import { type Wire, wires } from './wires.ts';

/** Pieces of an ordinary short answer, and of one that is long enough for a piece's cost to show. */
export const shortDeltas = 24;
export const longDeltas = 10_000;

/** The same answers by hand and through the command. */
export type DialectRound = Readonly<
  Record<'short' | 'long', { readonly floor: ProcessCost; readonly ours: ProcessCost }>
>;

export interface MeasureDialectsOptions {
  readonly commandPath: string;
  readonly supervisor: Supervisor;
  readonly warmUps: number;
  readonly runs: number;
  readonly onRound: (done: number) => void;
}

/** The cost of each wire's adapter: a short answer and a long one, floor and command in turn. */
export async function measureDialects(options: MeasureDialectsOptions): Promise<ReadonlyMap<Wire, DialectRound[]>> {
  const { supervisor, commandPath, warmUps, runs, onRound } = options;
  const server = fork(fileURLToPath(new URL('wire-server.ts', import.meta.url)), [`${shortDeltas}`, `${longDeltas}`]);
  try {
    const [urls] = (await once(server, 'message')) as [Readonly<Record<'short' | 'long', string>>];
    const program = fileURLToPath(new URL('../floor/converse-wire.mjs', import.meta.url));
    const measure = async (wire: Wire, length: 'short' | 'long') => {
      const floor = [process.execPath, program, wire.name, 'What do the notes say?'];
      const ours = [process.execPath, commandPath, '-p', 'What do the notes say?', '--model', wire.model];
      return {
        floor: answered(await supervisor.run(floor, { BENCH_URL: urls[length] })),
        ours: answered(await supervisor.run(ours, wire.env(urls[length]))),
      };
    };
    const rounds = new Map(wires.map((wire): [Wire, DialectRound[]] => [wire, []]));
    for (let index = -warmUps; index < runs; index += 1) {
      for (const [wire, measured] of rounds) {
        const round = { short: await measure(wire, 'short'), long: await measure(wire, 'long') };
        if (index >= 0) measured.push(round);
      }
      if (index >= 0) onRound(index + 1);
    }
    return rounds;
  } finally {
    server.disconnect();
  }
}

/** A measurement of a wrong answer would be worth nothing. */
function answered(cost: ProcessCost): ProcessCost {
  if (!cost.stdout.trimEnd().endsWith(lastWord)) throw new Error(`a program answered ${cost.stdout.slice(-200)}`);
  return cost;
}
