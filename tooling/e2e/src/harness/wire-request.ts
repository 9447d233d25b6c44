import type { RecordedRequest } from '@rondo/providers/testing';

interface WireBlock {
  readonly type: string;
  readonly content?: string | readonly { readonly text?: string }[];
}

/** The texts of the tool results in the last message of a request, in their order. */
export function toolResults(request: RecordedRequest | undefined): string[] {
  const { messages } = (request?.body ?? { messages: [] }) as {
    messages: readonly { content: readonly WireBlock[] }[];
  };
  return (messages.at(-1)?.content ?? []).flatMap(({ type, content }) => {
    if (type !== 'tool_result') return [];
    return [typeof content === 'string' ? content : (content ?? []).map((part) => part.text ?? '').join('')];
  });
}
