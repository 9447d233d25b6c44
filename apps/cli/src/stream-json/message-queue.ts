import { randomUUID } from 'node:crypto';
import { isUuid } from '@rondo/protocol/values';
import type { SDKUserMessage } from '@rondo/sdk';
import type { Frame } from './read-frames.ts';

/** The client's messages, as the stream that `query()` reads. Each has a uuid, so that its way can be followed. */
export interface MessageQueue extends AsyncIterable<SDKUserMessage> {
  /**
   * False for one that comes too late.
   * @throws Error for a line that is no user message.
   */
  send(frame: Frame): boolean;
  /** No more will come. `drop` also takes back what nobody has read. */
  end(how?: 'drop'): void;
  /** Whether the client itself gave a message this uuid. */
  isNamed(uuid: string): boolean;
}

/** @param onSent hears of each message that asks for an answer, as the session gets it. */
export function createMessageQueue(onSent: (uuid: string) => void): MessageQueue {
  const waiting: SDKUserMessage[] = [];
  const named = new Set<string>();
  let ended = false;
  let wake: (() => void) | undefined;
  return {
    send(frame) {
      const message = userMessage(frame);
      if (ended) return false;
      if (isUuid(frame['uuid'])) named.add(frame['uuid']);
      waiting.push(message);
      wake?.();
      return true;
    },
    end(how) {
      if (how === 'drop') waiting.length = 0;
      ended = true;
      wake?.();
    },
    isNamed: (uuid) => named.has(uuid),
    async *[Symbol.asyncIterator]() {
      for (;;) {
        const next = waiting.shift();
        if (next !== undefined) {
          if (next.uuid !== undefined && next.shouldQuery !== false) onSent(next.uuid);
          yield next;
        } else if (ended) return;
        else await new Promise<void>((resolve) => (wake = resolve));
      }
    },
  };
}

function userMessage(frame: Frame): SDKUserMessage {
  const { message, uuid } = frame;
  const { role, content } = typeof message === 'object' && message !== null ? (message as Frame) : {};
  if (role !== 'user' || !(typeof content === 'string' || Array.isArray(content)))
    throw new Error(
      'A user line on standard input must be {"type":"user","message":{"role":"user","content":…},"parent_tool_use_id":null}.',
    );
  return { ...(frame as unknown as SDKUserMessage), uuid: isUuid(uuid) ? uuid : randomUUID() };
}
