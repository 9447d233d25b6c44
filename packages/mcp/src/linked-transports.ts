import type { JsonObject } from '@rondo/protocol';
import type { McpTransport } from './mcp-server.ts';

/**
 * Two ends of one connection in this process. What one sends, the other hears later and in order, and as a copy: neither
 * can change what the other holds. What comes before an end has started waits for it.
 */
export function createLinkedTransports(): readonly [McpTransport, McpTransport] {
  let isOpen = true;
  const first = createEnd();
  const second = createEnd();
  first.leadTo(second);
  second.leadTo(first);
  return [first.transport, second.transport];

  function createEnd() {
    let waiting: JsonObject[] | undefined = [];
    let other: { receive(message: JsonObject): void; readonly transport: McpTransport } | undefined;
    const transport: McpTransport = {
      async start() {
        const early = waiting ?? [];
        waiting = undefined;
        for (const message of early) deliver(message);
      },
      async send(message) {
        if (!isOpen) throw new Error('the connection is closed');
        other?.receive(structuredClone(message));
      },
      async close() {
        if (!isOpen) return;
        isOpen = false;
        transport.onclose?.();
        other?.transport.onclose?.();
      },
    };
    function deliver(message: JsonObject): void {
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
      receive(message: JsonObject) {
        if (waiting === undefined) deliver(message);
        else waiting.push(message);
      },
      leadTo(end: NonNullable<typeof other>) {
        other = end;
      },
    };
  }
}
