import { connectInstance } from './connect-instance.ts';
import type { ConnectOptions, McpConnection } from './mcp-connection.ts';
import type { McpServer } from './mcp-server.ts';

/** A server can hold one connection: sessions that use it at once share it. */
interface SharedConnection {
  readonly connection: Promise<McpConnection>;
  users: number;
}

const shared = new WeakMap<McpServer, SharedConnection>();

/** The connection to a server, new or as others have it. The last one that leaves it closes it. */
export async function shareConnection(instance: McpServer, options: ConnectOptions): Promise<McpConnection> {
  let used = shared.get(instance);
  const isNew = used === undefined;
  if (used === undefined) {
    used = { connection: connectInstance(instance, options), users: 0 };
    shared.set(instance, used);
  }
  const mine = used;
  mine.users += 1;
  let connection: McpConnection;
  try {
    connection = await mine.connection;
  } catch (error) {
    if (shared.get(instance) === mine) shared.delete(instance);
    throw error;
  }
  if (connection.status === 'failed') {
    if (shared.get(instance) === mine) shared.delete(instance);
    // One that is lost as soon as it is reached is not tried again and again.
    if (isNew) throw new Error(connection.error);
    return await shareConnection(instance, options);
  }
  let isLeft = false;
  return {
    serverInfo: connection.serverInfo,
    get tools() {
      return connection.tools;
    },
    get status() {
      return connection.status;
    },
    get error() {
      return connection.error ?? '';
    },
    problemsOf: connection.problemsOf,
    callTool: connection.callTool,
    async close() {
      if (isLeft) return;
      isLeft = true;
      mine.users -= 1;
      if (mine.users > 0) return;
      if (shared.get(instance) === mine) shared.delete(instance);
      await connection.close();
    },
  };
}
