import { createRequire } from 'node:module';
import { expect, test, vi } from 'vitest';
import { compareShellLines } from '../testing/compare-shell-lines.ts';
import { permissionCorpus } from '../testing/permission-corpus.ts';
import { missedCommands, namesByParser, type SecondParser } from '../testing/second-parser.ts';

vi.setConfig({ testTimeout: 120_000 });

const { syntax } = createRequire(import.meta.url)('mvdan-sh') as { readonly syntax: SecondParser };

const corpusLines = permissionCorpus().flatMap(({ call }) => {
  const { command } = call.input;
  return call.tool === 'Bash' && typeof command === 'string' ? [command] : [];
});

test('issue 5, accept 1: mvdan-sh finds no command in the lines of the corpus that ours missed', () => {
  const results = corpusLines.map((text) => ({ text, ...missedCommands(syntax, text) }));
  expect(results.filter(({ missing }) => missing.length > 0)).toEqual([]);
  expect(results.filter(({ wasCompared }) => wasCompared).length).toBeGreaterThan(corpusLines.length / 3);
});

test('the second parser tells a command that was not looked for', () => {
  expect(namesByParser(syntax, 'a | b $(c "`d`") && { e; }; f() { g; }')).toEqual(['a', 'b', 'c', 'd', 'e', 'g']);
  expect(namesByParser(syntax, 'c"an"a\'r\'\\y $X; $X')).toEqual(['canary', undefined]);
  expect(namesByParser(syntax, 'if')).toBeUndefined();
});

// `npm run chaos` compares thousands.
test('issue 5, accept 1: nor in lines made by a grammar of the shell', () => {
  const { compared, missed } = compareShellLines(syntax, { seed: 0, lines: 200 });
  expect(missed).toEqual([]);
  expect(compared).toBeGreaterThan(60);
});

test('the same lines with a character left out or put in are understood or said not to be', () => {
  const { compared, missed } = compareShellLines(syntax, { seed: 0, lines: 100, spoilt: true });
  expect(missed).toEqual([]);
  expect(compared).toBeGreaterThan(10);
});
