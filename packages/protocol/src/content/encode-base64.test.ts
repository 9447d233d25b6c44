import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { encodeBase64, encodeByTable } from './encode-base64.ts';

const bytes = fc.uint8Array({ maxLength: 100 });

test('both ways of encoding say what the platform decodes, also for a part of a larger memory', () => {
  fc.assert(
    fc.property(bytes, fc.nat({ max: 5 }), (whole, skipped) => {
      const part = whole.subarray(skipped);
      for (const encode of [encodeBase64, encodeByTable]) {
        expect(Uint8Array.from(atob(encode(part)), (character) => character.charCodeAt(0))).toEqual(part.slice());
      }
    }),
  );
});

test('padding and the last letters of the alphabet', () => {
  const of = (...values: number[]): string[] =>
    [encodeBase64, encodeByTable].map((encode) => encode(Uint8Array.from(values)));
  expect(of()).toEqual(['', '']);
  expect(of(255)).toEqual(['/w==', '/w==']);
  expect(of(251, 239)).toEqual(['++8=', '++8=']);
  expect(of(1, 2, 3)).toEqual(['AQID', 'AQID']);
});

test('a platform without Buffer is served, and one that encodes by itself is used', () => {
  vi.stubGlobal('Buffer', undefined);
  expect(encodeBase64(Uint8Array.from([1, 2]))).toBe('AQI=');
  vi.unstubAllGlobals();
  expect(encodeBase64(Object.assign(Uint8Array.from([1]), { toBase64: () => 'its own' }))).toBe('its own');
});
