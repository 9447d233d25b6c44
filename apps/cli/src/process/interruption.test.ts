import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type Interruption, listenForInterruption } from './interruption.ts';

let exits: number[];
let interruption: Interruption;

beforeEach(() => {
  vi.useFakeTimers();
  exits = [];
  interruption = listenForInterruption({ graceMs: 1000, exit: (code) => exits.push(code) });
});
afterEach(() => {
  interruption[Symbol.dispose]();
  vi.useRealTimers();
});

test.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
  ['SIGHUP', 129],
] as const)('%s interrupts and exits as a shell reports it', (signal, code) => {
  expect(interruption.exitCode).toBeUndefined();
  process.emit(signal);
  expect(interruption.signal.aborted).toBe(true);
  expect(interruption.exitCode).toBe(code);
  expect(exits).toEqual([]);
});

test('a second signal exits at once, as the first asked', () => {
  process.emit('SIGTERM');
  process.emit('SIGINT');
  expect(exits).toEqual([143]);
});

test('a turn that does not end in time is left', () => {
  process.emit('SIGINT');
  vi.advanceTimersByTime(999);
  expect(exits).toEqual([]);
  vi.advanceTimersByTime(1);
  expect(exits).toEqual([130]);
});

test('a reader that leaves counts once and does not hurry an interruption', () => {
  interruption.interrupt(141);
  interruption.interrupt(141);
  expect(interruption.exitCode).toBe(141);
  expect(exits).toEqual([]);
});

test('afterwards signals are what they were', () => {
  const before = process.listenerCount('SIGINT');
  interruption[Symbol.dispose]();
  expect(process.listenerCount('SIGINT')).toBe(before - 1);
});
