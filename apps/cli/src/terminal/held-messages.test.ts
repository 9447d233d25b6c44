import type { SDKMessage } from '@rondo/sdk';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { success, toolCall } from '../testing/sdk-messages.ts';
import { createHeldMessages, type HeldMessages } from './held-messages.ts';

let shown: SDKMessage[];
let held: HeldMessages;
beforeEach(() => {
  vi.useFakeTimers();
  shown = [];
  held = createHeldMessages((message) => shown.push(message));
});
afterEach(() => {
  vi.useRealTimers();
});

const call = toolCall('call', 'Bash', { command: 'ls' });

test('while something is asked, messages wait in order', () => {
  const first = held.hold();
  const second = held.hold();
  held.show(call);
  first[Symbol.dispose]();
  expect(shown).toEqual([]);
  held.show(success('done'));
  second[Symbol.dispose]();
  expect(shown).toEqual([call, success('done')]);
  held.show(call);
  expect(shown).toHaveLength(3);
});

test('a question waits for the call it is about', async () => {
  const asked = held.shown('call');
  held.show(call);
  await asked;
  await held.shown('call');
  expect(vi.getTimerCount()).toBe(0);
});

test('a question of an earlier turn waits a moment only', async () => {
  const asked = held.shown('of an earlier turn');
  await vi.advanceTimersByTimeAsync(250);
  await asked;
});

test('a call of an earlier turn says nothing of one with the same ID in this', async () => {
  held.show(call);
  held.show(success('done'));
  const asked = held.shown('call');
  expect(vi.getTimerCount()).toBe(1);
  held.show(call);
  await asked;
});
