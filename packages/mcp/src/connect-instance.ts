import { Client } from '@modelcontextprotocol/client';
import type { JsonObject, ToolAnnotations } from '@rondo/protocol';
import { errorText } from './error-text.ts';
import { createLinkedTransports } from './linked-transports.ts';
import type { ConnectOptions, McpConnection, McpToolDescription } from './mcp-connection.ts';
import type { McpServer } from './mcp-server.ts';

/** A server can hold one connection: sessions that use it at once share it. */
interface SharedConnection {
  readonly connection: Promise<McpConnection>;
  users: number;
}

const shared = new WeakMap<McpServer, SharedConnection>();

/** As long as it takes: the caller's signal ends a call, and nothing else does. */
const LONGEST_MS = 2 ** 31 - 1;

/** Speaks with a server of this program through messages. The last session that leaves it closes its connection. */
export async function connectInstance(instance: McpServer, options: ConnectOptions): Promise<McpConnection> {
  let used = shared.get(instance);
  if (used === undefined) {
    used = { connection: openConnection(instance, options), users: 0 };
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
  if (connection.status === 'failed' && shared.get(instance) === mine) {
    shared.delete(instance);
    return await connectInstance(instance, options);
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

async function openConnection(instance: McpServer, { signal, clientInfo }: ConnectOptions): Promise<McpConnection> {
  const [ours, theirs] = createLinkedTransports();
  const client = new Client(clientInfo, { capabilities: { elicitation: {} } });
  // Nobody is asked in a server's name.
  client.setRequestHandler('elicitation/create', () => ({ action: 'decline' as const }));
  let failure: string | undefined;
  let tools: readonly McpToolDescription[] = [];
  client.onclose = () => (failure ??= 'the server closed the connection');
  // A message that cannot be read is no reason to leave the server; its call fails by itself.
  client.onerror = () => {};
  const request = { signal, timeout: LONGEST_MS };
  const list = async (): Promise<void> => {
    if (client.getServerCapabilities()?.tools === undefined) return;
    tools = (await client.listTools(undefined, request)).tools.map(described);
  };
  client.setNotificationHandler('notifications/tools/list_changed', () => void list().catch(() => {}));
  try {
    await whileWanted(signal, async () => {
      await instance.connect(theirs);
      await client.connect(ours, request);
      await list();
    });
  } catch (error) {
    await client.close().catch(() => {});
    await ours.close();
    throw error;
  }
  return {
    serverInfo: serverInfoOf(client),
    get tools() {
      return tools;
    },
    get status() {
      return failure === undefined ? 'connected' : 'failed';
    },
    get error() {
      return failure ?? '';
    },
    problemsOf: () => undefined,
    async callTool(name, input, call) {
      if (failure !== undefined) throw new Error(failure);
      const { toolCallId, progress } = call;
      const meta = toolCallId === undefined ? {} : { _meta: { 'rondo/toolCallId': toolCallId } };
      return await client.callTool(
        { name, arguments: input, ...meta },
        {
          signal: call.signal,
          timeout: LONGEST_MS,
          ...(progress === undefined
            ? {}
            : {
                onprogress: ({ progress: done, total, message }) =>
                  progress({ progress: done, total: total ?? null, message: message ?? null }),
              }),
        },
      );
    },
    async close() {
      failure ??= 'the connection was closed';
      try {
        await client.close();
      } catch (error) {
        failure = errorText(error);
      }
    },
  };
}

/** Also ends while the server does not answer. */
async function whileWanted(signal: AbortSignal, work: () => Promise<void>): Promise<void> {
  const given = Promise.withResolvers<never>();
  given.promise.catch(() => {});
  const onAbort = (): void =>
    given.reject(signal.reason instanceof Error ? signal.reason : new Error('it was given up'));
  if (signal.aborted) onAbort();
  else signal.addEventListener('abort', onAbort, { once: true });
  const done = work();
  done.catch(() => {});
  try {
    await Promise.race([done, given.promise]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

function serverInfoOf(client: Client): McpConnection['serverInfo'] {
  const { name = '', version = '' } = client.getServerVersion() ?? {};
  return { name, version };
}

type ListedTool = Awaited<ReturnType<Client['listTools']>>['tools'][number];

function described({
  name,
  title,
  description,
  inputSchema,
  annotations,
  _meta: meta,
}: ListedTool): McpToolDescription {
  return {
    name,
    ...(title === undefined ? {} : { title }),
    ...(description === undefined ? {} : { description }),
    inputSchema,
    // The library has checked their shapes.
    ...(annotations === undefined ? {} : { annotations: annotations as ToolAnnotations }),
    ...(meta === undefined ? {} : { meta: meta as JsonObject }),
  };
}
