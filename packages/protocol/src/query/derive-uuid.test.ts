import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { deriveUuid, isUuid, MESSAGE_NAMESPACE, messageUuid } from './derive-uuid.ts';

const dns = '6ba7b810-9dad-11d1-80b4-00c04fd430c8';

test('the known answer for a DNS name', () => {
  expect(deriveUuid('www.example.com', dns)).toBe('2ed6657d-e927-568b-95e1-2665a8aea6a2');
});

test('any name gives what SHA-1 gives, whatever its length and alphabet', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 300 }), (name) => {
      expect(deriveUuid(name)).toBe(reference(name));
    }),
  );
  for (const length of [0, 38, 39, 40, 47, 48, 103, 104, 5000]) {
    expect(deriveUuid('x'.repeat(length))).toBe(reference('x'.repeat(length)));
  }
});

test('a message line is named by its entry and block', () => {
  expect(messageUuid('e1', 0)).toBe(messageUuid('e1', 0));
  expect(messageUuid('e1', 0)).not.toBe(messageUuid('e1', 1));
  expect(isUuid(messageUuid('e1', 0))).toBe(true);
  expect(isUuid('e1')).toBe(false);
});

test('the namespace is what stored programs know', () => {
  expect(messageUuid('entry', 0)).toBe(reference('entry/0'));
  expect(MESSAGE_NAMESPACE).toBe('8f5b4c1e-6f0a-5f4e-9c57-2d1b7a3e90d4');
});

function reference(name: string): string {
  const namespace = Buffer.from(MESSAGE_NAMESPACE.replaceAll('-', ''), 'hex');
  const bytes = createHash('sha1').update(namespace).update(name, 'utf8').digest().subarray(0, 16);
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x50;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = bytes.toString('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}
