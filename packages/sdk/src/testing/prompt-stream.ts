import type { SDKUserMessage } from '@rondo/protocol';

/** A message of the person. */
export function userMessage(content: string, more: Partial<SDKUserMessage> = {}): SDKUserMessage {
  return { type: 'user', message: { role: 'user', content }, parent_tool_use_id: null, session_id: '', ...more };
}

/** A streaming prompt of these texts, all said at once. */
export async function* streamOf(...texts: readonly string[]): AsyncGenerator<SDKUserMessage> {
  for (const text of texts) yield userMessage(text);
}

/** A streaming prompt that its test speaks into, and ends. */
export interface PromptStream extends AsyncIterable<SDKUserMessage> {
  say(text: string, more?: Partial<SDKUserMessage>): void;
  end(): void;
}

export function promptStream(): PromptStream {
  const messages: SDKUserMessage[] = [];
  let isOver = false;
  let told = Promise.withResolvers<void>();
  const tell = (): void => {
    told.resolve();
    told = Promise.withResolvers();
  };
  return {
    say(text, more) {
      messages.push(userMessage(text, more));
      tell();
    },
    end() {
      isOver = true;
      tell();
    },
    async *[Symbol.asyncIterator]() {
      for (;;) {
        const message = messages.shift();
        if (message !== undefined) yield message;
        else if (isOver) return;
        else await told.promise;
      }
    },
  };
}
