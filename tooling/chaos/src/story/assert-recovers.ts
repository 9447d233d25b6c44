import assert from 'node:assert/strict';
import { isDeepStrictEqual } from 'node:util';
import type { AnyEvent } from '@rondo/protocol';
import { isRondoError } from '@rondo/protocol/values';
import { assertEffects, assertEveryCallHasOneResult } from './assert-story.ts';
import type { Life } from './live-story.ts';
import { sessionId } from './story-engine.ts';
import { assertJudgedOnce } from './story-hook.ts';
import { startStoryProcess, type StoryProcess } from './story-process.ts';
import { nextEnd, nextPrompt, storyEnd, storyPrompt } from './story-script.ts';

export type Unfinished = 'settle' | 'continue';

/**
 * Opens the session of a life that ended in the middle, and shows that nothing is lost that was acknowledged, that what
 * was lost is told, that nothing happens twice, and that the conversation goes on.
 */
export async function assertRecovers(life: Life, process: StoryProcess, unfinished: Unfinished): Promise<void> {
  const sizeBefore = process.place.sizeOfLog();
  if (!(await open(life, process, unfinished))) {
    await process.runtime.createSession({ bindingId: process.bindingId, sessionId });
    await assertCompletes(process, await process.start(process.place.prompt ?? storyPrompt), storyEnd);
  }
  assert.deepEqual(process.problems, [], 'a request would have been refused');
  await assertCompletes(process, await process.start(nextPrompt), nextEnd);
  assert.deepEqual(process.problems, [], 'the next request would have been refused');

  const events = await process.events();
  assertAcknowledged(events, life);
  assertEverySessionEnds(events);
  assertLossIsTold(events, process, sizeBefore);
  assertEveryCallHasOneResult(events);
  assertJudgedOnce(events);
  assertEffects(events, process.place.world);
  await process.runtime.close();
  await assertWhole(process, events);
}

/** False when there is no session, which may only be where nothing was acknowledged. */
async function open(life: Life, process: StoryProcess, unfinished: Unfinished): Promise<boolean> {
  const { runtime, bindingId } = process;
  let opened: Awaited<ReturnType<typeof runtime.openSession>>;
  try {
    opened = await runtime.openSession({ sessionId, bindingId, unfinished });
  } catch (error) {
    if (!isRondoError(error, 'session.not_found') || life.acknowledged.length > 0) throw error;
    return false;
  }
  assert.equal(opened.parked, undefined, 'the turn was parked by the binding that started it');
  if (unfinished === 'continue' && opened.openTurnId !== undefined) {
    await assertCompletes(process, opened.openTurnId, storyEnd);
  } else if (life.turnId !== undefined) {
    const record = await process.record(life.turnId);
    assert.match(record.type, /^(completed|interrupted)$/, 'a turn was left open');
    if (record.type === 'interrupted') assert.equal(record.cause, 'crashed');
  }
  return true;
}

async function assertCompletes(process: StoryProcess, turnId: string, text: string): Promise<void> {
  const over = new AbortController();
  await process.watch({ shown: () => {}, signal: over.signal, turnId });
  const record = await process.record(turnId);
  assert.deepEqual([record.type, record.text], ['completed', text], `the turn ended so: ${JSON.stringify(record)}`);
}

/** A subscriber is shown one session of the tree; what the store acknowledged is of all. */
function assertAcknowledged(events: readonly AnyEvent[], { acknowledged, shown }: Life): void {
  const ofRoot = (all: readonly AnyEvent[]): AnyEvent[] => all.filter((event) => event.sessionId === sessionId);
  const isWhole = acknowledged.some((event) => event.sessionId !== sessionId);
  assertBeginsWith(isWhole ? events : ofRoot(events), acknowledged, 'acknowledged');
  assertBeginsWith(ofRoot(acknowledged), shown, 'shown');
}

/** No turn of any session is left open, none ends twice, and none ends before the turns that worked for it. */
function assertEverySessionEnds(events: readonly AnyEvent[]): void {
  const open = new Map<string, string>();
  for (const event of events) {
    if (event.type === 'turn.started') {
      assert.ok(!open.has(event.sessionId), `a turn began in ${event.sessionId} before the one before it had ended`);
      open.set(event.sessionId, event.turnId);
    }
    if (event.type !== 'turn.ended') continue;
    assert.equal(open.get(event.sessionId), event.turnId, `turn ${event.turnId} ended, and was not open`);
    open.delete(event.sessionId);
    const below = [...open.keys()].filter((id) => id.startsWith(`${event.sessionId}.`));
    assert.deepEqual(below, [], `a turn of ${event.sessionId} ended before what worked for it`);
  }
  assert.deepEqual([...open.keys()], [], 'turns were left open');
  const spawned = events.flatMap((event) => (event.type === 'session.created' ? [event.spawnedBy?.callId] : []));
  assert.equal(new Set(spawned).size, spawned.length, 'a call started two agents');
}

function assertBeginsWith(events: readonly AnyEvent[], start: readonly AnyEvent[], what: string): void {
  for (const [index, event] of start.entries()) {
    const found = events[index];
    assert.ok(
      isDeepStrictEqual(found, event),
      `${what} event ${index} (${event.type}) is missing or changed: ${JSON.stringify(found)}`,
    );
  }
}

/** Where bytes were cut off, one notice says how many; where none were, none does. */
function assertLossIsTold(events: readonly AnyEvent[], process: StoryProcess, sizeBefore: number): void {
  const { opened } = process.ledger;
  const dropped = opened === undefined ? 0 : sizeBefore - opened.size;
  const told = events.flatMap((event) =>
    event.type === 'notice' && event.details?.['status'] === 'log_damaged' ? [event.details['droppedBytes']] : [],
  );
  assert.deepEqual(told, dropped === 0 ? [] : [dropped], 'what was lost is not told, or told wrongly');
  assert.equal(opened?.damage?.droppedBytes ?? 0, dropped);
}

/** Opened once more, nothing is damaged and nothing has changed. */
async function assertWhole(process: StoryProcess, events: readonly AnyEvent[]): Promise<void> {
  const again = startStoryProcess(process.place, 3);
  await again.runtime.openSession({ sessionId, bindingId: again.bindingId, unfinished: 'settle' });
  assert.equal(again.ledger.opened?.damage, undefined, 'the log was left damaged');
  assertBeginsWith(await again.events(), events, 'earlier');
  await again.runtime.close();
}
