import type { AnyEvent } from '@rondo/protocol';
import { applyEvent } from '../event/apply-event.ts';
import type { EventStore, OwnedLog, Replay, SnapshotOffer } from '../event/event-store.ts';
import { itemWeight, lightConversation, lightItem } from '../event/light-conversation.ts';
import { emptySessionState, FOLD_VERSION, type SessionState } from '../event/session-state.ts';

/**
 * Characters of a conversation that are kept while a log is read. Beyond them it is light: most of it may never be
 * asked for again, and what is, is read then.
 */
const KEPT_CHARACTERS = 8 * 1024 * 1024;

const version = `session ${FOLD_VERSION}`;

/** Folds the session out of its log, or out of a snapshot and what follows, in bounded memory. */
export interface SessionReplay extends Replay {
  /** As of what was told until now. */
  state(): SessionState;
}

export function createSessionReplay(sessionId: string, keptCharacters = KEPT_CHARACTERS): SessionReplay {
  let state = emptySessionState(sessionId);
  let characters = 0;
  /** The reply that was last when its successor comes is light from then on. */
  let lastReply = -1;

  const settleItem = (): void => {
    const { conversation } = state;
    const index = conversation.length - 1;
    const item = conversation[index];
    if (item === undefined) return;
    if (characters <= keptCharacters) {
      characters += itemWeight(item);
      if (characters > keptCharacters) {
        for (const [place, light] of lightConversation(conversation).entries()) conversation[place] = light;
        lastReply = conversation.findLastIndex((one) => one.kind === 'assistant');
      }
      return;
    }
    if (item.kind !== 'assistant') {
      conversation[index] = lightItem(item);
      return;
    }
    const before = conversation[lastReply];
    if (before !== undefined) conversation[lastReply] = lightItem(before);
    lastReply = index;
  };

  return {
    version,
    restore(value) {
      // Sealed by its store under our version: it is what `snapshotOf` made.
      const kept = value as SessionState;
      if (kept.sessionId !== sessionId) return false;
      state = kept;
      lastReply = kept.conversation.findLastIndex((one) => one.kind === 'assistant');
      for (const item of kept.conversation) characters += itemWeight(item);
      return true;
    },
    apply(event: AnyEvent) {
      const { length } = state.conversation;
      applyEvent(state, event);
      if (state.conversation.length > length) settleItem();
      else if (state.conversation.length < length)
        lastReply = state.conversation.findLastIndex((one) => one.kind === 'assistant');
    },
    state: () => state,
  };
}

/** What a store may keep of the state, so that a replay goes on from there. */
export function snapshotOf(state: SessionState): SnapshotOffer {
  return { version, seq: state.seq, value: () => ({ ...state, conversation: lightConversation(state.conversation) }) };
}

/** Owns the session's log, which is read once. */
export async function acquireReplayed(
  store: EventStore,
  sessionId: string,
): Promise<{ readonly log: OwnedLog; readonly state: SessionState }> {
  const replay = createSessionReplay(sessionId);
  const log = await store.acquire(sessionId, { replay });
  try {
    if (log.replayed !== true) for await (const event of store.read(sessionId)) replay.apply(event);
    return { log, state: replay.state() };
  } catch (error) {
    await log.release().catch(() => {});
    throw error;
  }
}

/** The session as its log says, without owning it. */
export async function replayStored(store: EventStore, sessionId: string): Promise<SessionState> {
  const replay = createSessionReplay(sessionId);
  if (store.replay === undefined) for await (const event of store.read(sessionId)) replay.apply(event);
  else await store.replay(sessionId, replay);
  return replay.state();
}
