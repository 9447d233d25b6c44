import type * as zlib from 'node:zlib';

let ofZlib: typeof zlib.crc32 | undefined;

/**
 * CRC-32 (the polynomial of zlib and Ethernet) of a part of the bytes, as an unsigned number. Zlib is loaded with the first
 * one, while a first request is on its way; a loop of ours was compiled twice within twenty steps, which cost more.
 */
export function crc32(bytes: Uint8Array, start = 0, end = bytes.length): number {
  ofZlib ??= process.getBuiltinModule('node:zlib').crc32;
  return ofZlib(bytes.subarray(start, end));
}
