import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { compareShellLines, type SecondParser } from '@rondo/runtime/testing';
import type { ChaosCase, ChaosFamily } from '../chaos-case.ts';

const require = createRequire(import.meta.url);

const lines = 20_000;
const linesOfCase = 200;

/** Lines of every construct of the shell, whole and spoilt: another parser finds no command in them that the engine missed. */
export const comparedLines: ChaosFamily = {
  name: 'shell lines against a second parser',
  atOnce: 1,
  cases: () =>
    Promise.resolve(
      Array.from({ length: lines / linesOfCase }, (_, index): ChaosCase => {
        // Every third as the grammar has it, spoilt.
        const spoilt = index % 3 === 2;
        return {
          name: `seed ${index + 1}, ${linesOfCase} ${spoilt ? 'spoilt ' : ''}lines`,
          run: () => Promise.resolve().then(() => compare(index + 1, spoilt)),
        };
      }),
    ),
};

function compare(seed: number, spoilt: boolean): void {
  const { syntax } = require('mvdan-sh') as { readonly syntax: SecondParser };
  const { compared, missed } = compareShellLines(syntax, { seed, lines: linesOfCase, spoilt });
  assert.deepEqual(missed, []);
  // What is not understood is not compared, and many lines that are not compared prove little.
  assert.ok(compared > linesOfCase / 10, `only ${compared} lines were compared`);
}
