import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { checkTurnChunk, createTurnChunk } from './turn-chunk.ts';

const repository = resolve(import.meta.dirname, '..', '..', '..');
const own = (path: string): string => resolve(repository, path);

test('the chunk holds what a turn reaches without a dynamic import, but no schema and no library', () => {
  const imports: Record<string, string[]> = {
    [own('apps/cli/src/main.ts')]: [own('apps/cli/src/command/run-command.ts')],
    [own('apps/cli/src/command/run-command.ts')]: [
      own('packages/protocol/src/values.ts'),
      own('packages/sdk/src/index.ts'),
    ],
    [own('packages/sdk/src/index.ts')]: [own('packages/protocol/src/index.ts')],
    [own('packages/protocol/src/index.ts')]: ['/x/node_modules/zod/index.js'],
  };
  const name = createTurnChunk();
  const nameOf = (moduleId: string) =>
    name(moduleId, { getModuleInfo: (id) => (imports[id] === undefined ? null : { importedIds: imports[id] }) });
  const inTurn = [
    'apps/cli/src/command/run-command.ts',
    'packages/sdk/src/index.ts',
    'packages/protocol/src/values.ts',
    'packages/tools/src/index.ts',
  ];
  expect(inTurn.map((path) => nameOf(own(path)))).toEqual(inTurn.map(() => 'turn'));
  const outside = [
    own('apps/cli/src/main.ts'),
    own('apps/cli/src/command/help.ts'),
    own('packages/protocol/src/index.ts'),
    '/x/node_modules/zod/index.js',
  ];
  expect(outside.map(nameOf)).toEqual(outside.map(() => null));
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

test('a module of Node that no start needs fails the build', () => {
  const turn = { name: 'turn', fileName: 'turn.js', moduleIds: ['/x/b.ts'], imports: ['node:fs', 'other.js'] };
  const other = { name: 'other', fileName: 'other.js', moduleIds: ['/x/a.ts'], imports: ['node:child_process'] };
  expect(() => checkTurnChunk([turn, other])).toThrow(/node:child_process/);
  expect(() => checkTurnChunk([turn, { ...other, imports: [] }])).not.toThrow();
});

test('an entry that the chunk would wait for fails the build', () => {
  const turn = { name: 'turn', fileName: 'turn.js', moduleIds: ['/x/b.ts'], imports: ['main.js'] };
  const main = { name: 'main', fileName: 'main.js', moduleIds: ['/x/a.ts'], imports: ['turn.js'] };
  expect(() => checkTurnChunk([turn, main])).toThrow(/a cycle/);
  expect(() => checkTurnChunk([{ ...turn, imports: [] }, main])).not.toThrow();
});
