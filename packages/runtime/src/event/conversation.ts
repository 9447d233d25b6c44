import type { AssistantEntry, MessageEntry, ToolCompleted } from '@rondo/protocol';

/**
 * What the model has been told and has said, in order, since the last compaction. Results belong to the assistant
 * message before them and may come in any order; entries that were discarded are not here.
 */
export type ConversationItem =
  | { readonly kind: 'message'; readonly entry: MessageEntry }
  | { readonly kind: 'assistant'; readonly entry: AssistantEntry }
  | { readonly kind: 'result'; readonly entryId: string; readonly result: ToolCompleted };
