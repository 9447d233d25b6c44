import type { AssistantEntry, MessageEntry, ToolCompleted } from '@rondo/protocol';

/** Where an item stands in its log. */
interface Logged {
  /** The event that said it. Absent for a conversation that comes from no log. */
  readonly seq?: number;
  /** Long contents are left out: the whole item is what the log says at `seq`. Calls keep their names and IDs. */
  readonly isLight?: true;
}

/**
 * What the model has been told and has said, in order, since the last compaction. Results belong to the assistant
 * message before them and may come in any order; entries that were discarded are not here.
 */
export type ConversationItem = Logged &
  (
    | { readonly kind: 'message'; readonly entry: MessageEntry }
    | { readonly kind: 'assistant'; readonly entry: AssistantEntry }
    | { readonly kind: 'result'; readonly entryId: string; readonly result: ConversationResult }
  );

/** What of a call's result the model is told, and what the engine asks of it later. */
export type ConversationResult = Pick<
  ToolCompleted,
  | 'callId'
  | 'toolCallId'
  | 'isError'
  | 'outcome'
  | 'content'
  | 'error'
  | 'structured'
  | 'structuredSpilled'
  | 'remembered'
>;
