import type { EventStore } from '../event/event-store.ts';
import type { SessionState } from '../event/session-state.ts';
import { rootIdOf } from '../event/session-tree-id.ts';
import { cursorPlace } from './cursor-place.ts';
import type { EventBatch } from './event-feed.ts';
import { lateIteration } from './late-iteration.ts';
import type { LiveTree } from './live-tree.ts';
import { isEnd } from './session-end.ts';
import type { SessionOwner } from './session-owner.ts';

export interface SubscribeOptions {
  /** Cursor; absent is from the session's start. @throws RondoError `cursor.invalid`. */
  readonly after?: string;
  /** Where `after` is absent: begin at this turn's start or somewhere before it. A hint: readers filter. */
  readonly fromTurn?: string;
  /** Also what is shown and not stored, or those kinds of it. */
  readonly deltas?: boolean | readonly string[];
  readonly signal: AbortSignal;
}

export interface FollowedSessions {
  readonly owner: SessionOwner;
  readonly store: EventStore;
  /** Asked at the first iteration. */
  readonly assertOpen: () => void;
}

/**
 * A session's events behind a place, then what follows until it has ended, whoever owns it. Throws when its log fails, also
 * behind what is stored of one that has failed here and that nobody has opened since.
 */
export function followSession(
  followed: FollowedSessions,
  sessionId: string,
  options: SubscribeOptions,
): AsyncIterableIterator<EventBatch, void> {
  return lateIteration(async () => {
    followed.assertOpen();
    const live = await followed.owner.trees.get(rootIdOf(sessionId));
    const feed = live?.feed(sessionId);
    if (live === undefined || feed === undefined) return followLog(followed, sessionId, { ...options, live });
    const { after, fromTurn, deltas = false, signal } = options;
    const state = live.state.sessions.get(sessionId) ?? live.state.root;
    const place = after === undefined ? beforeTurn(state, fromTurn) : cursorPlace(sessionId, after, live.state.seq);
    return feed.follow({ after: place, deltas, signal });
  });
}

/** Of a session that is not at work here. */
async function* followLog(
  { owner, store }: FollowedSessions,
  sessionId: string,
  { after, live, signal }: SubscribeOptions & { readonly live: LiveTree | undefined },
): AsyncGenerator<EventBatch, void> {
  const rootId = rootIdOf(sessionId);
  const isOver = (await owner.info(sessionId)).status === 'terminated';
  const last = live?.state.seq ?? (await store.describe(rootId))?.lastSeq ?? 0;
  const from = { after: cursorPlace(sessionId, after, last) };
  const failure = isOver ? undefined : await owner.failure(rootId);
  // Whoever leaves is told nothing, as by a session at work: reading would throw.
  const events = isOver || failure !== undefined ? store.read(rootId, from) : store.tail(rootId, { ...from, signal });
  for await (const event of events) {
    if (signal.aborted) return;
    if (event.sessionId !== sessionId) continue;
    yield [event];
    if (isEnd(event)) return;
  }
  if (failure !== undefined && !signal.aborted) throw failure;
}

/** The place just before a turn's first event, or the session's start where no such turn is known. */
function beforeTurn(state: SessionState, turnId: string | undefined): number {
  const start = turnId === undefined ? undefined : state.turns.get(turnId);
  return start === undefined ? 0 : start.startSeq - 1;
}
