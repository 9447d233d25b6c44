import { expect, test } from 'vitest';
import { ancestorIdsOf, childSessionId, depthOf, isDescendant, parentIdOf, rootIdOf } from './session-tree-id.ts';

const root = '5f2d7c1e-0d0a-4a6c-9a55-0d5a0b8c1f11';
const child = childSessionId(root, '0123abcd99');
const grandchild = childSessionId(child, 'ffffffff');

test('a subagent is named by its parent and eight digits, from which everything above it follows', () => {
  expect(grandchild).toBe(`${root}.0123abcd.ffffffff`);
  expect(parentIdOf(grandchild)).toBe(child);
  expect(rootIdOf(grandchild)).toBe(root);
  expect([root, child, grandchild].map(depthOf)).toEqual([0, 1, 2]);
  expect(ancestorIdsOf(grandchild)).toEqual([child, root]);
});

test('a root has no parent and is its own root, whatever its name', () => {
  for (const id of [root, 'mine.v2', 'a.b.c', 'x.0123ABCD', 'x.0123abcde']) {
    expect(parentIdOf(id)).toBeUndefined();
    expect(rootIdOf(id)).toBe(id);
    expect(depthOf(id)).toBe(0);
  }
});

test('a session is a descendant of those above it alone', () => {
  expect(isDescendant(grandchild, root)).toBe(true);
  expect(isDescendant(grandchild, child)).toBe(true);
  expect(isDescendant(child, grandchild)).toBe(false);
  expect(isDescendant(root, root)).toBe(false);
  expect(isDescendant(childSessionId(`${root}x`, '00000000'), root)).toBe(false);
});
