import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ImageContentBlock } from './content-block.ts';
import { imageBlockFromBytes, sniffImageMediaType } from './image-block.ts';

const starts = {
  'image/png': [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a],
  'image/jpeg': [0xff, 0xd8, 0xff],
  'image/gif': [0x47, 0x49, 0x46, 0x38, 0x39, 0x61],
  'image/webp': [0x52, 0x49, 0x46, 0x46, 1, 2, 3, 4, 0x57, 0x45, 0x42, 0x50],
} as const;

describe('content.image.fromBytes.sniffs', () => {
  test.each(Object.entries(starts))('%s is known by its first bytes, not by fewer', (mediaType, start) => {
    expect(sniffImageMediaType(Uint8Array.from([...start, 9, 9]))).toBe(mediaType);
    expect(imageBlockFromBytes(Uint8Array.from(start))).toMatchObject({ type: 'image', mediaType });
    for (let length = 0; length < start.length; length += 1) {
      expect(sniffImageMediaType(Uint8Array.from(start.slice(0, length)))).toBeUndefined();
    }
  });

  test('both kinds of GIF, no third, and no other RIFF file', () => {
    const gif = (version: string): Uint8Array => new TextEncoder().encode(`GIF8${version}`);
    expect(sniffImageMediaType(gif('7a'))).toBe('image/gif');
    expect(sniffImageMediaType(gif('8a'))).toBeUndefined();
    expect(sniffImageMediaType(new TextEncoder().encode('RIFF....WAVE'))).toBeUndefined();
  });
});

describe('imageBlockFromBytes', () => {
  test('content.image.fromBytes.embeds: the data URI decodes to the bytes, of any length', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (tail) => {
        const bytes = Uint8Array.from([...starts['image/png'], ...tail]);
        const block = imageBlockFromBytes(bytes);
        const [head, data = ''] = block.uri.split(',');
        expect(head).toBe('data:image/png;base64');
        expect(Uint8Array.from(atob(data), (character) => character.charCodeAt(0))).toEqual(bytes);
        expect(ImageContentBlock.parse(block)).toEqual(block);
      }),
    );
  });

  test('longer than one stretch of the encoder', () => {
    const bytes = Uint8Array.from({ length: 100_000 }, (_, index) => index % 251);
    bytes.set(starts['image/png']);
    const data = imageBlockFromBytes(bytes).uri.split(',')[1] ?? '';
    expect(Uint8Array.from(atob(data), (character) => character.charCodeAt(0))).toEqual(bytes);
  });

  test('content.image.fromBytes.mediaTypeOverrides, content.image.fromBytes.altText, content.image.fromBytes.annotations: what is given wins, what is not is absent', () => {
    const bytes = Uint8Array.from(starts['image/png']);
    const block = imageBlockFromBytes(bytes, {
      mediaType: 'image/x-test',
      altText: 'a dot',
      annotations: { priority: 1 },
    });
    expect(block).toMatchObject({ mediaType: 'image/x-test', altText: 'a dot', annotations: { priority: 1 } });
    expect(block.uri).toMatch(/^data:image\/x-test;base64,/);
    expect(Object.keys(imageBlockFromBytes(bytes)).sort()).toEqual(['mediaType', 'type', 'uri']);
  });

  test('content.image.fromBytes.dataRequired: bytes of no known kind are a TypeError too, unless a media type is given', () => {
    const bytes = Uint8Array.from([1, 2, 3]);
    expect(() => imageBlockFromBytes(bytes)).toThrow(TypeError);
    expect(imageBlockFromBytes(bytes, { mediaType: 'image/bmp' }).mediaType).toBe('image/bmp');
    expect(() => Reflect.apply(imageBlockFromBytes, undefined, [])).toThrow(TypeError);
  });

  test('7,500,000 bytes are the most', () => {
    const largest = new Uint8Array(7_500_000);
    largest.set(starts['image/png']);
    expect(imageBlockFromBytes(largest).uri).toHaveLength('data:image/png;base64,'.length + 10_000_000);
    const tooLarge = new Uint8Array(7_500_001);
    tooLarge.set(starts['image/png']);
    expect(() => imageBlockFromBytes(tooLarge)).toThrow(/limit is 10000000/);
  });
});
