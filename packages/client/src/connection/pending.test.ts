import { expect, test } from 'vitest';
import { trustHost } from './host-reader.ts';
import { createPending } from './pending.ts';

test('a frame that was too large to be read for its ID is the largest that waits', async () => {
  const pending = createPending();
  const small = pending.ask('session/read', { sessionId: 's' }, undefined, () => {});
  const large = pending.ask('turn/start', { content: 'x'.repeat(100) }, undefined, () => {});
  const data = { code: 'protocol.frame_too_large', message: 'm', retryable: false };
  pending.settle({ jsonrpc: '2.0', id: null, error: { code: -32000, message: 'm', data } }, trustHost);
  await expect(large).rejects.toMatchObject({ code: 'protocol.frame_too_large' });
  pending.settle({ jsonrpc: '2.0', id: 1, result: { id: 's' } }, trustHost);
  expect(await small).toEqual({ id: 's' });
});

test('any other error without an ID is nobody’s', async () => {
  const pending = createPending();
  const waiting = pending.ask('session/read', { sessionId: 's' }, undefined, () => {});
  const data = { code: 'protocol.frame_invalid', message: 'm', retryable: false };
  pending.settle({ jsonrpc: '2.0', id: null, error: { code: -32600, message: 'm', data } }, trustHost);
  pending.settle({ jsonrpc: '2.0', id: 1, result: { id: 's' } }, trustHost);
  expect(await waiting).toEqual({ id: 's' });
});
