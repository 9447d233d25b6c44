import fc from 'fast-check';
import { expect, test } from 'vitest';
import { plainDeltaStart, plainTextDelta } from './plain-text-delta.ts';

function delta(text: string, index = 0): string {
  return JSON.stringify({ type: 'content_block_delta', index, delta: { type: 'text_delta', text } });
}

test('plain text is read without parsing', () => {
  for (const text of ['', 'Hello', ' Grüße, 世界 👩‍💻 {} [] : ,', '\u2028'])
    expect(plainTextDelta(delta(text, 3), plainDeltaStart(3))).toBe(text);
});

test.each([
  ['another block', delta('a', 1)],
  ['an escape', delta('a\nb')],
  ['a quote', delta('"')],
  ['another field', '{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"a","more":"b"}}'],
  ['a field behind', '{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"a"},"more":"b"}'],
  ['another order', '{"index":0,"type":"content_block_delta","delta":{"type":"text_delta","text":"a"}}'],
  ['a tab, which no JSON holds', delta('a').replace('a"}}', '\t"}}')],
  ['a text that does not end', '{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"}}'],
])('%s is left to the parser', (_what, data) => {
  expect(plainTextDelta(data, plainDeltaStart(0))).toBeUndefined();
});

test('whatever it reads, JSON.parse reads the same', () => {
  const pieces = fc.array(
    fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom('"', '\\', '}', '"}}', '","text":"', '\\u0041', '\n', '\ud83d', 'plain'),
    ),
  );
  const start = plainDeltaStart(0);
  let read = 0;
  fc.assert(
    fc.property(pieces, fc.boolean(), (texts, encoded) => {
      const data = encoded ? delta(texts.join('')) : `${start}${texts.join('')}"}}`;
      const text = plainTextDelta(data, start);
      if (text === undefined) return;
      read += 1;
      expect(JSON.parse(data)).toEqual({
        type: 'content_block_delta',
        index: 0,
        delta: { type: 'text_delta', text },
      });
    }),
    { numRuns: 1_000 },
  );
  expect(read).toBeGreaterThan(50);
});
