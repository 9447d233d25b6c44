import type { AnyEvent } from '@rondo/protocol';
import { applyEvent } from '../event/apply-event.ts';
import { isBrief } from '../event/brief-line.ts';
import type { Replay } from '../event/event-store.ts';
import { itemWeight, lightConversation, lightened, lightItem, lightLeftBehind } from '../event/light-conversation.ts';
import { emptySessionState, FOLD_VERSION, type SessionState } from '../event/session-state.ts';

/**
 * Characters of a conversation that are kept while a log is read, more than most models take. Beyond them it is light:
 * most of it may never be asked for again, and what is, is read then.
 */
const KEPT_CHARACTERS = 1024 * 1024;

/** Names what `restore` takes. */
export const replayVersion = `session ${FOLD_VERSION}`;

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

  const settleItem = (event: AnyEvent): void => {
    const { conversation } = state;
    const index = conversation.length - 1;
    const item = conversation[index];
    if (item === undefined) return;
    if (isBrief(event)) {
      conversation[index] = lightened(item);
      return;
    }
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

  const settleBranch = (): void => {
    const { conversation, leftBehind } = state;
    leftBehind.splice(0, leftBehind.length, ...lightLeftBehind(leftBehind));
    lastReply = conversation.findLastIndex((one) => one.kind === 'assistant');
    characters = conversation.reduce((sum, item) => sum + itemWeight(item), 0);
  };

  return {
    version: replayVersion,
    takesBrief: true,
    restore(value) {
      // Sealed by its store under our version: it is what `keptState` made.
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
      if (event.type === 'session.branched') settleBranch();
      else if (state.conversation.length > length) settleItem(event);
      else if (state.conversation.length < length)
        lastReply = state.conversation.findLastIndex((one) => one.kind === 'assistant');
    },
    state: () => state,
  };
}

/** What of the state is kept, so that a replay goes on from there. */
export function keptState(state: SessionState): SessionState {
  const { conversation, leftBehind } = state;
  return { ...state, conversation: lightConversation(conversation), leftBehind: lightLeftBehind(leftBehind) };
}
