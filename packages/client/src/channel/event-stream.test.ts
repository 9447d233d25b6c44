import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createEventStreamReader } from './event-stream.ts';

const bytesOf = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text);

test('names and data, whatever ends the lines; comments, IDs and what has no data are passed over', () => {
  for (const end of ['\n', '\r\n', '\r']) {
    const text = `\ufeff: hello\nid: s:1\nevent: notice\ndata: 1\n\nevent: none\n\ndata:2\ndata\ndata:  3\n\nretry: 5\n\nevent: end\ndata: {}\n\n`;
    expect(createEventStreamReader()(bytesOf(text.replaceAll('\n', end)))).toEqual([
      { name: 'notice', data: '1' },
      { name: 'message', data: '2\n\n 3' },
      { name: 'end', data: '{}' },
    ]);
  }
});

test('an event that is cut off before its blank line is none', () => {
  const read = createEventStreamReader();
  expect(read(bytesOf('data: 1\n'))).toEqual([]);
  expect(read(bytesOf('\n'))).toEqual([{ name: 'message', data: '1' }]);
});

test('however the bytes are cut, the events are those that were written', () => {
  const data = fc.jsonValue().map((value) => JSON.stringify(value));
  fc.assert(
    fc.property(fc.array(data), fc.array(fc.nat(300)), fc.constantFrom('\n', '\r\n', '\r'), (written, places, end) => {
      const bytes = bytesOf(written.map((text) => `event: x${end}data: ${text}${end}${end}`).join(''));
      const ends = [...places, bytes.length].filter((at) => at <= bytes.length).sort((left, right) => left - right);
      const read = createEventStreamReader();
      const events = ends.flatMap((at, index) => read(bytes.slice(ends[index - 1] ?? 0, at)));
      expect(events).toEqual(written.map((text) => ({ name: 'x', data: text })));
    }),
  );
});

test('line separators of other alphabets are data', () => {
  expect(createEventStreamReader()(bytesOf('data: a\u2028b\u0085c\n\n'))).toEqual([
    { name: 'message', data: 'a\u2028b\u0085c' },
  ]);
});
