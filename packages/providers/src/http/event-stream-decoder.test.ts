import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createEventStreamDecoder } from './event-stream-decoder.ts';

/** The data of every event when the bytes come in pieces cut at the given places. */
function decode(
  bytes: Buffer,
  cuts: readonly number[] = [],
): { readonly events: string[]; readonly unfinished: boolean } {
  const events: string[] = [];
  const decoder = createEventStreamDecoder((data) => events.push(data));
  const places = [0, ...cuts, bytes.byteLength];
  for (const [index, start] of places.slice(0, -1).entries()) decoder.write(bytes.subarray(start, places[index + 1]));
  return { events, unfinished: decoder.unfinished() };
}

const tricky = [
  '{"text":"Grüße, 世界 👩‍💻"}',
  'U+2028 \u2028 and U+2029 \u2029 and NEL \u0085 are data',
  '',
  ' two spaces',
  'colon: data: x',
];

function stream(lineEnding: string): Buffer {
  const frames = tricky.map((data, index) =>
    [`: comment ${index}`, `event: e${index}`, `id: ${index}`, 'retry: 5', `data: ${data}`, '', ''].join(lineEnding),
  );
  return Buffer.from(frames.join(''));
}

describe.each([
  ['LF', '\n'],
  ['CRLF', '\r\n'],
  ['CR', '\r'],
])('lines that end in %s', (_name, lineEnding) => {
  const bytes = stream(lineEnding);

  test('whole', () => {
    expect(decode(bytes)).toEqual({ events: tricky, unfinished: false });
  });

  test('cut at every place in turn', () => {
    for (let place = 1; place < bytes.byteLength; place += 1) expect(decode(bytes, [place]).events).toEqual(tricky);
  });

  test('one byte at a time', () => {
    const everywhere = Array.from({ length: bytes.byteLength - 1 }, (_, index) => index + 1);
    expect(decode(bytes, everywhere)).toEqual({ events: tricky, unfinished: false });
  });
});

test('however it is cut, the same events come out', () => {
  const data = fc.string({ unit: 'grapheme' }).map((value) => value.replaceAll(/[\r\n]/g, ''));
  const property = fc.property(
    fc.array(data),
    fc.constantFrom('\n', '\r\n', '\r'),
    fc.array(fc.nat()),
    (texts, end, cuts) => {
      const bytes = Buffer.from(texts.map((text) => `data: ${text}${end}${end}`).join(''));
      const places = [...new Set(cuts.map((cut) => cut % (bytes.byteLength + 1)))].sort((left, right) => left - right);
      expect(decode(bytes, places).events).toEqual(texts.map((text) => Buffer.from(text).toString()));
    },
  );
  fc.assert(property, { numRuns: 300 });
});

test('data of several lines is joined, fields without a space or a colon count', () => {
  expect(decode(Buffer.from('data: a\ndata:b\ndata\n\ndata\n\n')).events).toEqual(['a\nb\n', '']);
});

test('a byte order mark is no part of the first line', () => {
  expect(decode(Buffer.from('\ufeffdata: a\n\n'), [1, 2]).events).toEqual(['a']);
});

test('an event without its blank line is not handed out', () => {
  expect(decode(Buffer.from('data: a\n\ndata: b\n'))).toEqual({ events: ['a'], unfinished: true });
  expect(decode(Buffer.from('data: a\n\ndat'))).toEqual({ events: ['a'], unfinished: true });
});
