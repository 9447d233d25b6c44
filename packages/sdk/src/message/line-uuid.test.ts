import * as protocol from '@rondo/protocol/values';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { deriveUuid, messageUuid, uuidBehind } from './line-uuid.ts';

test('a line has the UUID that the protocol gives it', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 200 }), fc.nat(), (name, block) => {
      expect(deriveUuid(name)).toBe(protocol.deriveUuid(name));
      expect(messageUuid(name, block)).toBe(protocol.messageUuid(name, block));
    }),
  );
});

test('what is counted up from a UUID is a UUID of the same version, and each is another one', () => {
  const first = messageUuid('entry', 'stream');
  const counted = Array.from({ length: 1_000 }, (_, count) => uuidBehind(first, count));
  expect(counted[0]).toBe(first);
  expect(new Set(counted).size).toBe(1_000);
  for (const uuid of counted)
    expect(uuid).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  expect(uuidBehind('00000000-0000-5000-8000-ffffffffffff', 1)).toBe('00000000-0000-5000-8000-000000000000');
});
