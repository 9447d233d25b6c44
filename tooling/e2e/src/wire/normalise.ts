import type { Outcome } from './scenario.ts';

/**
 * What two runs of the same scenario may differ in, and why. Everything else has to be the same.
 *
 * - UUIDs: each session, message and question gets a new one, but those that the scenario gives itself, which begin with eight zeros. They are numbered in the order in which they are first met, so that
 *   what names the same thing in one run has to name the same thing in the other.
 * - the folder of the run, wherever it is named: each run has its own.
 * - times and durations: `timestamp`, and what is in milliseconds by its name (`duration_ms`, `ttft_ms`, `durationMs`, …).
 * - the order of an object's members, which means nothing.
 */
export interface NormaliseOptions {
  readonly folder: string;
}

const uuid = /(?!00000000)[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gi;
const isTime = (name: string): boolean => name === 'timestamp' || /(_ms|Ms)$/.test(name);

export function normalise(outcome: Outcome, { folder }: NormaliseOptions): Outcome {
  const numbers = new Map<string, number>();

  function text(value: string): string {
    return value.replaceAll(folder, '<folder>').replaceAll(uuid, (found) => {
      const number = numbers.get(found) ?? numbers.size + 1;
      numbers.set(found, number);
      return `<uuid ${number}>`;
    });
  }

  function walk(value: unknown, key = ''): unknown {
    if (typeof value === 'string') return isTime(key) ? '<time>' : text(value);
    if (typeof value === 'number') return isTime(key) ? '<time>' : value;
    if (typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) return value.map((each) => walk(each));
    const entries = Object.entries(value).filter(([, each]) => each !== undefined);
    // By name, so that the numbers of UUIDs do not hang on the order of members, which means nothing.
    return Object.fromEntries(
      entries.toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([name, each]) => [text(name), walk(each, name)]),
    );
  }

  return walk(outcome) as Outcome;
}
