import { expect, test } from 'vitest';
import { jsonLine } from './json-line.ts';
import { type Frame, readFrames } from './read-frames.ts';

async function* chunks(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.slice(at, at + size);
}

async function read(text: string | Uint8Array, size = 1_000, longest = 1_000): Promise<Frame[]> {
  const frames: Frame[] = [];
  const bytes = typeof text === 'string' ? new TextEncoder().encode(text) : text;
  for await (const frame of readFrames(chunks(bytes, size), { longest })) frames.push(frame);
  return frames;
}

const frames = [
  { text: 'caf\u00e9 \u{1f468}\u200d\u{1f469} \u2028\u2029' },
  { text: 'a\r\nb', lone: '\ud800' },
  { type: 'keep_alive' },
];

test.each([1, 2, 3, 7, 1_000])('frames are whole in pieces of %d bytes, whatever ends their lines', async (size) => {
  const text = frames.map((frame) => JSON.stringify(frame)).join('\r\n');
  expect(await read(text, size)).toEqual(frames);
  expect(await read(`\n \n${text}\n\r\n`, size)).toEqual(frames);
  expect(await read(frames.map(jsonLine).join(''), size)).toEqual(frames);
});

test('a line that is written has no character in it that a reader could take for its end', () => {
  for (const frame of frames) expect(jsonLine(frame)).toMatch(/^[^\n\r\u2028\u2029]*\n$/);
});

test.each([
  ['{"a":1}\n{"a":', 'Line 2 of standard input is no JSON'],
  ['[]', 'is JSON, but no object'],
  ['7', 'is JSON, but no object'],
  ['null', 'is JSON, but no object'],
  ['hello', 'is no JSON'],
  [Uint8Array.of(0x22, 0xc3, 0x22), 'is no JSON'],
  [`{"a":"${'x'.repeat(2_000)}"}`, 'is longer than 1000 bytes'],
])('%j is refused with the number of its line', async (text, message) => {
  await expect(read(text)).rejects.toThrow(message);
});

test('a line that is deeper than readers of it can go is refused, also where it is deeper than the stack', async () => {
  const nested = (levels: number): string => `{"a":${'['.repeat(levels)}${']'.repeat(levels)}}`;
  expect(await read(nested(511), 100_000, 1_000_000)).toHaveLength(1);
  for (const levels of [512, 100_000])
    await expect(read(nested(levels), 100_000, 1_000_000)).rejects.toThrow('Line 1 of standard input is nested deeper');
});
