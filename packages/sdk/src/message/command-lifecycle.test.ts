import type { AnyEvent } from '@rondo/protocol';
import { expect, test } from 'vitest';
import { createCommandLifecycle } from './command-lifecycle.ts';

let seq = 0;
const event = (more: object): AnyEvent =>
  ({ seq: (seq += 1), id: `s:${seq}`, at: '2026-01-01T00:00:00.000Z', sessionId: 's', ...more }) as unknown as AnyEvent;
const said = (messageId: string) =>
  event({
    type: 'entry.completed',
    turnId: 't',
    entry: { type: 'message', id: `e-${messageId}`, role: 'user', messageId, content: [] },
  });
const queued = (messageId: string) => event({ type: 'message.queued', messageId, delivery: 'join', content: [] });
const ended = (type: 'completed' | 'interrupted') => event({ type: 'turn.ended', turnId: 't', record: { type } });

function tell(events: readonly AnyEvent[]): string[] {
  const lifecycle = createCommandLifecycle('s');
  return events
    .flatMap((each) => lifecycle.around(each, []))
    .map((line) => (line.type === 'command_lifecycle' ? `${line.command_uuid} ${line.state}` : line.type));
}

test('a message that waits is queued, then read; the end of the turn is the end of all that was in it', () => {
  expect(tell([said('a'), queued('b'), said('b'), ended('completed')])).toEqual([
    'a queued',
    'a started',
    'b queued',
    'b started',
    'a completed',
    'b completed',
  ]);
});

test('an interrupted turn cancels what was in it, and what is taken back is cancelled alone', () => {
  expect(tell([said('a'), queued('b'), queued('c'), event({ type: 'message.cancelled', messageId: 'b' })])).toEqual([
    'a queued',
    'a started',
    'b queued',
    'c queued',
    'b cancelled',
  ]);
  expect(tell([said('a'), ended('interrupted'), said('c'), ended('completed')])).toEqual([
    'a queued',
    'a started',
    'a cancelled',
    'c queued',
    'c started',
    'c completed',
  ]);
});

test('the same events give the same uuids, each once, and those of other sessions give nothing', () => {
  const events = [said('a'), queued('b'), said('b'), ended('completed')];
  const uuids = () => {
    const lifecycle = createCommandLifecycle('s');
    return events.flatMap((each) => lifecycle.around(each, []).map((line) => line.uuid));
  };
  expect(uuids()).toEqual(uuids());
  expect(new Set(uuids()).size).toBe(uuids().length);
  expect(createCommandLifecycle('other').around(said('a'), [])).toEqual([]);
});
