import fc from 'fast-check';
import { expect, test } from 'vitest';
import { plainDeltaEnd, plainDeltaNext, plainDeltaStart } from './plain-text-delta.ts';

function event(data: string): string {
  return `event: content_block_delta\ndata: ${data}\n\n`;
}

function delta(text: string, index = 0): string {
  return JSON.stringify({ type: 'content_block_delta', index, delta: { type: 'text_delta', text } });
}

/** The delta's text and what follows its event, or undefined where the parser has to read it. */
function read(stream: string, at = 0, index = 0): { text: string; rest: string } | undefined {
  const start = plainDeltaStart(index);
  const end = plainDeltaEnd(stream, at, start);
  return end === undefined
    ? undefined
    : { text: stream.slice(at + start.length, end), rest: stream.slice(plainDeltaNext(end)) };
}

test('plain text is read without parsing', () => {
  for (const text of ['', 'Hello', ' Grüße, 世界 👩‍💻 {} [] : ,', '\u2028'])
    expect(read(`before${event(delta(text, 3))}after`, 'before'.length, 3)).toEqual({ text, rest: 'after' });
});

test.each([
  ['another block', event(delta('a', 1))],
  ['an escape', event(delta('a\nb'))],
  ['a quote', event(delta('"'))],
  ['another field', event('{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"a","b":"c"}}')],
  [
    'a field behind',
    event('{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"a"},"b":"c"}'),
  ],
  ['another order', event('{"index":0,"type":"content_block_delta","delta":{"type":"text_delta","text":"a"}}')],
  ['a tab, which no JSON holds', event(delta('a').replace('a"}}', '\t"}}'))],
  [
    'a text that does not end',
    event('{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"}}'),
  ],
  ['data of two lines', event(`${delta('a')}\ndata: `)],
  ['an event that is not whole', event(delta('a')).slice(0, -1)],
  ['an event of another name', event(delta('a')).replace('event: content', 'event: another_content')],
])('%s is left to the parser', (_what, stream) => {
  expect(read(stream)).toBeUndefined();
});

test('whatever it reads, JSON.parse reads the same', () => {
  const pieces = fc.array(
    fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom('"', '\\', '}', '"}}', '"}}\n\n', '","text":"', '\\u0041', '\n', '\ud83d', 'plain'),
    ),
  );
  let plain = 0;
  fc.assert(
    fc.property(pieces, fc.boolean(), (texts, encoded) => {
      const stream = encoded ? event(delta(texts.join(''))) : `${plainDeltaStart(0)}${texts.join('')}"}}\n\n`;
      const found = read(stream);
      if (found === undefined) return;
      plain += 1;
      const [whole = ''] = stream
        .slice(0, stream.length - found.rest.length)
        .split('data: ')
        .slice(1);
      expect(JSON.parse(whole)).toEqual(JSON.parse(delta(found.text)));
    }),
    { numRuns: 1_000 },
  );
  expect(plain).toBeGreaterThan(50);
});
