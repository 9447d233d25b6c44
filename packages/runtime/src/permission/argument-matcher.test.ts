import type { JsonObject } from '@rondo/protocol';
import { describe, expect, test } from 'vitest';
import { type ArgumentMatchers, matchArguments } from './argument-matcher.ts';

const cases: readonly [ArgumentMatchers, JsonObject, 'yes' | 'maybe' | 'no'][] = [
  [{ id: '7' }, { id: '7' }, 'yes'],
  [{ id: '7' }, { id: 7 }, 'no'],
  [{ id: '7' }, {}, 'no'],
  [{ id: '7' }, { id: '7', more: true }, 'yes'],
  [{ id: '7', more: true }, { id: '7' }, 'no'],
  [{ id: '*' }, { id: 'x' }, 'no'],
  [{ at: { equals: { b: 1, a: [2] } } }, { at: { a: [2], b: 1 } }, 'yes'],
  [{ at: { equals: null } }, { at: null }, 'yes'],
  [{ at: null }, {}, 'no'],
  [{ to: { oneOf: ['a', 'b'] } }, { to: 'b' }, 'yes'],
  [{ to: { oneOf: ['a', 'b'] } }, { to: 'c' }, 'no'],
  [{ to: { matches: '*@example.com' } }, { to: 'me@example.com' }, 'yes'],
  [{ to: { matches: '*@example.com' } }, { to: 'me@example.com.org' }, 'no'],
  [{ to: { matches: '*@example.com' } }, { to: 'me@exampleXcom' }, 'no'],
  [{ to: { matches: 'a*' } }, { to: 'a\nb' }, 'yes'],
  [{ to: { matches: 'a*' } }, { to: ['a'] }, 'maybe'],
  [{ n: { atMost: 100 } }, { n: 100 }, 'yes'],
  [{ n: { atMost: 100 } }, { n: 100.5 }, 'no'],
  [{ n: { atLeast: 1, atMost: 100 } }, { n: 0 }, 'no'],
  [{ n: { atLeast: 100 } }, { n: '150' }, 'maybe'],
  [{ n: { atLeast: 100 }, id: '7' }, { n: '150', id: '8' }, 'no'],
  [{ constructor: 'x' }, {}, 'no'],
];

describe('arguments are those that a rule means', () => {
  test.each(cases)('%j of %j: %s', (matchers, input, touch) => {
    expect(matchArguments(matchers, input)).toBe(touch);
  });
});
