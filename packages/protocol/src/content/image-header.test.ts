import { Buffer } from 'node:buffer';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type ImageMediaType, readImageHeader } from './image-header.ts';

const bigEndian = (value: number, count: number): number[] =>
  Array.from({ length: count }, (_, index) => Math.floor(value / 256 ** (count - 1 - index)) % 256);
const littleEndian = (value: number, count: number): number[] => bigEndian(value, count).reverse();
const letters = (text: string): number[] => Array.from(text, (letter) => letter.charCodeAt(0));

const chunk = (kind: string, data: readonly number[]): number[] => [
  ...bigEndian(data.length, 4),
  ...letters(kind),
  ...data,
  0,
  0,
  0,
  0,
];
const png = (width: number, height: number, ...chunks: number[][]): number[] => [
  0x89,
  ...letters('PNG\r\n\x1a\n'),
  ...chunk('IHDR', [...bigEndian(width, 4), ...bigEndian(height, 4), 8, 6, 0, 0, 0]),
  ...(chunks.length > 0 ? chunks.flat() : [...chunk('IDAT', [1, 2, 3]), ...chunk('IEND', [])]),
];
const segment = (marker: number, length: number): number[] => [
  0xff,
  marker,
  ...bigEndian(length, 2),
  ...Array.from({ length: length - 2 }, () => 0),
];
const frame = (width: number, height: number, marker = 0xc0): number[] => [
  0xff,
  marker,
  0,
  17,
  8,
  ...bigEndian(height, 2),
  ...bigEndian(width, 2),
  3,
  1,
  0x22,
  0,
  2,
  0x11,
  1,
  3,
  0x11,
  1,
];
const jpeg = (...parts: number[][]): number[] => [0xff, 0xd8, ...parts.flat(), 0xff, 0xda, 0, 2, 0xff, 0xd9];
const picture = [0x2c, 0, 0, 0, 0, 1, 0, 1, 0, 0, 2, 3, 1, 2, 3, 0];
const gif = (width: number, height: number, pictures = 1): number[] => [
  ...letters('GIF89a'),
  ...littleEndian(width, 2),
  ...littleEndian(height, 2),
  // A colour table of two colours.
  0x80,
  0,
  0,
  1,
  2,
  3,
  4,
  5,
  6,
  0x21,
  0xf9,
  4,
  0,
  10,
  0,
  0,
  0,
  ...Array.from({ length: pictures }, () => picture).flat(),
  0x3b,
];
const webp = (kind: string, body: readonly number[], missing = 0): number[] => [
  ...letters('RIFF'),
  ...littleEndian(12 + body.length + missing, 4),
  ...letters(`WEBP${kind}`),
  ...littleEndian(body.length, 4),
  ...body,
];
const lossy = (width: number, height: number): number[] => [
  0,
  0,
  0,
  0x9d,
  0x01,
  0x2a,
  ...littleEndian(width, 2),
  ...littleEndian(height, 2),
  0,
  0,
];
const lossless = (width: number, height: number): number[] => {
  const bits = (width - 1) | ((height - 1) << 14);
  return [0x2f, bits & 255, (bits >>> 8) & 255, (bits >>> 16) & 255, bits >>> 24, 0, 0, 0, 0, 0];
};
const extended = (width: number, height: number, flags = 0): number[] => [
  flags,
  0,
  0,
  0,
  ...littleEndian(width - 1, 3),
  ...littleEndian(height - 1, 3),
];

function read(bytes: readonly number[], mediaType: ImageMediaType) {
  const whole = Uint8Array.from(bytes);
  const header = readImageHeader(whole, mediaType);
  expect(readImageHeader(Buffer.from(whole).toString('base64'), mediaType)).toEqual(header);
  return header;
}

const still = { animated: false, truncated: false };

