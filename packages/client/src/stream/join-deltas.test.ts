import type { StreamEvent } from '@rondo/protocol';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createDeltaJoin } from './join-deltas.ts';

const piece = (offset: number, text: string, { entryId = 'e', block = 0 } = {}): StreamEvent => ({
  type: 'text.delta',
  sessionId: 's',
  turnId: 't',
  after: 's:1',
  entryId,
  block,
  offset,
  text,
});
const durable = (fields: object): StreamEvent =>
  ({ seq: 1, id: 's:1', at: 't', sessionId: 's', turnId: 't', ...fields }) as StreamEvent;
const pieces = (events: readonly StreamEvent[]): unknown[] =>
  events.flatMap((event) => ('offset' in event ? [[event.offset, event.text]] : []));

test('what needs no change is the batch itself', () => {
  const batch = [piece(0, 'a'), durable({ type: 'notice' }), piece(1, 'b')];
  expect(createDeltaJoin().pass(batch)).toBe(batch);
});

test('overlaps are cut, repetitions left out, an empty first piece kept once', () => {
  const join = createDeltaJoin();
  expect(pieces(join.pass([piece(0, ''), piece(0, 'ab')]))).toEqual([
    [0, ''],
    [0, 'ab'],
  ]);
  expect(pieces(join.pass([piece(0, ''), piece(0, 'ab'), piece(1, 'bcd'), piece(4, 'e')]))).toEqual([
    [2, 'cd'],
    [4, 'e'],
  ]);
});

test('behind a gap nothing is handed out: what was stays the beginning of the text', () => {
  const join = createDeltaJoin();
  expect(pieces(join.pass([piece(0, 'ab'), piece(5, 'f'), piece(6, 'g')]))).toEqual([[0, 'ab']]);
  expect(pieces(join.pass([piece(0, 'abcdefg'), piece(7, 'h')]))).toEqual([
    [2, 'cdefg'],
    [7, 'h'],
  ]);
});

test('blocks and entries are joined on their own, and an entry that ended begins anew', () => {
  const join = createDeltaJoin();
  const first = [piece(0, 'a'), piece(0, 'b', { block: 1 }), piece(0, 'c', { entryId: 'f' })];
  expect(join.pass(first)).toBe(first);
  for (const end of [
    { type: 'entry.discarded', entryId: 'e', reason: 'stream_retried' },
    { type: 'entry.completed', entry: { type: 'assistant', id: 'e', content: [] } },
    { type: 'turn.ended', record: {} },
  ]) {
    const again = [durable(end), piece(0, 'a'), piece(0, 'b', { block: 1 })];
    expect(join.pass(again)).toBe(again);
  }
  const other = [durable({ type: 'entry.completed', entry: { type: 'unknown', originalType: 'x', raw: {} } })];
  expect(join.pass(other)).toBe(other);
});

test('however often a subscription is opened again, what is handed out joins to the text', () => {
  const text = fc.string({ minLength: 1, maxLength: 40 });
  // Where the text is cut into pieces, and behind how much of it the subscription is opened anew.
  const cuts = fc.array(fc.nat(40), { maxLength: 8 });
  fc.assert(
    fc.property(text, cuts, cuts, (whole, ends, losses) => {
      const join = createDeltaJoin();
      const marks = [...new Set([...ends, ...losses, whole.length])]
        .filter((mark) => mark <= whole.length)
        .sort((left, right) => left - right);
      let joined = '';
      let sent = 0;
      for (const mark of marks) {
        const batch = losses.includes(mark) ? [piece(0, whole.slice(0, mark))] : [piece(sent, whole.slice(sent, mark))];
        for (const event of join.pass(batch)) if ('offset' in event) joined += event.text;
        sent = mark;
        expect(joined).toBe(whole.slice(0, mark));
      }
      expect(joined).toBe(whole);
    }),
  );
});
