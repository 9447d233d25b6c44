import type { SessionEvent } from '@rondo/protocol';
import { expect, test } from 'vitest';
import { createOutstandingWork } from './outstanding-work.ts';

const place = { seq: 1, id: 's1:1', at: '2026-01-01T00:00:00.000Z', sessionId: 's1' };
const notice = (status: string): SessionEvent => ({
  ...place,
  type: 'notice',
  level: 'error',
  message: 'said',
  details: { status },
});

test('a message is waited for until it is in a turn, and the turn until it has ended', () => {
  const work = createOutstandingWork(undefined);
  expect(work.none()).toBe(true);
  work.sent('m1', true);
  work.sent('m2', false);
  expect(work.queued()).toEqual(['m1']);
  work.refused('m2');
  const entry = { type: 'message', id: 'e1', role: 'user', messageId: 'm1', content: [] } as const;
  work.see({ ...place, type: 'entry.completed', turnId: 't1', entry: { ...entry, content: [] } });
  expect(work.none()).toBe(true);
});

test('messages that the session could not start are not waited for', () => {
  const work = createOutstandingWork(undefined);
  work.sent('m1', true);
  work.see(notice('log_damaged'));
  expect(work.none()).toBe(false);
  work.see(notice('queue_not_started'));
  expect(work.none()).toBe(true);
});
