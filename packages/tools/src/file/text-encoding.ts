import { isUtf8 as isWholeUtf8 } from 'node:buffer';

/**
 * How a text file's bytes stand for characters. Without a byte order mark: UTF-8 when the bytes are valid UTF-8, UTF-16
 * when every second byte of mostly Latin text is zero, else windows-1252, which is Latin-1 with letters and quotes where
 * Latin-1 has control characters; it maps every byte to one character and back.
 */
export type Encoding = 'utf-8' | 'utf-16le' | 'utf-16be' | 'windows-1252';

export interface TextFormat {
  readonly encoding: Encoding;
  /** Bytes of the byte order mark at the start of the file, 0 when there is none. */
  readonly markBytes: number;
}

/** The format of a text, or undefined when the bytes are no text. `whole` is false for the first part of a file. */
export function detectTextFormat(bytes: Buffer, whole = true): TextFormat | undefined {
  if (startsWith(bytes, 0xef, 0xbb, 0xbf))
    return { encoding: isUtf8(bytes, whole) ? 'utf-8' : 'windows-1252', markBytes: 3 };
  if (startsWith(bytes, 0xff, 0xfe) && !startsWith(bytes, 0xff, 0xfe, 0, 0))
    return { encoding: 'utf-16le', markBytes: 2 };
  if (startsWith(bytes, 0xfe, 0xff)) return { encoding: 'utf-16be', markBytes: 2 };
  const sample = bytes.subarray(0, 65_536);
  if (sample.includes(0)) {
    const encoding = guessUtf16(sample);
    return encoding === undefined ? undefined : { encoding, markBytes: 0 };
  }
  if (isUtf8(bytes, whole)) return { encoding: 'utf-8', markBytes: 0 };
  return hasControlBytes(sample) ? undefined : { encoding: 'windows-1252', markBytes: 0 };
}

const windows1252 = new TextDecoder('windows-1252');

/** The characters of bytes without their byte order mark. What the encoding has no character for reads as U+FFFD. */
export function decodeText(bytes: Buffer, encoding: Encoding): string {
  switch (encoding) {
    case 'utf-8':
      return bytes.toString('utf8');
    case 'utf-16le':
      return bytes.toString('utf16le');
    case 'utf-16be':
      return swapPairs(bytes).toString('utf16le');
    case 'windows-1252':
      return windows1252.decode(bytes);
  }
}

/** The characters of a file in a known format, its byte order mark left out. */
export function textIn(bytes: Buffer, { encoding, markBytes }: TextFormat): string {
  return decodeText(bytes.subarray(markBytes), encoding);
}

let windows1252Bytes: ReadonlyMap<string, number> | undefined;

/** The bytes of a text, without a byte order mark; or the first character that the encoding cannot hold. */
export function encodeText(
  text: string,
  encoding: Encoding,
): { readonly bytes: Buffer } | { readonly missing: string } {
  switch (encoding) {
    case 'utf-8':
      return { bytes: Buffer.from(text, 'utf8') };
    case 'utf-16le':
      return { bytes: Buffer.from(text, 'utf16le') };
    case 'utf-16be':
      return { bytes: swapPairs(Buffer.from(text, 'utf16le')) };
    case 'windows-1252': {
      windows1252Bytes ??= new Map(
        Array.from({ length: 256 }, (_, byte) => [windows1252.decode(Uint8Array.of(byte)), byte]),
      );
      const bytes = Buffer.alloc(text.length);
      let length = 0;
      for (const character of text) {
        const byte = windows1252Bytes.get(character);
        if (byte === undefined) return { missing: character };
        bytes[length] = byte;
        length += 1;
      }
      return { bytes: bytes.subarray(0, length) };
    }
  }
}

/** The name of an encoding for people. */
export function encodingName({ encoding, markBytes }: TextFormat): string {
  const name = encoding === 'windows-1252' ? 'Latin-1 (windows-1252)' : encoding.toUpperCase();
  return markBytes > 0 ? `${name} with a byte order mark` : name;
}

/** True when the bytes are UTF-8; a character cut off at the end of a part is no fault. */
export function isUtf8(bytes: Buffer, whole: boolean): boolean {
  return isWholeUtf8(whole ? bytes : withoutCutCharacter(bytes));
}

function withoutCutCharacter(bytes: Buffer): Buffer {
  let lead = bytes.length - 1;
  while (lead > bytes.length - 4 && ((bytes[lead] ?? 0) & 0xc0) === 0x80) lead -= 1;
  const first = bytes[lead] ?? 0;
  const length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc0 ? 2 : 1;
  return lead + length > bytes.length ? bytes.subarray(0, lead) : bytes;
}

function startsWith(bytes: Buffer, ...expected: readonly number[]): boolean {
  return expected.every((byte, index) => bytes[index] === byte);
}

function guessUtf16(sample: Buffer): Encoding | undefined {
  const zeros = [0, 0] as [number, number];
  for (const [index, byte] of sample.entries()) if (byte === 0) zeros[index % 2 === 0 ? 0 : 1] += 1;
  const pairs = sample.length / 2;
  if (sample.length % 2 !== 0 || pairs < 2) return undefined;
  if (zeros[0] === 0 && zeros[1] > pairs * 0.4) return 'utf-16le';
  if (zeros[1] === 0 && zeros[0] > pairs * 0.4) return 'utf-16be';
  return undefined;
}

/** Controls that no text has: all but tab, line breaks, form feed, backspace and escape. */
function hasControlBytes(sample: Buffer): boolean {
  return sample.some(
    (byte) => byte < 0x08 || byte === 0x0b || (byte > 0x0d && byte < 0x20 && byte !== 0x1b) || byte === 0x7f,
  );
}

function swapPairs(bytes: Buffer): Buffer {
  const even = Buffer.from(bytes.subarray(0, bytes.length - (bytes.length % 2)));
  return even.swap16();
}
