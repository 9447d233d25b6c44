import { expect, test } from 'vitest';
import { checkTurnChunk, inTurnChunk } from './turn-chunk.ts';

test.each([
  ['/x/apps/cli/src/headless/run-headless.ts', true],
  ['/x/packages/sdk/src/query.ts', true],
  ['/x/apps/cli/src/debug/redactor.ts', true],
  ['/x/apps/cli/src/debug/debug-log.ts', false],
  // It awaits the whole run at its top level: in the chunk, whoever imports the chunk lazily would wait for ever.
  ['/x/apps/cli/src/main.ts', false],
  ['/x/packages/protocol/src/error/rondo-error.ts', true],
  ['/x/packages/protocol/src/event/event.ts', false],
  ['/x/apps/cli/src/command/help.ts', false],
  ['/x/apps/cli/src/terminal/run-interactive.ts', false],
  ['/x/packages/runtime/src/testing/scripted-model.ts', false],
  ['/x/node_modules/.pnpm/zod@4/node_modules/zod/index.js', false],
])('%s: %s', (id, expected) => {
  expect(inTurnChunk(id)).toBe(expected);
});

test('a library that every start would load fails the build', () => {
  const chunk = (name: string, moduleIds: string[], imports: string[] = []) => ({
    name,
    fileName: `${name}.js`,
    moduleIds,
    imports,
  });
  const library = chunk('library', ['/x/node_modules/zod/index.js']);
  const between = chunk('between', ['/x/a.ts'], ['library.js']);
  expect(() => checkTurnChunk([chunk('turn', ['/x/b.ts'], ['between.js']), between, library])).toThrow(/zod/);
  expect(() => checkTurnChunk([chunk('turn', ['/x/b.ts']), between, library])).not.toThrow();
  expect(() => checkTurnChunk([between])).toThrow(/no chunk "turn"/);
});

test('an entry that the chunk would wait for fails the build', () => {
  const turn = { name: 'turn', fileName: 'turn.js', moduleIds: ['/x/b.ts'], imports: ['main.js'] };
  const main = { name: 'main', fileName: 'main.js', moduleIds: ['/x/a.ts'], imports: ['turn.js'] };
  expect(() => checkTurnChunk([turn, main])).toThrow(/a cycle/);
  expect(() => checkTurnChunk([{ ...turn, imports: [] }, main])).not.toThrow();
});
