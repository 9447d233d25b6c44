import type { AnyEvent, ToolCompleted } from '@rondo/protocol';
import type { ConversationItem } from '../event/conversation.ts';
import type { EventDraft } from '../event/event-draft.ts';
import { createItemReader } from './item-reader.ts';

export interface CopyOptions {
  readonly conversation: readonly ConversationItem[];
  /** The reply whose call asks for the copy: it, and what follows, is not part of it. */
  readonly untilEntryId: string;
  /** The turn in whose call the copy is made. */
  readonly turnId: string;
  readonly read: (after: number) => AsyncIterable<AnyEvent>;
  readonly newId: () => string;
}

/** A conversation as the beginning of another session's. Contents in blobs stay there: both are in one tree. */
export async function copiedConversation(options: CopyOptions): Promise<EventDraft[]> {
  const { conversation, untilEntryId, turnId } = options;
  const end = conversation.findIndex((item) => item.kind === 'assistant' && item.entry.id === untilEntryId);
  const items = end < 0 ? conversation : conversation.slice(0, end);
  const reader = createItemReader(options.read);
  const drafts: EventDraft[] = [];
  /** Calls are named by their reply's entry, which has another ID in the copy. */
  const entryIds = new Map<string, string>();
  try {
    for (const item of items) {
      const whole = item.isLight === true ? await reader.read(item) : item;
      if (whole === undefined) continue;
      if (whole.kind === 'result') {
        const entryId = entryIds.get(whole.entryId);
        if (entryId !== undefined) drafts.push(copiedResult(whole, entryId, turnId));
        continue;
      }
      const id = options.newId();
      entryIds.set(whole.entry.id, id);
      drafts.push({ type: 'entry.completed', turnId, entry: { ...whole.entry, id } });
    }
  } finally {
    await reader.close();
  }
  return drafts;
}

function copiedResult(
  { result }: Extract<ConversationItem, { kind: 'result' }>,
  entryId: string,
  turnId: string,
): EventDraft {
  const { callId, toolCallId, isError, outcome, content, error, structured, structuredSpilled } = result;
  const name = 'name' in result && typeof result.name === 'string' ? result.name : '';
  const copied: Omit<ToolCompleted, 'seq' | 'id' | 'at' | 'sessionId'> = {
    type: 'tool.completed',
    turnId,
    callId: `${entryId}${callId.slice(callId.lastIndexOf('#'))}`,
    toolCallId,
    name,
    isError,
    outcome,
    content,
    ...(error === undefined ? {} : { error }),
    ...(structured === undefined ? {} : { structured }),
    ...(structuredSpilled === undefined ? {} : { structuredSpilled }),
  };
  return copied;
}
