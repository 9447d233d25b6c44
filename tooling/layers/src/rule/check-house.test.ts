import { describe, expect, test } from 'vitest';
import { sourceTree } from '../source/source-tree.ts';
import { checkHouse } from './check-house.ts';

/** What the walls say about a small house: sources by path, beside manifests of the packages they stand in. */
function problemsOf(sources: Record<string, string>, manifests: Record<string, object> = {}): string[] {
  const texts: Record<string, string> = { ...sources };
  const folders = new Set(Object.keys(sources).map((path) => path.split('/').slice(0, 2).join('/')));
  for (const folder of folders) {
    const name = `@rondo/${folder.split('/')[1]}`;
    const exports = { '.': { '@rondo/source': './src/index.ts' } };
    texts[`${folder}/package.json`] = JSON.stringify({ name, exports, ...manifests[folder] });
  }
  return checkHouse(sourceTree(texts)).map(({ where, message }) => `${where}: ${message}`);
}

describe('package directions', () => {
  test('an upward import is named with file and line', () => {
    const [problem, ...rest] = problemsOf({
      'packages/protocol/src/frame/frame.ts': "\n\nimport type { Runtime } from '@rondo/runtime';\n",
    });
    expect(problem).toMatch(/^packages\/protocol\/src\/frame\/frame.ts:3: protocol must not import @rondo\/runtime/);
    expect(rest).toEqual([]);
  });

  test.each([
    ["const host = await import('@rondo/host');", 'dynamic'],
    ["export type { Host } from '@rondo/host';", 're-exported'],
    ["type Host = import('@rondo/host').Host;", 'in a type'],
  ])('%s is an import too', (text) => {
    expect(problemsOf({ 'packages/tools/src/bash.ts': text })).toEqual([
      expect.stringContaining('tools/src/bash.ts:1: tools must not import @rondo/host'),
    ]);
  });

  test('a path into a neighbour is no way round', () => {
    expect(problemsOf({ 'packages/tools/src/bash.ts': "import '../../runtime/src/runtime.ts';" })).toEqual([
      expect.stringContaining('leads out of the package'),
    ]);
  });

  test('ws belongs to the node room', () => {
    expect(
      problemsOf({
        'packages/client/src/client.ts': "import 'ws';",
        'packages/client/src/node/socket-channel.ts': "import 'ws';",
      }),
    ).toEqual(['packages/client/src/client.ts:1: ws belongs under src/node/ alone']);
  });

  test('a package that nobody placed is a problem', () => {
    expect(problemsOf({ 'packages/extras/src/extra.ts': '' })).toContainEqual(
      expect.stringContaining('package extras has no place'),
    );
  });
});

describe('manifests', () => {
  const source = { 'packages/protocol/src/version.ts': '' };

  test('a dependency against the direction is caught before anybody imports it', () => {
    const manifest = { dependencies: { '@rondo/runtime': 'workspace:^', pino: 'catalog:' } };
    expect(problemsOf(source, { 'packages/protocol': manifest })).toEqual([
      'packages/protocol/package.json: protocol must not depend on @rondo/runtime',
      expect.stringContaining('protocol must not bring pino to its users'),
    ]);
  });

  test('what a build uses is not shipped', () => {
    const command = { 'apps/cli/src/main.ts': '' };
    const manifest = { '@rondo/release': 'workspace:^' };
    expect(problemsOf(command, { 'apps/cli': { devDependencies: manifest } })).toEqual([]);
    expect(problemsOf(command, { 'apps/cli': { dependencies: manifest } })).toEqual([
      'apps/cli/package.json: cli must not depend on @rondo/release',
    ]);
  });

  test('versions come from the catalog', () => {
    expect(problemsOf(source, { 'packages/protocol': { dependencies: { zod: '^4.0.0' } } })).toEqual([
      'packages/protocol/package.json: zod must take its version from the catalog',
    ]);
  });
});

