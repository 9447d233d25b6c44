import { expect, test } from 'vitest';
import { createTurnstile } from './turnstile.ts';

test('so many are in at once, and the others follow in order', async () => {
  const turnstile = createTurnstile(2);
  const entered: number[] = [];
  const come = async (guest: number): Promise<void> => {
    await turnstile.enter();
    entered.push(guest);
  };
  expect(turnstile.enter()).toBeUndefined();
  expect(turnstile.enter()).toBeUndefined();
  const others = [1, 2, 3].map(come);
  await Promise.resolve();
  expect(entered).toEqual([]);
  turnstile.leave();
  await others[0];
  expect(entered).toEqual([1]);
  turnstile.leave();
  turnstile.leave();
  await Promise.all(others);
  expect(entered).toEqual([1, 2, 3]);
  turnstile.leave();
  expect(turnstile.enter()).toBeUndefined();
});
