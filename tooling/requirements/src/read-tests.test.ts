import { expect, test } from 'vitest';
import { readTests } from './read-tests.ts';

const titlesOf = (text: string): string[] => readTests('x.test.ts', text).map(({ titles }) => titles.join(' > '));

test('a test stands behind the describes around it, and beside the ones before it', () => {
  const text = `
    describe('a', () => { describe('b', () => { test('one', () => {}); }); test('two', () => {}); });
    it('three', async () => { const test = check('not one'); });`;
  expect(titlesOf(text)).toEqual(['a > b > one', 'a > two', 'three']);
});

test('an each over a list in the file counts for each row that can be read', () => {
  const text = `
    const wires: readonly Wire[] = [{ name: 'memory' }, { name: 'stdio', make }];
    describe.each(wires)('over $name', () => { test('one', () => {}); });
    test.each([['p', 1], ['q', 2]])('%s of %d', () => {});
    test.each(elsewhere)('$name', () => {});
    test.each([1, 2])('no more', () => {});
    test.each([['r', 1]] as const)('%s as it is', () => {});`;
  expect(titlesOf(text)).toEqual([
    'over memory > one',
    'over stdio > one',
    'p of %d',
    'q of %d',
    '$name',
    'no more',
    'r as it is',
  ]);
});

test('what is skipped, itself or around, is read as skipped', () => {
  const text = `
    test.skip('a', () => {});
    test.todo('b');
    describe.skip('c', () => { test('d', () => {}); });
    test.concurrent('e', () => {});`;
  expect(readTests('x.test.ts', text).map(({ skipped }) => skipped)).toEqual([true, true, true, false]);
});

test('each test has its line, and a file that does not parse is told by its name', () => {
  expect(readTests('x.test.ts', "\n\ntest('a', () => {});")).toMatchObject([{ path: 'x.test.ts', line: 3 }]);
  expect(() => readTests('x.test.ts', 'test(')).toThrow(/^x\.test\.ts: /);
});

test('a list that stands in a file beside counts as one of its own', () => {
  const text =
    "import { wires as all } from './wires.ts'; describe.each(all)('over $name', () => { test('a', () => {}); });";
  const beside = "export const wires: readonly Wire[] = [{ name: 'memory' }, { name: 'stdio' }];";
  const found = readTests('x.test.ts', text, (specifier) => (specifier === './wires.ts' ? beside : ''));
  expect(found.map(({ titles }) => titles.join(' > '))).toEqual(['over memory > a', 'over stdio > a']);
});
