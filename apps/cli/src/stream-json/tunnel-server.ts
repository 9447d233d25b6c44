import type { McpMessage, McpServer, McpTransport } from '@rondo/sdk';
import type { ClientRequests } from './client-requests.ts';
import { type Frame, isFrame } from './read-frames.ts';

/** What a server would answer to the handshake, known beforehand. */
export interface ServerManifest {
  readonly initializeResult: Frame;
  readonly toolsListResult: Frame;
}

/** A server of the client's own program, whose messages go through `mcp_message`. */
export interface TunnelServer extends McpServer {
  /** A message of the server's own accord. */
  receive(message: Frame): void;
}

/**
 * A server that lives with the client. With a manifest the handshake is answered here, so that nothing crosses the wire before the
 * first call; once the server says that its tools have changed, they are asked for.
 */
export function tunnelServer(name: string, requests: ClientRequests, manifest?: ServerManifest): TunnelServer {
  let transport: McpTransport | undefined;
  let isListKnown = manifest !== undefined;

  function known(method: unknown): Frame | undefined {
    if (method === 'initialize') return manifest?.initializeResult;
    return method === 'tools/list' && isListKnown ? manifest?.toolsListResult : undefined;
  }

  async function pass(message: McpMessage, to: McpTransport): Promise<void> {
    const { method } = message;
    // An answer to what the server asked has the server's ID: nothing may come back under it, where it could be one of ours.
    const id = method === undefined ? undefined : message.id;
    const result = id === undefined ? undefined : known(method);
    if (result !== undefined) return await to.send({ jsonrpc: '2.0', id: id ?? null, result } as McpMessage);
    // The server behind a manifest has seen no handshake, and is told of no end of one.
    if (manifest !== undefined && method === 'notifications/initialized') return;
    try {
      const { mcp_response: reply } = await requests.ask(
        'mcp_message',
        { server_name: name, message },
        { whenGone: 'fails' },
      );
      // What comes back for a message that asks nothing is only a sign that it has arrived.
      if (id !== undefined && transport === to)
        await to.send(isFrame(reply) ? ({ ...reply, id } as McpMessage) : noReply(id));
    } catch (error) {
      if (id === undefined || transport !== to) return;
      const text = error instanceof Error ? error.message : String(error);
      await to.send({ jsonrpc: '2.0', id, error: { code: -32_603, message: text } });
    }
  }

  return {
    async connect(to) {
      transport = to;
      to.onmessage = (message) => void pass(message, to).catch((error: unknown) => to.onerror?.(asError(error)));
      await to.start();
    },
    async close() {
      const closing = transport;
      transport = undefined;
      await closing?.close();
    },
    receive(message) {
      if (message['method'] === 'notifications/tools/list_changed') isListKnown = false;
      void transport?.send(message as McpMessage).catch((error: unknown) => transport?.onerror?.(asError(error)));
    },
  };
}

function noReply(id: McpMessage[string]): McpMessage {
  return {
    jsonrpc: '2.0',
    id: id ?? null,
    error: { code: -32_603, message: 'the client gave no reply of the server' },
  };
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
