import type { JsonObject, JsonValue } from '@rondo/protocol';
import { directServerOf, type DirectServer } from './direct-server.ts';
import type { CallOptions, ConnectOptions, McpConnection } from './mcp-connection.ts';
import type { McpServer } from './mcp-server.ts';

/** A server that can be reached, by how. Processes and servers elsewhere are kinds to come. */
export type ConnectableServer = { readonly type: 'sdk'; readonly name: string; readonly instance: McpServer };

/**
 * Reaches a server and asks for its tools. A server made by `createSdkMcpServer()` is called as a function; every other one is
 * spoken with through messages in memory, in one connection that all sessions of the process share.
 * @throws Error when the server cannot be reached, or does not answer until the signal aborts.
 */
export async function connectServer(server: ConnectableServer, options: ConnectOptions): Promise<McpConnection> {
  const direct = directServerOf(server.instance);
  if (direct !== undefined) return await connectDirect(direct);
  const { shareConnection } = await import('./share-connection.ts');
  return await shareConnection(server.instance, options);
}

async function connectDirect(server: DirectServer): Promise<McpConnection> {
  const tools = await server.tools();
  let isClosed = false;
  return {
    serverInfo: server.serverInfo,
    tools,
    get status() {
      return isClosed ? 'failed' : 'connected';
    },
    problemsOf: (name, input) => server.problemsOf(name, input),
    callTool: (name, input, call) =>
      server.callTool(name, input, { ...call, request: (method, params) => answerServer(method, params, call) }),
    async close() {
      isClosed = true;
    },
  };
}

async function answerServer(method: string, params: JsonObject, { elicit, signal }: CallOptions): Promise<JsonValue> {
  if (method !== 'elicitation/create') throw new Error(`${method} is not served here`);
  return (await elicit?.(params, { signal })) ?? { action: 'decline' };
}
