export interface ImageHeader {
  /** Pixels. */
  readonly width: number;
  readonly height: number;
  /** More than one picture, shown one after the other. */
  readonly animated: boolean;
  /** The file's own lengths say that its end is missing. JPEG and GIF do not say. */
  readonly truncated: boolean;
}

/** Bytes that are looked at here and there, so that nothing has to be decoded whole. */
interface ByteSource {
  readonly length: number;
  /** Exactly that many bytes, or undefined where the source ends before. */
  bytes(offset: number, count: number): Uint8Array | undefined;
}

/** The four types that models take. */
export type ImageMediaType = 'image/png' | 'image/jpeg' | 'image/gif' | 'image/webp';

/** A file has a few parts before its picture. One that has more is made to keep its reader busy. */
const MOST_STEPS = 10_000;

/** What an image's own header says, from its bytes or their base64; undefined when it is damaged or says 0 pixels. */
export function readImageHeader(data: Uint8Array | string, mediaType: ImageMediaType): ImageHeader | undefined {
  const found = readers[mediaType](typeof data === 'string' ? base64Source(data) : byteSource(data));
  return found !== undefined && found.width > 0 && found.height > 0 ? found : undefined;
}

const readers: Readonly<Record<ImageMediaType, (source: ByteSource) => ImageHeader | undefined>> = {
  'image/png': pngHeader,
  'image/gif': gifHeader,
  'image/jpeg': jpegHeader,
  'image/webp': webpHeader,
};

function byteSource(data: Uint8Array): ByteSource {
  return {
    length: data.length,
    bytes: (offset, count) => (offset + count > data.length ? undefined : data.subarray(offset, offset + count)),
  };
}

/** Four characters are three bytes, so any place can be decoded by itself. */
function base64Source(base64: string): ByteSource {
  const padding = base64.endsWith('==') ? 2 : base64.endsWith('=') ? 1 : 0;
  const length = Math.floor(base64.length / 4) * 3 - padding;
  return {
    length,
    bytes(offset, count) {
      if (offset + count > length) return undefined;
      const first = Math.floor(offset / 3);
      const text = atob(base64.slice(first * 4, Math.ceil((offset + count) / 3) * 4));
      const from = offset - first * 3;
      return Uint8Array.from({ length: count }, (_, index) => text.charCodeAt(from + index));
    },
  };
}

function pngHeader(source: ByteSource): ImageHeader | undefined {
  const head = source.bytes(12, 12);
  if (head === undefined || textOf(head, 0, 4) !== 'IHDR') return undefined;
  let animated = false;
  let pictureBegan = false;
  let at = 8;
  let steps = 0;
  for (; at < source.length && steps < MOST_STEPS; steps += 1) {
    const chunk = source.bytes(at, 8);
    if (chunk === undefined) break;
    const kind = textOf(chunk, 4, 8);
    pictureBegan ||= kind === 'IDAT';
    animated ||= kind === 'acTL' && !pictureBegan;
    at += 12 + bigEndian(chunk, 0, 4);
    if (kind === 'IEND') break;
  }
  const truncated = at > source.length || (!pictureBegan && steps < MOST_STEPS);
  return { width: bigEndian(head, 4, 4), height: bigEndian(head, 8, 4), animated, truncated };
}

/** Walks the segments to the frame header: C0 to CF but C4, C8 and CC, which are tables. */
function jpegHeader(source: ByteSource): ImageHeader | undefined {
  let at = 2;
  for (let steps = 0; steps < MOST_STEPS; steps += 1) {
    const [lead, marker] = source.bytes(at, 2) ?? [];
    if (lead !== 0xff || marker === undefined) return undefined;
    if (marker === 0xff) {
      at += 1;
      continue;
    }
    if (marker === 0x01 || (marker >= 0xd0 && marker <= 0xd8)) {
      at += 2;
      continue;
    }
    // The picture or its end, and no header was before it.
    if (marker === 0xd9 || marker === 0xda) return undefined;
    const segment = source.bytes(at + 2, 2);
    if (segment === undefined) return undefined;
    if (marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc) {
      const size = source.bytes(at + 5, 4);
      if (size === undefined) return undefined;
      return { height: bigEndian(size, 0, 2), width: bigEndian(size, 2, 2), animated: false, truncated: false };
    }
    at += 2 + bigEndian(segment, 0, 2);
  }
  return undefined;
}

function gifHeader(source: ByteSource): ImageHeader | undefined {
  const head = source.bytes(6, 7);
  if (head === undefined) return undefined;
  const animated = hasSecondPicture(source, 13 + colorTableSize(head[4] ?? 0));
  return { width: littleEndian(head, 0, 2), height: littleEndian(head, 2, 2), animated, truncated: false };
}

function hasSecondPicture(source: ByteSource, start: number): boolean {
  let pictures = 0;
  let at = start;
  for (let steps = 0; steps < MOST_STEPS; steps += 1) {
    const kind = source.bytes(at, 1)?.[0];
    if (kind === 0x2c) {
      pictures += 1;
      if (pictures > 1) return true;
      const descriptor = source.bytes(at, 10);
      if (descriptor === undefined) return false;
      at += 11 + colorTableSize(descriptor[9] ?? 0);
    } else if (kind === 0x21) {
      at += 2;
    } else {
      return false;
    }
    for (let length = source.bytes(at, 1)?.[0]; ; length = source.bytes(at, 1)?.[0]) {
      if (length === undefined) return false;
      at += 1 + length;
      if (length === 0) break;
    }
  }
  return false;
}

function colorTableSize(flags: number): number {
  return (flags & 0x80) === 0 ? 0 : 3 * 2 ** ((flags & 0x07) + 1);
}

function webpHeader(source: ByteSource): ImageHeader | undefined {
  const head = source.bytes(0, 30);
  if (head === undefined) return undefined;
  const truncated = littleEndian(head, 4, 4) + 8 > source.length;
  const still = { animated: false, truncated };
  switch (textOf(head, 12, 16)) {
    case 'VP8 ':
      if (bigEndian(head, 23, 3) !== 0x9d012a) return undefined;
      return { width: littleEndian(head, 26, 2) & 0x3fff, height: littleEndian(head, 28, 2) & 0x3fff, ...still };
    case 'VP8L': {
      if (head[20] !== 0x2f) return undefined;
      const bits = littleEndian(head, 21, 4);
      return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1, ...still };
    }
    case 'VP8X': {
      const animated = ((head[20] ?? 0) & 0x02) !== 0;
      return { width: littleEndian(head, 24, 3) + 1, height: littleEndian(head, 27, 3) + 1, animated, truncated };
    }
    default:
      return undefined;
  }
}

function textOf(bytes: Uint8Array, from: number, to: number): string {
  return String.fromCharCode(...bytes.subarray(from, to));
}

function bigEndian(bytes: Uint8Array, from: number, count: number): number {
  let value = 0;
  for (let index = from; index < from + count; index += 1) value = value * 256 + (bytes[index] ?? 0);
  return value;
}

function littleEndian(bytes: Uint8Array, from: number, count: number): number {
  let value = 0;
  for (let index = from + count - 1; index >= from; index -= 1) value = value * 256 + (bytes[index] ?? 0);
  return value;
}
