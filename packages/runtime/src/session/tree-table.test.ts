import { expect, test } from 'vitest';
import type { LiveTree } from './live-tree.ts';
import { createTreeTable } from './tree-table.ts';

/** A session that only tells whether it was given up. */
function idleTree(rootId: string, closed: string[]): LiveTree {
  const tree: Pick<LiveTree, 'rootId' | 'idle' | 'settled' | 'close'> = {
    rootId,
    idle: () => true,
    settled: () => Promise.resolve(),
    async close() {
      closed.push(rootId);
    },
  };
  return tree as LiveTree;
}

test('a session is given up with the last binding that uses it, however often each came to it', async () => {
  const closed: string[] = [];
  const table = createTreeTable();
  for (const id of ['a', 'b']) void table.register(id, Promise.resolve(idleTree(id, closed)));
  table.use('first', 'a');
  table.use('first', 'a');
  table.use('second', 'a');
  table.use('first', 'b');
  await table.leave('first');
  expect(closed).toEqual(['b']);
  await table.leave('first');
  expect(closed).toEqual(['b']);
  table.use('first', 'a');
  await table.leave('second');
  expect(closed).toEqual(['b']);
  await table.leave('first');
  expect(closed).toEqual(['b', 'a']);
  expect(table.get('a')).toBeUndefined();
});
