/** Eight tables, one behind the other: the remainder of a byte that stands 0 to 7 places before the end of its word. */
let tables: Int32Array | undefined;

/**
 * CRC-32 (the polynomial of zlib and Ethernet) of a part of the bytes, as an unsigned number. Ours rather than zlib's,
 * because loading `node:zlib` costs a start more than all lines of a short session, and this file runs in a browser.
 */
export function crc32(bytes: Uint8Array, start = 0, end = bytes.length): number {
  const table = (tables ??= makeTables());
  let crc = -1;
  let index = start;
  for (; index + 8 <= end; index += 8) {
    crc ^=
      byteAt(bytes, index) |
      (byteAt(bytes, index + 1) << 8) |
      (byteAt(bytes, index + 2) << 16) |
      (byteAt(bytes, index + 3) << 24);
    crc =
      entry(table, 7, crc) ^
      entry(table, 6, crc >>> 8) ^
      entry(table, 5, crc >>> 16) ^
      entry(table, 4, crc >>> 24) ^
      entry(table, 3, byteAt(bytes, index + 4)) ^
      entry(table, 2, byteAt(bytes, index + 5)) ^
      entry(table, 1, byteAt(bytes, index + 6)) ^
      entry(table, 0, byteAt(bytes, index + 7));
  }
  for (; index < end; index += 1) crc = (crc >>> 8) ^ entry(table, 0, crc ^ byteAt(bytes, index));
  return (crc ^ -1) >>> 0;
}

function byteAt(bytes: Uint8Array, index: number): number {
  return bytes[index] ?? 0;
}

function entry(table: Int32Array, distance: number, byte: number): number {
  return table[(distance << 8) | (byte & 0xff)] ?? 0;
}

function makeTables(): Int32Array {
  const made = new Int32Array(8 * 256);
  for (let byte = 0; byte < 256; byte += 1) {
    let remainder = byte;
    for (let bit = 0; bit < 8; bit += 1) remainder = remainder & 1 ? (remainder >>> 1) ^ 0xedb88320 : remainder >>> 1;
    made[byte] = remainder;
  }
  for (let index = 256; index < made.length; index += 1) {
    const nearer = made[index - 256] ?? 0;
    made[index] = (nearer >>> 8) ^ entry(made, 0, nearer);
  }
  return made;
}
