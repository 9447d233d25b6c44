import { expect, test } from 'vitest';
import { createScriptCursor, type CursorStep } from './script-cursor.ts';

const answer: CursorStep = { answers: true };
const failure: CursorStep = { answers: false };
const any = () => true;

test('a session goes on step by step, each on its own', () => {
  const cursor = createScriptCursor([answer, failure, answer], 'conversation');
  const ask = (session: string, replies: number) => cursor.next({ session, replies, fits: any });
  expect([ask('a', 0), ask('a', 1), ask('b', 0), ask('a', 1), ask('a', 2)]).toEqual([0, 1, 0, 2, undefined]);
  expect(cursor.unused()).toEqual([]);
});

test('a session that comes from another process is answered from where it stands, and what is behind it counts as used', () => {
  const cursor = createScriptCursor([answer, failure, answer, answer], 'conversation');
  expect(cursor.next({ session: 'a', replies: 2, fits: any })).toBe(3);
  expect(cursor.unused()).toEqual([]);
  const before = createScriptCursor([answer, failure, answer], 'conversation');
  expect(before.next({ session: 'a', replies: 1, fits: any })).toBe(1);
  expect(before.unused()).toEqual([2]);
});

test('a session that has more answers than the script has none', () => {
  const cursor = createScriptCursor([answer], 'conversation');
  expect(cursor.next({ session: 'a', replies: 2, fits: any })).toBeUndefined();
});

test('conversations go to the session that they fit, one that is free first', () => {
  const steps = ['x', 'y', 'x'].map(
    (conversation, index): CursorStep => ({ answers: true, conversation: `${conversation}${index}` }),
  );
  const cursor = createScriptCursor(steps, 'conversation');
  const fitting =
    (...indexes: number[]) =>
    (index: number) =>
      indexes.includes(index);
  expect(cursor.next({ session: 'a', replies: 0, fits: fitting(1) })).toBe(1);
  expect(cursor.next({ session: 'b', replies: 0, fits: fitting(0, 2) })).toBe(0);
  expect(cursor.next({ session: 'c', replies: 0, fits: fitting(0, 2) })).toBe(2);
  expect(cursor.next({ session: 'd', replies: 0, fits: fitting(0, 2) })).toBe(2);
  expect(cursor.next({ session: 'e', replies: 0, fits: fitting() })).toBeUndefined();
});

test('a conversation that was recorded from its middle is counted from there', () => {
  const cursor = createScriptCursor([{ answers: true, repliesBefore: 3 }, answer], 'conversation');
  expect(cursor.next({ session: 'a', replies: 4, fits: any })).toBe(1);
  expect(cursor.next({ session: 'b', replies: 2, fits: any })).toBeUndefined();
});

test('without sessions the state of the conversation alone decides', () => {
  const cursor = createScriptCursor([failure, answer, answer], 'conversation');
  const ask = (replies: number) => cursor.next({ replies, fits: any });
  expect([ask(0), ask(0), ask(0), ask(1), ask(1)]).toEqual([0, 1, 1, 2, 2]);
});

test('once and cycle take the steps as they come', () => {
  const once = createScriptCursor([answer, answer], 'once');
  expect([1, 2, 3].map((n) => once.next({ session: String(n), replies: 0, fits: any }))).toEqual([0, 1, undefined]);
  const cycle = createScriptCursor([answer, failure], 'cycle');
  expect([1, 2, 3].map(() => cycle.next({ replies: 0, fits: any }))).toEqual([0, 1, 0]);
});
