import type { AnyEvent, ModelBlock } from '@rondo/protocol';
import type { ConversationItem } from './conversation.ts';
import type { SessionState } from './session-state.ts';

/** An item below this many characters is left as it is: reading it again would cost more than it takes. */
const LIGHT_CHARACTERS = 1024;

/** Characters that the item's contents hold, roughly. */
export function itemWeight(item: ConversationItem): number {
  if (item.isLight === true) return 0;
  return weight(item.kind === 'result' ? item.result : item.entry.content);
}

/**
 * The item without its long contents, which are in the log: what of a long conversation is kept where nobody is about
 * to send it. The same item where that would save nothing.
 */
export function lightItem(item: ConversationItem): ConversationItem {
  return itemWeight(item) <= LIGHT_CHARACTERS ? item : lightened(item);
}

/** The same of an item of any length. */
export function lightened(item: ConversationItem): ConversationItem {
  if (item.seq === undefined) return item;
  switch (item.kind) {
    case 'message':
      return { ...item, isLight: true, entry: { ...item.entry, content: [] } };
    case 'assistant':
      return { ...item, isLight: true, entry: { ...item.entry, content: item.entry.content.map(lightBlock) } };
    case 'result': {
      const { callId, toolCallId, isError, outcome, error, remembered } = item.result;
      const result = {
        callId,
        toolCallId,
        isError,
        outcome,
        content: [],
        ...(error !== undefined && { error }),
        // What a branch goes on with follows from it.
        ...(remembered !== undefined && { remembered }),
      };
      return { ...item, isLight: true, result };
    }
  }
}

/**
 * Every item light but the last reply: an unfinished turn goes on from that one, and its calls are run from it.
 */
export function lightConversation(conversation: readonly ConversationItem[]): ConversationItem[] {
  const last = conversation.findLastIndex((item) => item.kind === 'assistant');
  return conversation.map((item, index) => (index === last ? item : lightItem(item)));
}

/** What branches left behind, light: hardly ever does one go back to it. */
export function lightLeftBehind(leftBehind: SessionState['leftBehind']): SessionState['leftBehind'] {
  return leftBehind.map(({ kept, items }) => ({ kept, items: items.map(lightItem) }));
}

/** The item that the event is, whole; undefined for an event that says none. */
export function itemOfEvent(event: AnyEvent, item: ConversationItem): ConversationItem | undefined {
  if (event.seq !== item.seq) return undefined;
  const { seq } = event;
  if (event.type === 'tool.completed' && item.kind === 'result')
    return { kind: 'result', entryId: item.entryId, result: event, seq };
  if (event.type !== 'entry.completed') return undefined;
  if (event.entry.type === 'message' && item.kind === 'message') return { kind: 'message', entry: event.entry, seq };
  if (event.entry.type === 'assistant' && item.kind === 'assistant')
    return { kind: 'assistant', entry: event.entry, seq };
  return undefined;
}

/** A call stays a call, with its place among the blocks; of anything else only the place is needed. */
function lightBlock(block: ModelBlock): ModelBlock {
  if (block.type === 'tool_call')
    return { type: 'tool_call', toolCallId: block.toolCallId, name: block.name, input: {} };
  return weight(block) <= LIGHT_CHARACTERS ? block : { type: 'text', text: '' };
}

function weight(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return 0;
  let sum = 0;
  for (const member of Object.values(value)) sum += 8 + weight(member);
  return sum;
}
