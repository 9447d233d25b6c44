import { connectInstance } from './connect-instance.ts';
import type { ConnectOptions, McpConnection } from './mcp-connection.ts';
import type { McpServer } from './mcp-server.ts';
import { withinSignal } from './within-signal.ts';

/** A server can hold one connection: sessions that use it at once share it. */
interface SharedConnection {
  readonly connection: Promise<McpConnection>;
  /** Of whoever began to reach it. */
  readonly signal: AbortSignal;
  users: number;
}

const shared = new WeakMap<McpServer, SharedConnection>();

/**
 * The connection to a server, new or as others have it. The last one that leaves it closes it.
 * @throws Error when it cannot be reached, and the signal's reason: nobody waits longer than their own signal says.
 */
export async function shareConnection(instance: McpServer, options: ConnectOptions): Promise<McpConnection> {
  let used = shared.get(instance);
  const isNew = used === undefined;
  if (used === undefined) {
    used = { connection: connectInstance(instance, options), signal: options.signal, users: 0 };
    shared.set(instance, used);
  }
  const mine = used;
  mine.users += 1;
  let connection: McpConnection;
  try {
    connection = isNew ? await mine.connection : await withinSignal(options.signal, () => mine.connection);
  } catch (error) {
    if (!isNew && options.signal.aborted) {
      await leave(mine);
      throw error;
    }
    if (shared.get(instance) === mine) shared.delete(instance);
    // Whoever began to reach it may have given up before it answered: that is no word about the server.
    if (isNew || !mine.signal.aborted) throw error;
    return await shareConnection(instance, options);
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
    ...(connection.askProblems === undefined ? {} : { askProblems: connection.askProblems }),
    callTool: connection.callTool,
    async close() {
      if (isLeft) return;
      isLeft = true;
      await leave(mine);
    },
  };

  async function leave(used: SharedConnection): Promise<void> {
    used.users -= 1;
    if (used.users > 0) return;
    if (shared.get(instance) === used) shared.delete(instance);
    await (await used.connection.catch(() => undefined))?.close();
  }
}
