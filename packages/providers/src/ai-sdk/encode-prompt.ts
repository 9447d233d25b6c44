import type { LanguageModelV4Message, LanguageModelV4Prompt } from '@ai-sdk/provider';
import type { ModelMessage, ModelRequest } from '@rondo/runtime';
import { encodeReply } from './encode-reply.ts';
import { encodeUser } from './encode-user.ts';

/** What differs between providers in how a conversation is put to them. */
export interface PromptStyle {
  /** Resolved name of the model that is asked. */
  readonly model: string;
  /** Whether it takes a file of that media type; one that it does not take is named in a text. */
  readonly takes: (mediaType: string) => boolean;
  /** Files of a tool's result go `inline` with it, or in a message of the user's `after` it. */
  readonly resultFiles: 'inline' | 'after';
  /** Said for the model between results and words of the user's, where the API takes none right after results. */
  readonly afterResults?: string;
  /** A call's ID as this provider takes it; has to be the same for the same ID, always. */
  readonly callId?: (toolCallId: string) => string;
}

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
