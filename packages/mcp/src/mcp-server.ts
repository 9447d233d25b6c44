/** A message of JSON-RPC. What is in it, nobody has looked at. */
export type McpMessage = { readonly [field: string]: unknown };

/** As a method, so that it fits transports whose messages are typed more closely. */
interface Listener {
  hear(message: McpMessage, extra?: unknown): void;
}

/** Carries messages of the Model Context Protocol between a server in this program and whoever calls it. */
export interface McpTransport {
  start(): Promise<void>;
  send(message: McpMessage): Promise<void>;
  close(): Promise<void>;
  onmessage?: Listener['hear'] | undefined;
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  sessionId?: string | undefined;
}

/**
 * A server of the Model Context Protocol in this program: what `createSdkMcpServer()` makes, or any object that connects
 * to a transport as the protocol's own servers do.
 */
export interface McpServer {
  connect(transport: McpTransport): Promise<void>;
  close(): Promise<void>;
}
