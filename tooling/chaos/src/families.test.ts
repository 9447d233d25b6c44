import { expect, test } from 'vitest';
import { families } from './families.ts';
import { runCases } from './run-cases.ts';
import { sample, sampleCases } from './sample.ts';

/** `npm run chaos` runs every case; here is as much of each family as a check has time for. */
const sampled: Readonly<Record<string, number>> = {
  disconnects: 1,
  'failed writes and syncs': 40,
  'failed writes of a host that serves': 20,
  'model faults': 40,
  kills: 4,
  'kills of trees': 4,
  'kills of a client over stdio': 1,
  'kills of a host that serves': 1,
  'mutated streams': 25,
  'owners of one session': 1,
  'mutated messages': 2,
  'power cuts': 60,
  'power cuts of a host that serves': 30,
  'racing answers': 100,
  removals: 8,
  'replays of random sessions': 1,
  'shell lines against a second parser': 1,
  snapshots: 25,
  'wrapped denied commands': 1,
};
const seed = 20_260_101;
const timeout = 120_000;

test.each(families)(
  '$name: what was accepted is there, nothing happens twice, and the session goes on',
  { timeout },
  async (family) => {
    const cases = sampleCases(await family.cases(), sampled[family.name] ?? 0, seed);
    expect(cases.length).toBeGreaterThan(0);
    const failures = await runCases(cases, family.atOnce);
    expect(failures.map(({ name, error }) => `${name}: ${String(error)}`)).toEqual([]);
  },
);

test('a sample is the same for the same seed, in order, and of another seed another one', () => {
  const items = Array.from({ length: 1000 }, (_, index) => index);
  const once = sample(items, 50, 1);
  expect(once).toEqual(sample(items, 50, 1));
  expect(once).toEqual([...once].sort((one, other) => one - other));
  expect(new Set(once).size).toBe(50);
  expect(sample(items, 50, 2)).not.toEqual(once);
  expect(sample(items, 5000, 1)).toEqual(items);
});
