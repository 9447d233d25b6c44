import type { SDKMessage } from '@rondo/protocol';
import { replyLineUuid } from './line-uuids-of-event.ts';
import { completeStream, endStream } from './partial-message.ts';
import type { ProjectionState } from './projection-state.ts';
import { wireReplyBlock } from './wire-content.ts';
import { wireModelName } from './wire-model-name.ts';
import { usageNotKnown, wireUsage } from './wire-usage.ts';

/** One line a block, all of one message; what was streamed of it is completed around them. */
export function replyLines(state: ProjectionState): SDKMessage[] {
  const { reply, options } = state;
  if (reply === undefined) return [];
  delete state.reply;
  const { entry, at, uuids } = reply;
  const known = state.lastUsage?.entryId === entry.id ? wireUsage(state.lastUsage.usage) : undefined;
  const request = known === undefined ? undefined : state.lastUsage?.requestId;
  const lines: SDKMessage[] = options.includePartialMessages === true ? completeStream(state, entry) : [];
  entry.content.forEach((block, index) => {
    const wire = wireReplyBlock(block);
    if (wire === undefined) return;
    lines.push({
      type: 'assistant',
      uuid: replyLineUuid(entry.id, index, uuids),
      session_id: options.sessionId,
      parent_tool_use_id: null,
      timestamp: at,
      ...(request === undefined ? {} : { request_id: request }),
      ...(entry.aborted === true ? { aborted: true } : {}),
      message: {
        id: entry.providerMessageId ?? entry.id,
        type: 'message',
        role: 'assistant',
        model: wireModelName(entry.model),
        content: [wire],
        stop_reason: null,
        stop_sequence: null,
        usage: known ?? usageNotKnown,
      },
    });
  });
  if (options.includePartialMessages === true) {
    lines.push(
      ...endStream(state, entry.aborted === true ? null : (entry.stopReason ?? state.turn?.stopReason ?? null), known),
    );
  }
  return lines;
}
