import { errorText } from './error-text.ts';
import type { McpMessage, McpTransport } from './mcp-server.ts';

/**
 * Two ends of one connection in this process. What one sends, the other hears later and in order, and as JSON would carry
 * it: neither can change what the other holds. What comes before an end has started waits for it.
 */
export function createLinkedTransports(): readonly [McpTransport, McpTransport] {
  let isOpen = true;
  const first = createEnd();
  const second = createEnd();
  first.leadTo(second);
  second.leadTo(first);
  return [first.transport, second.transport];

  function createEnd() {
    let waiting: McpMessage[] | undefined = [];
    let other: { receive(message: McpMessage): void; readonly transport: McpTransport } | undefined;
    const transport: McpTransport = {
      async start() {
        const early = waiting ?? [];
        waiting = undefined;
        for (const message of early) deliver(message);
      },
      async send(message) {
        if (!isOpen) throw new Error('the connection is closed');
        other?.receive(asJson(message));
      },
      async close() {
        if (!isOpen) return;
        isOpen = false;
        transport.onclose?.();
        other?.transport.onclose?.();
      },
    };
    function deliver(message: McpMessage): void {
      queueMicrotask(() => {
        if (!isOpen) return;
        try {
          transport.onmessage?.(message);
        } catch (error) {
          transport.onerror?.(error instanceof Error ? error : new Error(String(error)));
        }
      });
    }
    return {
      transport,
      receive(message: McpMessage) {
        if (waiting === undefined) deliver(message);
        else waiting.push(message);
      },
      leadTo(end: NonNullable<typeof other>) {
        other = end;
      },
    };
  }
}

/** An answer that JSON cannot carry is an error: whoever waits for one gets one. @throws TypeError for any other message. */
function asJson(message: McpMessage): McpMessage {
  try {
    return JSON.parse(JSON.stringify(message)) as McpMessage;
  } catch (error) {
    if (message['id'] === undefined || !('result' in message)) throw error;
    const problem = `the server's answer is no JSON: ${errorText(error)}`;
    return { jsonrpc: '2.0', id: message['id'], error: { code: -32603, message: problem } };
  }
}
