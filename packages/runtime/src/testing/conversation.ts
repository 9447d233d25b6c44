import type {
  AssistantEntry,
  ContentBlock,
  MessageEntry,
  ModelBlock,
  TextContentBlock,
  ToolCompleted,
} from '@rondo/protocol';
import type { ConversationItem } from '../event/conversation.ts';

/** Pieces of a conversation for tests that need no session around it. */
export function textBlock(text: string): TextContentBlock {
  return { type: 'text', text };
}

export function messageItem(id: string, ...content: ContentBlock[]): ConversationItem {
  return { kind: 'message', entry: { type: 'message', id, role: 'user', content } satisfies MessageEntry };
}

export function replyItem(id: string, content: ModelBlock[], more: Partial<AssistantEntry> = {}): ConversationItem {
  return { kind: 'assistant', entry: { type: 'assistant', id, content, model: 'test/one', ...more } };
}

export function callBlock(toolCallId: string, name = 'Read', input: object = {}): ModelBlock {
  return { type: 'tool_call', toolCallId, name, input } as ModelBlock;
}

export function resultItem(
  entryId: string,
  block: number,
  toolCallId: string,
  content: ContentBlock[],
  isError = false,
): ConversationItem {
  const result: ToolCompleted = {
    type: 'tool.completed',
    seq: 1,
    id: 's:1',
    at: '',
    sessionId: 's',
    turnId: 't',
    callId: `${entryId}#${block}`,
    toolCallId,
    name: 'Read',
    isError,
    outcome: isError ? 'error' : 'success',
    content,
  };
  return { kind: 'result', entryId, result };
}
