import type { AssistantEntry, ModelBlock, SessionEvent } from '@rondo/protocol';
import { expect, test } from 'vitest';
import { redactSecrets } from './redact-secrets.ts';

const secret = 'sk-0123456789';
const inTurn = { seq: 1, id: 's:1', at: '', sessionId: 's', turnId: 't' };
const completed = (...content: ModelBlock[]): SessionEvent => ({
  ...inTurn,
  type: 'entry.completed',
  entry: { type: 'assistant', id: 'a', model: 'test/one', content } satisfies AssistantEntry,
});

function contentAfter(...content: ModelBlock[]): readonly unknown[] {
  const { event, json } = redactSecrets(completed(...content), [secret]);
  expect(JSON.parse(json)).toEqual(event);
  expect(json).not.toContain(secret);
  if (event.type !== 'entry.completed' || event.entry.type !== 'assistant') throw new Error('another event');
  return event.entry.content;
}

test('an event without a secret is the same object', () => {
  const event = completed({ type: 'reasoning', text: 'hm', signature: 's' });
  expect(redactSecrets(event, [secret]).event).toBe(event);
});

test('a block that was redacted keeps nothing that its provider made for it; the others keep theirs', () => {
  const providerData = { id: 'x' };
  expect(
    contentAfter(
      { type: 'text', text: `it is ${secret}`, providerData },
      { type: 'text', text: 'plain', providerData },
      { type: 'tool_call', toolCallId: 'c', name: 'Bash', input: { command: `echo ${secret}` }, providerData },
      { type: 'tool_call', toolCallId: 'd', name: 'Bash', input: {}, providerData },
    ),
  ).toEqual([
    { type: 'text', text: 'it is [redacted]' },
    { type: 'text', text: 'plain', providerData },
    { type: 'tool_call', toolCallId: 'c', name: 'Bash', input: { command: 'echo [redacted]' } },
    { type: 'tool_call', toolCallId: 'd', name: 'Bash', input: {}, providerData },
  ]);
});

test('when one piece of the reasoning was redacted, none of it keeps its seal', () => {
  expect(
    contentAfter(
      { type: 'reasoning', text: 'first', signature: 's', providerData: { a: 1 } },
      { type: 'reasoning', text: secret, signature: 's' },
      { type: 'reasoning', text: '', redacted: 'r' },
      { type: 'text', text: 'so' },
    ),
  ).toEqual([
    { type: 'reasoning', text: 'first' },
    { type: 'reasoning', text: '[redacted]' },
    { type: 'reasoning', text: '' },
    { type: 'text', text: 'so' },
  ]);
  expect(contentAfter({ type: 'text', text: secret }, { type: 'reasoning', text: 'hm', signature: 's' })[1]).toEqual({
    type: 'reasoning',
    text: 'hm',
    signature: 's',
  });
});

test('a block that only its provider understands says that it is no longer what came', () => {
  const raw = { type: 'server_tool_use', input: { query: secret } };
  expect(
    contentAfter({ type: 'opaque', provider: 'test', raw }, { type: 'opaque', provider: 'test', raw: { n: 1 } }),
  ).toEqual([
    {
      type: 'opaque',
      provider: 'test',
      raw: { type: 'server_tool_use', input: { query: '[redacted]' } },
      altered: true,
    },
    { type: 'opaque', provider: 'test', raw: { n: 1 } },
  ]);
});