describe('rooms of the runtime', () => {
  test('a room imports to its left only', () => {
    const [problem, ...rest] = problemsOf({
      'packages/runtime/src/tool/tool.ts':
        "import type { Event } from '../event/event.ts';\nimport '../turn/run-turn.ts';",
      'packages/runtime/src/event/event.ts': 'export interface Event {}',
      'packages/runtime/src/turn/run-turn.ts': '',
    });
    expect(problem).toMatch(/^packages\/runtime\/src\/tool\/tool.ts:2: room tool must not import turn/);
    expect(rest).toEqual([]);
  });

  test('rooms of one level do not see each other', () => {
    expect(
      problemsOf({
        'packages/runtime/src/model/model.ts': "import '../event/event.ts';",
        'packages/runtime/src/event/event.ts': '',
      }),
    ).toEqual([expect.stringContaining('room model must not import event')]);
  });

  test('no room imports the entry, and a new room has to be placed', () => {
    expect(
      problemsOf({
        'packages/runtime/src/index.ts': '',
        'packages/runtime/src/session/session.ts': "import '../index.ts';",
        'packages/runtime/src/attic/box.ts': '',
      }),
    ).toEqual([
      expect.stringContaining('session.ts:1: room session must not import index.ts'),
      expect.stringContaining('room attic has no level'),
    ]);
  });

  test('tests look anywhere', () => {
    expect(
      problemsOf({
        'packages/runtime/src/tool/tool.test.ts': "import '../testing/scripted-model.ts';\nimport 'node:fs';",
        'packages/runtime/src/testing/scripted-model.ts': '',
      }),
    ).toEqual([]);
  });
});

describe('neutral rooms', () => {
  test('Node stays under src/node', () => {
    expect(
      problemsOf({
        'packages/client/src/connection/connection.ts': "import { readFile } from 'node:fs/promises';",
        'packages/client/src/node/pipe-channel.ts': "import { connect } from 'node:net';",
      }),
    ).toEqual([expect.stringContaining('connection.ts:1: node:fs/promises brings Node into a neutral room')]);
  });

  test('the root entry does not reach the node room', () => {
    expect(
      problemsOf({
        'packages/client/src/index.ts': "export { pipeChannel } from './node/pipe-channel.ts';",
        'packages/client/src/node/pipe-channel.ts': 'export const pipeChannel = 1;',
      }),
    ).toEqual([expect.stringContaining('index.ts:1: ./node/pipe-channel.ts brings Node into a neutral room')]);
  });
});

describe('cycles', () => {
  test('a cycle of type imports is named with its way round', () => {
    expect(
      problemsOf({
        'packages/sdk/src/query.ts': "\nimport type { A } from './options/one.ts';",
        'packages/sdk/src/options/one.ts': "import type { B } from './two.ts';",
        'packages/sdk/src/options/two.ts': "import type { C } from '../query.ts';",
      }),
    ).toEqual([
      'packages/sdk/src/query.ts:2: cycle: packages/sdk/src/query.ts → packages/sdk/src/options/one.ts → ' +
        'packages/sdk/src/options/two.ts → packages/sdk/src/query.ts',
    ]);
  });

  test('a file that leads into a cycle is not part of it', () => {
    const problems = problemsOf({
      'packages/sdk/src/agent.ts': "import './query.ts';",
      'packages/sdk/src/query.ts': "import './query-two.ts';",
      'packages/sdk/src/query-two.ts': "import './query.ts';",
    });
    expect(problems).toEqual([expect.stringMatching(/^packages\/sdk\/src\/query.ts:1: cycle:/)]);
  });
});

describe('entries and names', () => {
  test('an entry holds names, one by one', () => {
    expect(
      problemsOf({
        'packages/sdk/src/index.ts':
          "export { query } from './query.ts';\nexport * from './query.ts';\nexport const a = 1;",
        'packages/sdk/src/query.ts': 'export const query = 1;',
        'packages/sdk/src/options/index.ts': '',
      }),
    ).toEqual([
      'packages/sdk/src/index.ts:2: an entry exports by name, not by *',
      'packages/sdk/src/index.ts:3: an entry holds only names: the code goes into a file of its own',
      'packages/sdk/src/options/index.ts: index.ts stands only at an entry of the exports map',
    ]);
  });

  test('no junk drawers', () => {
    expect(problemsOf({ 'packages/sdk/src/utils/a.ts': '', 'packages/sdk/src/query/types.test.ts': '' })).toHaveLength(
      2,
    );
  });
});
