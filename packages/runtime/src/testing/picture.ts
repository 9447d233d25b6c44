import type { ImageContentBlock } from '@rondo/protocol';
import { imageBlockFromBytes, type ImageMediaType } from '@rondo/protocol/values';

export interface PictureOptions {
  /** Pixels; 4 x 3 unless said. */
  readonly width?: number;
  readonly height?: number;
  /** PNG unless said. */
  readonly mediaType?: ImageMediaType;
  /** How large the file is at least, about. */
  readonly bytes?: number;
  readonly animated?: boolean;
}

/** The bytes of an image file: whole and true in all that says what it is, with nothing to be seen in it. */
export function pictureBytes(options: PictureOptions = {}): Buffer {
  const { width = 4, height = 3, mediaType = 'image/png', bytes = 0, animated = false } = options;
  return Buffer.concat(files[mediaType]({ width, height, animated, filling: Math.max(1, bytes - 60) }));
}

/** The same as a content block. */
export function picture(options: PictureOptions = {}): ImageContentBlock {
  return imageBlockFromBytes(pictureBytes(options));
}

interface File {
  readonly width: number;
  readonly height: number;
  readonly animated: boolean;
  readonly filling: number;
}

const files: Readonly<Record<ImageMediaType, (file: File) => Buffer[]>> = {
  'image/png': ({ width, height, animated, filling }) => [
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', Buffer.concat([bigEndian(width, 4), bigEndian(height, 4), Buffer.from([8, 6, 0, 0, 0])])),
    animated ? chunk('acTL', Buffer.from([0, 0, 0, 2, 0, 0, 0, 0])) : Buffer.of(),
    chunk('IDAT', Buffer.alloc(filling)),
    chunk('IEND', Buffer.of()),
  ],
  'image/jpeg': ({ width, height, filling }) => [
    Buffer.from([0xff, 0xd8]),
    ...segments(filling),
    Buffer.from([0xff, 0xc0, 0, 17, 8]),
    bigEndian(height, 2),
    bigEndian(width, 2),
    Buffer.from([3, 1, 0x22, 0, 2, 0x11, 1, 3, 0x11, 1]),
    Buffer.from([0xff, 0xda, 0, 2, 0xff, 0xd9]),
  ],
  'image/gif': ({ width, height, animated, filling }) => [
    Buffer.from('GIF89a'),
    littleEndian(width, 2),
    littleEndian(height, 2),
    Buffer.from([0, 0, 0]),
    gifPicture,
    animated ? gifPicture : Buffer.of(),
    Buffer.from([0x3b]),
    Buffer.alloc(filling),
  ],
  'image/webp': ({ width, height, animated, filling }) => [
    Buffer.from('RIFF'),
    littleEndian(22 + filling, 4),
    Buffer.from('WEBPVP8X'),
    littleEndian(10, 4),
    Buffer.from([animated ? 2 : 0, 0, 0, 0]),
    littleEndian(width - 1, 3),
    littleEndian(height - 1, 3),
    Buffer.alloc(filling),
  ],
};

const gifPicture = Buffer.from([0x2c, 0, 0, 0, 0, 1, 0, 1, 0, 0, 2, 1, 1, 0]);

function chunk(kind: string, data: Buffer): Buffer {
  return Buffer.concat([bigEndian(data.length, 4), Buffer.from(kind), data, Buffer.alloc(4)]);
}

/** Segments that say nothing, each as long as one may be. */
function segments(bytes: number): Buffer[] {
  const all: Buffer[] = [];
  for (let left = bytes; left >= 4; left -= 65_537) {
    const length = Math.min(left - 2, 65_535);
    all.push(Buffer.from([0xff, 0xe2]), bigEndian(length, 2), Buffer.alloc(length - 2));
  }
  return all;
}

function bigEndian(value: number, count: number): Buffer {
  const bytes = Buffer.alloc(count);
  bytes.writeUIntBE(value, 0, count);
  return bytes;
}

function littleEndian(value: number, count: number): Buffer {
  const bytes = Buffer.alloc(count);
  bytes.writeUIntLE(value, 0, count);
  return bytes;
}
