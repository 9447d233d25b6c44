import type { LanguageModelV4Message, LanguageModelV4Prompt } from '@ai-sdk/provider';
import type { ModelMessage, ModelRequest } from '@rondo/runtime';
import { encodeReply } from './encode-reply.ts';
import { encodeUser } from './encode-user.ts';
import type { PromptStyle } from './prompt-style.ts';

/** Encodes conversations for one model. What a message becomes is made once in its life. */
export function createPromptEncoder(style: PromptStyle): (request: ModelRequest) => LanguageModelV4Prompt {
  const encoded = new WeakMap<ModelMessage, readonly LanguageModelV4Message[]>();

  function encode(message: ModelMessage, before: ModelMessage | undefined): readonly LanguageModelV4Message[] {
    let messages = encoded.get(message);
    if (messages === undefined) {
      messages = message.role === 'user' ? encodeUser(message, before, style) : encodeReply(message, style);
      encoded.set(message, messages);
    }
    return messages;
  }

  return ({ system, messages }) => [
    ...(/\S/.test(system) ? [{ role: 'system' as const, content: system }] : []),
    ...messages.flatMap((message, index) => encode(message, messages[index - 1])),
  ];
}
