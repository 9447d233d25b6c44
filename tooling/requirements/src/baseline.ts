import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import type { Shown } from './check-tests.ts';
import { transports } from './manifest.ts';

type Baseline = Record<string, readonly string[]>;

export const readBaseline = (path: string): Baseline =>
  existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as Baseline) : {};

/** Writes one line a row, in the order of the IDs, so that a difference reads as rows that came and went. */
export function writeBaseline(path: string, shown: Shown): void {
  const lines = [...shown]
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .map(
      ([id, wires]) =>
        `  ${JSON.stringify(id)}: [${transports
          .filter((wire) => wires.has(wire))
          .map((wire) => JSON.stringify(wire))
          .join(', ')}]`,
    );
  writeFileSync(path, `{\n${lines.join(',\n')}\n}\n`);
}

/** What was shown when the baseline was taken and is not any more. */
export function lostSince(baseline: Baseline, shown: Shown): string[] {
  return Object.entries(baseline).flatMap(([id, before]) => {
    const now = shown.get(id);
    if (now === undefined) return [`${id} is shown by no test any more`];
    const wires = before.filter((wire) => ![...now].some((other) => other === wire));
    return wires.map((wire) => `${id} is not shown over ${wire} any more`);
  });
}

/** How many rows, and wires of rows, tests show that the baseline does not hold yet. */
export function gainedSince(baseline: Baseline, shown: Shown): number {
  let gained = 0;
  for (const [id, wires] of shown) {
    const before = baseline[id];
    if (before === undefined) gained += 1;
    gained += [...wires].filter((wire) => before !== undefined && !before.includes(wire)).length;
  }
  return gained;
}
