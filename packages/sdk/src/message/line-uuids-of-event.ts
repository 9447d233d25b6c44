import type { AnyEvent, MessageEntry, ToolCompleted, UUID } from '@rondo/protocol';
import { isUuid } from '@rondo/protocol/values';
import { messageUuid } from './line-uuid.ts';

/** What the log says of a conversation in one event: where it is named, and the UUIDs of the lines that it is shown as. */
export interface LinesOfEvent {
  /** As `session.branched` names it. */
  readonly place: { readonly entryId: string } | { readonly callId: string };
  /** One a block, whether or not the block has a line. */
  readonly uuids: readonly string[];
}

/** Undefined for an event that says nothing of a conversation. */
export function lineUuidsOfEvent(event: AnyEvent): LinesOfEvent | undefined {
  if (event.type === 'tool.completed') return { place: { callId: event.callId }, uuids: [resultLineUuid(event)] };
  if (event.type !== 'entry.completed') return undefined;
  const { entry, lines } = event;
  if (entry.type === 'message') return { place: { entryId: entry.id }, uuids: [messageLineUuid(entry)] };
  if (entry.type !== 'assistant') return undefined;
  return {
    place: { entryId: entry.id },
    uuids: entry.content.map((_, index) => replyLineUuid(entry.id, index, lines)),
  };
}

export function messageLineUuid({ id, messageId }: MessageEntry): UUID {
  return isUuid(messageId) ? messageId : messageUuid(id, 0);
}

/** @param imported UUIDs that the lines had where they were imported from. */
export function replyLineUuid(entryId: string, block: number, imported: readonly string[] = []): UUID {
  const known = imported[block];
  return isUuid(known) ? known : messageUuid(entryId, block);
}

export function resultLineUuid({ callId, line }: Pick<ToolCompleted, 'callId' | 'line'>): UUID {
  return isUuid(line) ? line : messageUuid(callId, 'result');
}
