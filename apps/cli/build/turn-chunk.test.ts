import { expect, test } from 'vitest';
import { checkTurnChunk, inTurnChunk } from './turn-chunk.ts';

test.each([
  ['/x/apps/cli/src/headless/run-headless.ts', true],
  ['/x/packages/sdk/src/query.ts', true],
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
