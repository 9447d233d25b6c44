import { expect, test } from 'vitest';
import { sourceTree } from '../source/source-tree.ts';
import { pinProblems } from './pins.ts';

const tree = sourceTree({
  'packages/sdk/package.json': JSON.stringify({
    name: '@rondo/sdk',
    exports: {
      '.': { '@rondo/source': './src/index.ts' },
      './agent': { '@rondo/source': './src/agent.ts' },
      './package.json': './package.json',
    },
  }),
  'packages/sdk/src/index.ts':
    "export { query, type Options } from './query.ts';\nexport type { Query } from './query.ts';",
  'packages/sdk/src/agent.ts': 'export class Agent {}\nexport interface AgentOptions {}',
});

const pinned = ['. query', '. type Options', '. type Query', './agent Agent', './agent type AgentOptions'];

test('a surface as pinned is no problem', () => {
  expect(pinProblems(tree, () => `${pinned.join('\n')}\n`)).toEqual([]);
});

test('a new name and a lost one are both named', () => {
  const messages = pinProblems(tree, () => [...pinned.slice(1), './agent defineTool'].join('\n')).map(
    ({ where, message }) => `${where}: ${message.split(':')[0]}`,
  );
  expect(messages).toEqual([
    'packages/sdk/exports.txt: new export ". query"',
    'packages/sdk/exports.txt: lost export "./agent defineTool"',
  ]);
});
