import { expect, test } from 'vitest';
import { createServerSlot } from './server-slot.ts';

function silentSlot() {
  const instance = { connect: () => new Promise<never>(() => {}), close: async () => {} };
  return createServerSlot({ name: 'silent', instance, connectTimeoutMs: 2 ** 30 });
}

test('whoever leaves a server, disables it or reaches for it anew waits for no earlier attempt', async () => {
  const left = silentSlot();
  const reaching = left.connect();
  await left.leave();
  await reaching;
  expect(left.error()).toBe('the session has left it');

  const disabled = silentSlot();
  const first = disabled.connect();
  const second = disabled.connect();
  await first;
  expect(disabled.status()).toBe('pending');
  await disabled.disable();
  await second;
  expect(disabled.status()).toBe('disabled');
});
