import type { MethodResult, WaitingMessage } from '@rondo/protocol';
import type { QueuedMessage, SessionState } from '../event/session-state.ts';
import type { OneAtATime } from './one-at-a-time.ts';
import type { SessionWriter } from './tree-writer.ts';

export interface MessageCancelling {
  readonly state: SessionState;
  readonly writer: SessionWriter;
  /** No turn is being started with what waits. */
  readonly exclusively: OneAtATime;
  readonly assertUsable: () => void;
}

/** Takes back a message of the queue; durable when it resolves. What a turn has read stays where it is. */
export async function cancelMessage(
  { state, writer, exclusively, assertUsable }: MessageCancelling,
  messageId: string,
): Promise<MethodResult<'message/cancel'>> {
  return await exclusively(async () => {
    assertUsable();
    // A turn that has seen it in the queue reads it before anything else happens: by then it has.
    await new Promise((resolve) => setTimeout(resolve));
    assertUsable();
    const message = state.queue.find((one) => one.messageId === messageId);
    if (message === undefined) return { type: 'gone' };
    await writer.emit([{ type: 'message.cancelled', messageId, reason: 'cancelled' }]).committed;
    return { type: 'cancelled', message: waitingMessage(message) };
  });
}

export function waitingMessage({ messageId, delivery, content }: QueuedMessage): WaitingMessage {
  return { messageId, delivery, content: [...content] };
}
