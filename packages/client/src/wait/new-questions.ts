import type { AnyEvent, OpenCallback, TurnRecord } from '@rondo/protocol';
import { callbackId } from '../answer/callback-id.ts';
import type { Position } from '../stream/position.ts';

/** Which questions were opened after a wait's position. */
export interface NewQuestions {
  /** What an event of the turn says. */
  note(event: AnyEvent): void;
  /** Whether a question that was opened behind this place, here or in a subagent, is open as far as the events say. */
  askedAfter(seq: number): boolean;
  isNew(callback: OpenCallback): boolean;
}

/** @param seen the record that the position is of: what was open in it is not new. */
export function createNewQuestions(
  sessionId: string,
  position: Position | undefined,
  seen: TurnRecord | undefined,
): NewQuestions {
  /** The session's own that are open, with where they were opened. */
  const opened = new Map<string, number>();
  /** Where the turn was blocked, be it by a subagent's; 0 while it is not. */
  let blockedAt = 0;
  const before = new Set(seen?.type === 'blocked' ? seen.callbacks.map(nameOf) : []);

  return {
    note(event) {
      if (event.type === 'callback.opened') opened.set(callbackId(event.callback), event.seq);
      else if (event.type === 'callback.resolved') opened.delete(event.callbackId);
      else if (event.type === 'turn.updated') blockedAt = event.status === 'blocked' ? event.seq : 0;
    },
    askedAfter(seq) {
      if (blockedAt > seq) return true;
      for (const openedAt of opened.values()) if (openedAt > seq) return true;
      return false;
    },
    isNew(callback) {
      if (position === undefined) return true;
      if (before.has(nameOf(callback))) return false;
      if (callback.type !== 'unknown' && callback.seq !== undefined) return callback.seq > position.seq;
      // The session's own are seen opening; of a subagent's without a place nothing else is known.
      const isOwn = callback.type === 'unknown' || callback.sessionId === sessionId;
      return isOwn ? opened.has(callbackId(callback)) : true;
    },
  };
}

function nameOf(callback: OpenCallback): string {
  return callback.type === 'unknown' ? callbackId(callback) : `${callback.sessionId}/${callback.id}`;
}
