import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { EncodedJson } from './encode-message.ts';
import { joinMessages } from './join-messages.ts';

const message = (text: string): EncodedJson => ({ bytes: Buffer.from(text), markAt: -1 });
const naive = (messages: readonly EncodedJson[]): string =>
  messages.map(({ bytes }) => `${bytes.toString()},`).join('');

test('whatever conversations do, the bytes are those of their messages, and no bytes that were given change', () => {
  // Two conversations with different beginnings, that grow, lose their end and take another turn, in any order.
  const change = fc.record({
    conversation: fc.nat(1),
    keep: fc.nat(6),
    add: fc.array(fc.string({ minLength: 1, maxLength: 40 }), { maxLength: 4 }),
  });
  fc.assert(
    fc.property(fc.array(change, { maxLength: 12 }), (changes) => {
      const conversations = [[message('one')], [message('another')]];
      const given: { readonly bytes: Buffer; readonly text: string }[] = [];
      for (const { conversation, keep, add } of changes) {
        const before = conversations[conversation] ?? [];
        const messages = [...before.slice(0, Math.max(1, before.length - keep)), ...add.map(message)];
        conversations[conversation] = messages;
        const bytes = joinMessages(messages);
        given.push({ bytes, text: naive(messages) });
        for (const each of given) expect(each.bytes.toString()).toBe(each.text);
      }
    }),
  );
});

test('a conversation that grows is copied once, not with every request', () => {
  const messages = [message('a'), message('b'.repeat(100))];
  joinMessages(messages);
  messages.push(message('c'));
  const grown = joinMessages(messages);
  messages.push(message('d'));
  expect(joinMessages(messages).buffer).toBe(grown.buffer);
});

test('no messages have no bytes', () => {
  expect(joinMessages([])).toHaveLength(0);
});
