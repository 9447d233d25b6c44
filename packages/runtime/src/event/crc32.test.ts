import { crc32 as reference } from 'node:zlib';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { crc32 } from './crc32.ts';

test.each(['in a short session', 'and after megabytes'])('is the CRC-32 that everybody computes, %s', (when) => {
  if (when === 'and after megabytes') crc32(new Uint8Array(2 * 1024 * 1024));
  expect(crc32(new TextEncoder().encode('123456789'))).toBe(0xcbf43926);
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 100 }), fc.nat(100), fc.nat(100), (bytes, one, other) => {
      const start = Math.min(one, bytes.length);
      const end = Math.max(start, Math.min(other, bytes.length));
      expect(crc32(bytes, start, end)).toBe(reference(bytes.subarray(start, end)));
    }),
  );
});
