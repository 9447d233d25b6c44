import type { SDKCommandLifecycleMessage, SDKMessage, StreamEvent } from '@rondo/protocol';
import { deriveUuid } from './line-uuid.ts';

export interface CommandLifecycle {
  /** The lines that an event means, with those about messages among them at their place. */
  around(event: StreamEvent, lines: readonly SDKMessage[]): readonly SDKMessage[];
}

/**
 * Tells how far each user message of a session has come, from its events alone. `queued` is said once the message is on disk,
 * also of one that waits for nobody; the end of a turn is the end of every message that was in it.
 */
export function createCommandLifecycle(sessionId: string): CommandLifecycle {
  const queued = new Set<string>();
  /** In the turn at work. */
  const started: string[] = [];

  function line(
    eventId: string,
    commandUuid: string,
    state: SDKCommandLifecycleMessage['state'],
  ): SDKCommandLifecycleMessage {
    const uuid = deriveUuid(`${eventId}/${commandUuid}/${state}`);
    return { type: 'command_lifecycle', uuid, session_id: sessionId, command_uuid: commandUuid, state };
  }

  return {
    around(event, lines) {
      if (event.sessionId !== sessionId) return lines;
      if (event.type === 'message.queued') {
        queued.add(event.messageId);
        return [...lines, line(event.id, event.messageId, 'queued')];
      }
      if (event.type === 'message.cancelled') {
        queued.delete(event.messageId);
        return [...lines, line(event.id, event.messageId, 'cancelled')];
      }
      if (event.type === 'entry.completed' && event.entry.type === 'message' && event.entry.role === 'user') {
        const { messageId } = event.entry;
        if (messageId === undefined) return lines;
        started.push(messageId);
        const isNews = !queued.delete(messageId);
        const begun = line(event.id, messageId, 'started');
        return [...(isNews ? [line(event.id, messageId, 'queued')] : []), begun, ...lines];
      }
      if (event.type !== 'turn.ended') return lines;
      const state = event.record.type === 'interrupted' ? 'cancelled' : 'completed';
      return [...lines, ...started.splice(0).map((messageId) => line(event.id, messageId, state))];
    },
  };
}
