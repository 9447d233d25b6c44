import type { StreamEvent } from '@rondo/protocol';

/**
 * What a run still waits for: messages that were sent and are in no turn yet, and the turn at work. Kept from the
 * events alone, so that it is right whatever order answers and events come in.
 */
export interface OutstandingWork {
  /** A message is on its way. `named` when the caller gave it its ID. */
  sent(messageId: string, named: boolean): void;
  /** It was refused. */
  refused(messageId: string): void;
  see(event: StreamEvent): void;
  turnId(): string | undefined;
  /** Messages that will still run, of those that the caller named. */
  queued(): string[];
  /** All of them, with those that the caller did not name. */
  waiting(): string[];
  none(): boolean;
}

export function createOutstandingWork(openTurnId: string | undefined): OutstandingWork {
  const waiting = new Map<string, boolean>();
  let turnId = openTurnId;
  return {
    sent: (messageId, named) => void waiting.set(messageId, named),
    refused: (messageId) => void waiting.delete(messageId),
    see(event) {
      if (event.type === 'turn.started') turnId = event.turnId;
      else if (event.type === 'turn.ended' && event.turnId === turnId) turnId = undefined;
      else if (event.type === 'message.cancelled') waiting.delete(event.messageId);
      // Nothing brings these along unless somebody says more.
      else if (event.type === 'notice' && event.details?.['status'] === 'queue_not_started') waiting.clear();
      else if (
        event.type === 'entry.completed' &&
        event.entry.type === 'message' &&
        event.entry.messageId !== undefined
      ) {
        waiting.delete(event.entry.messageId);
      }
    },
    turnId: () => turnId,
    queued: () => [...waiting].flatMap(([messageId, named]) => (named ? [messageId] : [])),
    waiting: () => [...waiting.keys()],
    none: () => turnId === undefined && waiting.size === 0,
  };
}
