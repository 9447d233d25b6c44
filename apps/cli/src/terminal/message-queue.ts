import type { SDKUserMessage } from '@rondo/sdk';

/** The prompts of a conversation, as the stream that `query()` reads. */
export interface MessageQueue extends AsyncIterable<SDKUserMessage> {
  send(text: string): void;
  /** No more will come. */
  end(): void;
}

export function createMessageQueue(): MessageQueue {
  const waiting: SDKUserMessage[] = [];
  let ended = false;
  let wake: (() => void) | undefined;
  return {
    send(text) {
      waiting.push({ type: 'user', message: { role: 'user', content: text }, parent_tool_use_id: null });
      wake?.();
    },
    end() {
      ended = true;
      wake?.();
    },
    async *[Symbol.asyncIterator]() {
      for (;;) {
        const next = waiting.shift();
        if (next !== undefined) yield next;
        else if (ended) return;
        else await new Promise<void>((resolve) => (wake = resolve));
      }
    },
  };
}
