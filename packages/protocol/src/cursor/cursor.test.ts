import fc from 'fast-check';
import { expect, test } from 'vitest';
import { formatCursor, parseCursor } from './cursor.ts';

test('a cursor names the place it was made of', () => {
  const sessionId = fc.oneof(fc.uuid(), fc.string({ minLength: 1 }));
  fc.assert(
    fc.property(sessionId, fc.nat({ max: Number.MAX_SAFE_INTEGER }), (session, seq) => {
      expect(parseCursor(formatCursor({ sessionId: session, seq }))).toEqual({ sessionId: session, seq });
    }),
  );
});

test('whatever the text, it is a place written just so, or none', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.stringMatching(/^[a-z:]{0,4}:[-+0-9.e ]{0,20}$/)), (text) => {
      const position = parseCursor(text);
      if (position !== undefined) expect(formatCursor(position)).toBe(text);
    }),
    { numRuns: 1000 },
  );
});

test.each([
  '',
  ':',
  ':1',
  's',
  's:',
  's:-1',
  's:01',
  's:1.5',
  's:1e3',
  's: 1',
  's:9007199254740992',
  's:9999999999999999',
])('%j was never a cursor', (text) => {
  expect(parseCursor(text)).toBeUndefined();
});
