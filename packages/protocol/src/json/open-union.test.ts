import { expect, test } from 'vitest';
import { z } from 'zod';
import { JsonValue } from './json-value.ts';
import { openObject } from './open-object.ts';
import { openUnion } from './open-union.ts';

const Unknown = z.object({ type: z.literal('unknown'), originalType: z.string(), raw: JsonValue });
const Shape = openUnion(
  {
    circle: openObject({ type: z.literal('circle'), radius: z.number() }),
    group: openObject({ type: z.literal('group'), at: openObject({ x: z.number() }) }),
  },
  Unknown,
);

test('a known kind is checked and keeps fields that are not known', () => {
  expect(Shape.parse({ type: 'circle', radius: 1, color: { r: null } })).toEqual({
    type: 'circle',
    radius: 1,
    color: { r: null },
  });
});

test('a kind that is not known is kept whole', () => {
  const star = { type: 'star', points: [1, { deep: null }] };
  expect(Shape.parse(star)).toEqual({ type: 'unknown', originalType: 'star', raw: star });
});

test('what was read as unknown reads again as the same', () => {
  const read = Shape.parse({ type: 'star' });
  expect(Shape.parse(read)).toEqual(read);
});

test.each(['toString', 'constructor', '__proto__', 'hasOwnProperty'])('%s is a kind like any other', (type) => {
  expect(Shape.parse(JSON.parse(`{"type":${JSON.stringify(type)}}`))).toMatchObject({
    type: 'unknown',
    originalType: type,
  });
});

test('a known kind with wrong fields is an error at the field, at any depth', () => {
  const issuesOf = (value: unknown) => z.object({ shapes: z.array(Shape) }).safeParse(value).error?.issues;
  expect(issuesOf({ shapes: [{ type: 'circle', radius: '1' }] })).toMatchObject([{ path: ['shapes', 0, 'radius'] }]);
  expect(
    issuesOf({
      shapes: [
        { type: 'circle', radius: 1 },
        { type: 'group', at: {} },
      ],
    }),
  ).toMatchObject([{ path: ['shapes', 1, 'at', 'x'] }]);
});

test.each([undefined, null, 7, 'circle', [], {}, { type: 7 }])('%j is no member', (value) => {
  expect(Shape.safeParse(value).success).toBe(false);
});
