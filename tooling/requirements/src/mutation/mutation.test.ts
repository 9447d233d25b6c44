import { expect, test } from 'vitest';
import type { Row } from '../manifest.ts';
import { checkMutations } from './check-mutations.ts';
import { judgeMutant } from './judge-mutant.ts';
import { mutate, type Mutation, sampleOf } from './mutation.ts';
import type { TestOutcome } from './mutation-run.ts';

const areas = new Set(['turn', 'wait']);
const outcome = (title: string, hasPassed: boolean): TestOutcome => ({ titles: ['over memory', title], hasPassed });
const mutationOf = (row: string): Mutation => ({
  row,
  file: 'a.ts',
  piece: 'if (x) throw y;',
  becomes: '',
  test: 'a.test.ts',
});

test('a piece that stands once is replaced as it is written, any other is told with the row', () => {
  const given = { ...mutationOf('turn.a.b'), becomes: '$& $1' };
  expect(mutate('1; if (x) throw y; 2;', given)).toBe('1; $& $1 2;');
  expect(() => mutate('1;', given)).toThrow(/^a\.ts: .* stands there 0 times; .* turn\.a\.b /);
  expect(() => mutate('if (x) throw y;if (x) throw y;', given)).toThrow(/stands there 2 times/);
});

test('a mutant is noticed when a test of its row fails, and another one of the file shows that it loads', () => {
  const before = [outcome('wait.x.y, turn.a.b: both', true), outcome('other', true)];
  const judge = (after: readonly TestOutcome[]) => judgeMutant({ row: 'turn.a.b', areas, before, after });
  expect(judge([outcome('wait.x.y, turn.a.b: both', false), outcome('other', true)])).toEqual({
    type: 'noticed',
    failed: 1,
    othersPassed: 1,
  });
  expect(judge(before)).toMatchObject({ type: 'survived' });
  expect(judge([])).toMatchObject({ type: 'invalid', why: expect.stringContaining('loaded') });
  expect(judge([outcome('turn.a.b', false), outcome('other', false)])).toMatchObject({ type: 'invalid' });
});

test('a row whose test fails without its mutation, or that has none in the file, says nothing', () => {
  const after = [outcome('turn.a.b', false), outcome('other', true)];
  const judge = (before: readonly TestOutcome[]) => judgeMutant({ row: 'turn.a.b', areas, before, after });
  expect(judge(after)).toMatchObject({ type: 'invalid', why: expect.stringContaining('without the mutation') });
  expect(judge([outcome('turn.a.bc', true)])).toMatchObject({ type: 'invalid' });
});

test('a sample is the same for the same seed, and another for others', () => {
  const all = Array.from({ length: 30 }, (_, index) => mutationOf(`turn.a.${'x'.repeat(index)}`));
  const rowsOf = (seed: number) => sampleOf(all, 5, seed).map(({ row }) => row);
  expect(rowsOf(1)).toHaveLength(5);
  expect(rowsOf(1)).toEqual(rowsOf(1));
  expect(rowsOf(2)).not.toEqual(rowsOf(1));
});

test('mutations are checked without a run: their piece, their test, their number', () => {
  const row = (id: string): Row => ({ id, area: 'turn', rule: '', observe: '', transports: 'all', grade: 'F' });
  const rows = Array.from({ length: 40 }, (_, index) => row(`turn.a.${'x'.repeat(index + 1)}`));
  const mutations = rows.map(({ id }) => mutationOf(id));
  const tests = rows.map(({ id }) => ({ path: 'a.test.ts', line: 1, titles: [id], skipped: false }));
  const manifest = { rows, notOurs: [], mutations };
  const read = (): string => 'if (x) throw y;';
  expect(checkMutations(manifest, tests, read)).toEqual([]);
  expect(checkMutations(manifest, tests.slice(1), read)).toEqual([expect.stringContaining('no test names turn.a.x')]);
  expect(checkMutations(manifest, tests, () => '')).toHaveLength(40);
  expect(checkMutations({ ...manifest, mutations: mutations.slice(0, 1) }, tests, read)).toEqual([
    '1 rows have a mutation, 40 are to',
    '1 rows of turn have a mutation, 2 are to',
  ]);
});
