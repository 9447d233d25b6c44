import { expect, test } from 'vitest';
import { supportedEffort } from './supported-effort.ts';

test.each([
  ['high', ['low', 'medium', 'high'], 'high'],
  ['max', ['low', 'medium', 'high'], 'high'],
  ['medium', ['low', 'high', 'max'], 'low'],
  ['low', ['high'], 'high'],
  ['high', [], undefined],
  [undefined, ['high'], undefined],
] as const)('%s of %j is %s', (asked, supported, level) => {
  expect(supportedEffort(asked, supported)).toBe(level);
});
