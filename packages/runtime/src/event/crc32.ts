/** The remainder of each byte. */
let table: Int32Array | undefined;
/** Eight tables, one behind the other: the remainder of a byte that stands 0 to 7 places before the end of its word. */
let wideTable: Int32Array | undefined;

/** So many bytes, and making the wide table has paid for itself. A short session never gets there. */
const WIDE_FROM_BYTES = 1024 * 1024;
let summedBytes = 0;

/**
 * CRC-32 (the polynomial of zlib and Ethernet) of a part of the bytes, as an unsigned number. Ours rather than zlib's,
 * because loading `node:zlib` costs a start more than all lines of a short session, and this file runs in a browser.
 */
export function crc32(bytes: Uint8Array, start = 0, end = bytes.length): number {
  table ??= makeTable();
  summedBytes += end - start;
  if (summedBytes < WIDE_FROM_BYTES) return (remainder(-1, table, bytes, start, end) ^ -1) >>> 0;
  wideTable ??= widen(table);
  const wideEnd = start + ((end - start) & ~7);
  return (remainder(wideRemainder(wideTable, bytes, start, wideEnd), table, bytes, wideEnd, end) ^ -1) >>> 0;
}

// The indices below are in range, so what `?? 0` stands for never happens: it is what the compiler wants, and is free.

function remainder(from: number, bytewise: Int32Array, bytes: Uint8Array, start: number, end: number): number {
  let crc = from;
  for (let index = start; index < end; index += 1)
    crc = (crc >>> 8) ^ (bytewise[(crc ^ (bytes[index] ?? 0)) & 0xff] ?? 0);
  return crc;
}

/** Of whole words of eight bytes. */
function wideRemainder(wide: Int32Array, bytes: Uint8Array, start: number, end: number): number {
  let crc = -1;
  for (let index = start; index < end; index += 8) {
    crc ^=
      (bytes[index] ?? 0) |
      ((bytes[index + 1] ?? 0) << 8) |
      ((bytes[index + 2] ?? 0) << 16) |
      ((bytes[index + 3] ?? 0) << 24);
    crc =
      (wide[0x700 | (crc & 0xff)] ?? 0) ^
      (wide[0x600 | ((crc >>> 8) & 0xff)] ?? 0) ^
      (wide[0x500 | ((crc >>> 16) & 0xff)] ?? 0) ^
      (wide[0x400 | (crc >>> 24)] ?? 0) ^
      (wide[0x300 | (bytes[index + 4] ?? 0)] ?? 0) ^
      (wide[0x200 | (bytes[index + 5] ?? 0)] ?? 0) ^
      (wide[0x100 | (bytes[index + 6] ?? 0)] ?? 0) ^
      (wide[bytes[index + 7] ?? 0] ?? 0);
  }
  return crc;
}

/** The remainder of a sum is the sum of the remainders: those of the eight single bits make all of them. */
function makeTable(): Int32Array {
  const made = new Int32Array(256);
  let ofBit = 1;
  for (let bit = 0x80; bit > 0; bit >>= 1) {
    ofBit = ofBit & 1 ? (ofBit >>> 1) ^ 0xedb88320 : ofBit >>> 1;
    for (let byte = 0; byte < 256; byte += bit * 2) made[byte | bit] = (made[byte] ?? 0) ^ ofBit;
  }
  return made;
}

function widen(bytewise: Int32Array): Int32Array {
  const made = new Int32Array(8 * 256);
  made.set(bytewise);
  for (let index = 256; index < made.length; index += 1) {
    const nearer = made[index - 256] ?? 0;
    made[index] = (nearer >>> 8) ^ (bytewise[nearer & 0xff] ?? 0);
  }
  return made;
}
