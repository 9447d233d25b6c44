import assert from 'node:assert/strict';
import type { AnyEvent, OpenCallback } from '@rondo/protocol';
import { said, sessionId, type Told } from './served-story.ts';

/** What was told is what is stored, whole, once and in order; what must not happen twice did not; and every turn has its end. */
export function assertTold(all: readonly AnyEvent[], told: Told, charges: readonly number[]): void {
  assert.deepEqual(
    all.map(({ seq }) => seq),
    all.map((_, index) => index + 1),
  );
  const own = all.filter((event) => event.sessionId === sessionId);
  assertShown(own, told.fast, 'the fast client');
  assertShown(own, told.slow, 'the slow client');
  assertSaidOnce(own, told);
  assertAskedOnce(all, told);
  assertEveryTurnEnds(all);
  assertCharged(all, charges);
}

/** A client is shown what is stored, with the output of a turn's record worked out beside it. */
function assertShown(own: readonly AnyEvent[], shown: readonly AnyEvent[], who: string): void {
  const stored = shown.map((event) => {
    if (event.type !== 'turn.ended') return event;
    const { output: _, ...record } = event.record as typeof event.record & { readonly output?: unknown };
    return { ...event, record };
  });
  assert.deepEqual(stored, own, `${who} was shown something else than is stored`);
}

function assertSaidOnce(own: readonly AnyEvent[], { turnId, record }: Told): void {
  for (const text of said) {
    const entries = own.filter(
      (event) => event.type === 'entry.completed' && JSON.stringify(event.entry).includes(`"${text}"`),
    );
    assert.equal(entries.length, 1, `"${text}" is there ${entries.length} times`);
    const isInFirst = entries[0] !== undefined && 'turnId' in entries[0] && entries[0].turnId === turnId;
    assert.equal(isInFirst, text !== said[2], `"${text}" is in the wrong turn`);
  }
  assert.equal(record.type, 'completed');
}

/** The question that was shown is the one that there is, whatever happened in between, and it was answered once. */
function assertAskedOnce(all: readonly AnyEvent[], { questionId }: Told): void {
  const asked = all.flatMap((event) => (event.type === 'callback.opened' ? [idOf(event.callback)] : []));
  const settled = all.flatMap((event) => (event.type === 'callback.resolved' ? [event.callbackId] : []));
  assert.deepEqual([asked, settled], [[questionId], [questionId]]);
}

function idOf(callback: OpenCallback): string | undefined {
  return callback.type === 'unknown' ? undefined : callback.id;
}

function assertEveryTurnEnds(all: readonly AnyEvent[]): void {
  const turns = all.flatMap((event) => (event.type === 'turn.started' ? [event.turnId] : []));
  const ended = all.flatMap((event) => (event.type === 'turn.ended' ? [event.turnId] : []));
  assert.equal(turns.length, 3);
  assert.deepEqual(ended.toSorted(), turns.toSorted(), 'a turn has no record, or two');
}

/** Cut off in the middle the first charge may have happened without a result, and is not tried again; the second the hook forbids. */
function assertCharged(all: readonly AnyEvent[], charges: readonly number[]): void {
  const outcomes = all.flatMap((event) =>
    event.type === 'tool.completed' && event.name === 'charge' ? [event.outcome] : [],
  );
  assert.equal(outcomes.length, 2, `the charges ended so: ${outcomes.join()}`);
  const [first] = outcomes;
  assert.match(String(first), /^(success|unknown)$/);
  if (first === 'success') assert.deepEqual(charges, [1]);
  else assert.ok(charges.length <= 1 && !charges.includes(2), `charged: ${charges.join()}`);
}
