import * as protocol from '@rondo/protocol/values';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { deriveUuid, messageUuid } from './line-uuid.ts';

test('a line has the UUID that the protocol gives it', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 200 }), fc.nat(), (name, block) => {
      expect(deriveUuid(name)).toBe(protocol.deriveUuid(name));
      expect(messageUuid(name, block)).toBe(protocol.messageUuid(name, block));
    }),
  );
});
