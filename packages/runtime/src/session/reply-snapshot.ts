import type { TransientEvent } from '@rondo/protocol';
import type { OpenReply } from '../turn/turn-parts.ts';

export interface ReplyPlace {
  readonly sessionId: string;
  readonly turnId: string;
  /** Cursor of the last durable event. */
  readonly after: string;
}

/** One delta for each block of the message being written, with all of its text so far. */
export function replySnapshot(reply: OpenReply, place: ReplyPlace): TransientEvent[] {
  return reply.blocks.flatMap((block, index): TransientEvent[] => {
    const piece = { ...place, entryId: reply.entryId, block: index, offset: 0, text: block.text };
    if (block.kind === 'text') return [{ type: 'text.delta', ...piece }];
    if (block.kind === 'reasoning') return [{ type: 'reasoning.delta', ...piece }];
    if (block.kind === 'opaque') return [];
    return [{ type: 'tool_input.delta', ...piece, toolCallId: block.toolCallId ?? '', name: block.name ?? '' }];
  });
}
