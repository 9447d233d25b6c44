import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { describePermissionOrder } from './permission-order.ts';

test('the guide prints the order that the gate follows', () => {
  const page = readFileSync(new URL('../../../../docs/guides/permissions.md', import.meta.url), 'utf8');
  expect(page).toContain(describePermissionOrder());
});
