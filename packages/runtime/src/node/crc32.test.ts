import { expect, test } from 'vitest';
import { crc32 } from './crc32.ts';

test('is the CRC-32 that everybody computes, of any part of the bytes', () => {
  const bytes = new TextEncoder().encode('--123456789--');
  expect(crc32(bytes, 2, 11)).toBe(0xcbf43926);
  expect(crc32(bytes.subarray(2, 11))).toBe(0xcbf43926);
  expect(crc32(bytes, 2, 2)).toBe(0);
});
