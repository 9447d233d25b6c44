import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isoTime } from './iso-time.ts';

test('a time is said as ECMAScript says it, whichever was asked for before', () => {
  const moments = fc.integer({ min: -8.64e15, max: 8.64e15 });
  const near = fc.integer({ min: 1_900_000_000_000, max: 1_900_000_003_000 });
  fc.assert(
    fc.property(fc.array(fc.oneof(near, moments), { minLength: 1 }), (times) => {
      for (const time of times) expect(isoTime(time)).toBe(new Date(time).toISOString());
    }),
  );
});

test('what is no time is refused', () => {
  expect(() => isoTime(Number.NaN)).toThrow(RangeError);
});
