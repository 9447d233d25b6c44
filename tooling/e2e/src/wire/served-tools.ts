import type { McpServer, McpTransport } from '@rondo/sdk';

type Message = Readonly<Record<string, unknown>>;

export interface ServedTools {
  /** The reply to a message of the peer; what needs none is answered with an empty one. */
  answer(message: Message): Promise<object>;
}

/** A server of the program behind the wire: what the peer sends is handed to it, and its replies come back by their IDs. */
export function serveTools(server: McpServer): ServedTools {
  const waiting = new Map<unknown, (reply: object) => void>();
  const transport: McpTransport = {
    start: async () => {},
    close: async () => {},
    async send(message) {
      waiting.get(message['id'])?.(message);
      waiting.delete(message['id']);
    },
  };
  let connected: Promise<void> | undefined;
  return {
    async answer(message) {
      connected ??= server.connect(transport);
      await connected;
      if (message['id'] === undefined) {
        transport.onmessage?.(message as never);
        return { jsonrpc: '2.0', result: {}, id: 0 };
      }
      return await new Promise((resolve) => {
        waiting.set(message['id'], resolve);
        transport.onmessage?.(message as never);
      });
    },
  };
}
