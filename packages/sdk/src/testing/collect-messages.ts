import type { SDKMessage } from '@rondo/protocol';
import { expect } from 'vitest';

/** Everything a query says. */
export async function collectMessages(query: AsyncIterable<SDKMessage>): Promise<SDKMessage[]> {
  const messages: SDKMessage[] = [];
  for await (const message of query) messages.push(message);
  return messages;
}

/** What a query says that ends in an error result, and throws it. */
export async function collectFailing(query: AsyncIterable<SDKMessage>): Promise<SDKMessage[]> {
  const messages: SDKMessage[] = [];
  const read = async (): Promise<void> => {
    for await (const message of query) messages.push(message);
  };
  await expect(read()).rejects.toMatchObject({ code: 'turn.failed' });
  return messages;
}
