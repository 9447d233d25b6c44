import fc from 'fast-check';
import { expect, test } from 'vitest';
import { plainDeltaStart, readPlainDeltas } from './plain-text-delta.ts';

function event(data: string): string {
  return `event: content_block_delta\ndata: ${data}\n\n`;
}

function delta(text: string, index = 0): string {
  return JSON.stringify({ type: 'content_block_delta', index, delta: { type: 'text_delta', text } });
}

/** The delta's text and what follows its event, or undefined where the parser has to read it. */
function read(stream: string, at = 0, index = 0): { text: string; rest: string } | undefined {
  const { texts, next } = readPlainDeltas(stream, at, plainDeltaStart(index));
  const [text] = texts;
  return text === undefined ? undefined : { text, rest: stream.slice(next) };
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

test('a run is read as far as it is plain, whatever comes between and behind', () => {
  const plain = fc.string({ unit: fc.constantFrom('a', 'ü', '世', ' ', '{', '}', ','), maxLength: 5 });
  const other = fc.constantFrom(
    event(delta('a\nb')),
    event(delta('a', 1)),
    'event: ping\ndata: {"type":"ping"}\n\n',
    event('{"type":"content_block_stop","index":0}'),
    event('{"type":"x","y":{"z":"}}"}}'),
    'event: content_block_delta\ndata: {"type":"content_block_de',
    '"}}\n\n',
  );
  const cut = fc.nat(20);
  fc.assert(
    fc.property(fc.array(plain), fc.array(other), fc.array(plain), cut, (texts, others, later, missing) => {
      const first = texts.map((text) => event(delta(text))).join('');
      const rest = others.join('') + later.map((text) => event(delta(text))).join('');
      const stream = others.length === 0 ? first : first + rest.slice(0, rest.length - missing);
      const { texts: found, next } = readPlainDeltas(`before${stream}`, 6, plainDeltaStart(0));
      expect(found).toEqual(others.length === 0 ? texts : found.slice(0, texts.length));
      expect(found.length).toBeGreaterThanOrEqual(texts.length);
      expect(next).toBe(6 + found.map((text) => event(delta(text))).join('').length);
    }),
  );
});
