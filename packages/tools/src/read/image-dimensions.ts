import type { ImageType } from './file-signature.ts';

export interface ImageDimensions {
  readonly width: number;
  readonly height: number;
}

/** Width and height as the file's header says; undefined when it is damaged. */
export function imageDimensions(bytes: Buffer, mediaType: ImageType): ImageDimensions | undefined {
  try {
    const found = readers[mediaType](bytes);
    return found !== undefined && found.width > 0 && found.height > 0 ? found : undefined;
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

const readers: Readonly<Record<ImageType, (bytes: Buffer) => ImageDimensions | undefined>> = {
  'image/png': (bytes) => ({ width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) }),
  'image/gif': (bytes) => ({ width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) }),
  'image/jpeg': jpegDimensions,
  'image/webp': webpDimensions,
};

/** Walks the segments to the frame header: C0 to CF but C4, C8 and CC, which are tables. */
function jpegDimensions(bytes: Buffer): ImageDimensions | undefined {
  let at = 2;
  while (bytes.readUInt8(at) === 0xff) {
    const marker = bytes.readUInt8(at + 1);
    if (marker === 0xff) {
      at += 1;
      continue;
    }
    const isFrame = marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
    if (isFrame) return { height: bytes.readUInt16BE(at + 5), width: bytes.readUInt16BE(at + 7) };
    at += 2 + bytes.readUInt16BE(at + 2);
  }
  return undefined;
}

function webpDimensions(bytes: Buffer): ImageDimensions | undefined {
  switch (bytes.toString('latin1', 12, 16)) {
    case 'VP8 ':
      return { width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff };
    case 'VP8L': {
      const bits = bytes.readUInt32LE(21);
      return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
    }
    case 'VP8X':
      return { width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 };
    default:
      return undefined;
  }
}