describe('the header of an image', () => {
  const size = { width: 300, height: 200 };
  test.each<[string, ImageMediaType, number[]]>([
    ['PNG', 'image/png', png(300, 200)],
    ['JPEG', 'image/jpeg', jpeg(frame(300, 200))],
    ['progressive JPEG', 'image/jpeg', jpeg(frame(300, 200, 0xc2))],
    [
      'JPEG with EXIF, tables and filling before its frame',
      'image/jpeg',
      jpeg(segment(0xe1, 65_535), segment(0xc4, 30), segment(0xdb, 67), [0xff, 0xff], frame(300, 200)),
    ],
    [
      'JPEG with many segments',
      'image/jpeg',
      jpeg(...Array.from({ length: 40 }, () => segment(0xe2, 60_000)), frame(300, 200)),
    ],
    ['JPEG with a mark that has no length', 'image/jpeg', jpeg([0xff, 0x01], frame(300, 200))],
    ['GIF', 'image/gif', gif(300, 200)],
    ['lossy WebP', 'image/webp', webp('VP8 ', lossy(300, 200))],
    ['lossless WebP', 'image/webp', webp('VP8L', lossless(300, 200))],
    ['extended WebP', 'image/webp', webp('VP8X', extended(300, 200))],
  ])('of a %s is read from bytes and from base64', (_, mediaType, bytes) => {
    expect(read(bytes, mediaType)).toEqual({ ...size, ...still });
  });

  test('is that of the largest sizes that the formats know', () => {
    expect(read(png(2 ** 31, 2 ** 32 - 1), 'image/png')).toMatchObject({ width: 2 ** 31, height: 2 ** 32 - 1 });
    expect(read(webp('VP8L', lossless(16_384, 16_384)), 'image/webp')).toMatchObject({ width: 16_384, height: 16_384 });
    expect(read(webp('VP8X', extended(2 ** 24, 1)), 'image/webp')).toMatchObject({ width: 2 ** 24, height: 1 });
  });

  test.each<[string, ImageMediaType, number[]]>([
    ['no pixels', 'image/png', png(0, 200)],
    ['no pixels', 'image/gif', gif(10, 0)],
    ['no header where it belongs', 'image/png', png(1, 1).map((byte, index) => (index === 12 ? 0 : byte))],
    ['an end before its header', 'image/png', png(1, 1).slice(0, 20)],
    ['an end before its frame', 'image/jpeg', [0xff, 0xd8, ...segment(0xe1, 100)]],
    ['a picture before its frame', 'image/jpeg', jpeg([])],
    ['something else between its segments', 'image/jpeg', [0xff, 0xd8, ...letters('<html>')]],
    ['a segment of no length, again and again', 'image/jpeg', [0xff, 0xd8, 0xff, 0xe0, 0, 0]],
    ['no mark of a key frame', 'image/webp', webp('VP8 ', lossy(1, 1).fill(0, 3, 6))],
    ['no mark of a lossless picture', 'image/webp', webp('VP8L', lossless(1, 1).fill(0, 0, 1))],
    ['an unknown kind', 'image/webp', webp('VP9 ', extended(1, 1))],
    ['an end at once', 'image/webp', letters('RIFF')],
  ])('with %s is damaged (%s)', (_, mediaType, bytes) => {
    expect(read(bytes, mediaType)).toBeUndefined();
  });

  test('says whether there is more than one picture', () => {
    expect(read(gif(3, 2, 2), 'image/gif')).toEqual({ width: 3, height: 2, animated: true, truncated: false });
    expect(read(webp('VP8X', extended(3, 2, 0x02)), 'image/webp')?.animated).toBe(true);
    const animation = chunk('acTL', [0, 0, 0, 2, 0, 0, 0, 0]);
    expect(read(png(3, 2, animation, chunk('IDAT', [1]), chunk('IEND', [])), 'image/png')?.animated).toBe(true);
    expect(read(png(3, 2, chunk('IDAT', [1]), animation, chunk('IEND', [])), 'image/png')?.animated).toBe(false);
  });

  test('says whether the end is missing', () => {
    const whole = png(3, 2);
    expect(read([...whole, 1, 2, 3], 'image/png')?.truncated).toBe(false);
    expect(read(whole.slice(0, 45), 'image/png')?.truncated).toBe(true);
    for (const length of [33, 34, 41]) expect(read(whole.slice(0, length), 'image/png')?.truncated).toBe(true);
    expect(read(webp('VP8 ', lossy(3, 2), 100), 'image/webp')?.truncated).toBe(true);
  });

  test('of any bytes is read or is not, and takes no time', () => {
    const types: ImageMediaType[] = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'];
    const starts = [png(3, 2), jpeg(frame(3, 2)), gif(3, 2, 2), webp('VP8L', lossless(3, 2))];
    fc.assert(
      fc.property(fc.nat(3), fc.nat(60), fc.uint8Array({ maxLength: 60 }), (kind, kept, tail) => {
        const header = read([...(starts[kind] ?? []).slice(0, kept), ...tail], types[kind] ?? 'image/png');
        if (header !== undefined) expect(Math.min(header.width, header.height)).toBeGreaterThan(0);
      }),
      { numRuns: 500 },
    );
  });
});
