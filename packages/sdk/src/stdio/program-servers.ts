import type { JsonObject } from '@rondo/protocol';
import { RondoError } from '@rondo/protocol/values';
import type { Clock } from '@rondo/runtime';
import { isRecord } from '../is-record.ts';
import type { McpServer, McpTransport } from '../mcp/mcp-server-config.ts';
import { endsWithin } from './end-process.ts';

/** What a server would answer a client's first two requests, so that the peer need not ask. */
export type McpManifests = Readonly<
  Record<string, { readonly initializeResult: unknown; readonly toolsListResult: unknown }>
>;

/** The servers of the Model Context Protocol that live in this program, for a peer that speaks with them over its wire. */
export interface ProgramServers {
  readonly names: readonly string[];
  /** Of the servers that answered. One that does not is left to the peer, which says what is wrong with it. */
  manifests(): Promise<McpManifests>;
  /** Hands a message on. Resolves with the reply; what needs none is answered with an empty one. */
  deliver(name: string, message: JsonObject): Promise<JsonObject>;
  /** These in place of all that were there. */
  replace(servers: Readonly<Record<string, McpServer>>): void;
  close(): void;
}

export interface ProgramServersOptions {
  readonly clock: Clock;
  /** What a server says by itself. */
  readonly send: (name: string, message: JsonObject) => void;
}

interface Link {
  readonly server: McpServer;
  ask(message: JsonObject): Promise<JsonObject>;
  tell(message: JsonObject): Promise<void>;
  close(): void;
}

/** How long a server may take for what is only a convenience. */
const manifestMs = 5000;
/** Pages of a list of tools, so that a server which always names a next one is left. */
const mostPages = 100;

export function createProgramServers(
  servers: Readonly<Record<string, McpServer>>,
  { clock, send }: ProgramServersOptions,
): ProgramServers {
  const links = new Map<string, Link>();
  const open = (name: string, server: McpServer): void => {
    links.set(
      name,
      linkTo(server, (message) => send(name, message)),
    );
  };
  for (const [name, server] of Object.entries(servers)) open(name, server);

  async function manifestOf(link: Link): Promise<McpManifests[string] | undefined> {
    const reading = readManifest(link).catch(() => undefined);
    return (await endsWithin(manifestMs, reading, clock)) ? await reading : undefined;
  }

  return {
    get names() {
      return [...links.keys()];
    },
    async manifests() {
      const found = await Promise.all([...links].map(async ([name, link]) => [name, await manifestOf(link)] as const));
      return Object.fromEntries(
        found.flatMap(([name, manifest]) => (manifest === undefined ? [] : [[name, manifest]])),
      );
    },
    async deliver(name, message) {
      const link = links.get(name);
      if (link === undefined) throw new RondoError('mcp.server_not_found', `SDK MCP server not found: ${name}`);
      if (message['method'] !== undefined && message['id'] !== undefined) return await link.ask(message);
      await link.tell(message);
      return { jsonrpc: '2.0', result: {}, id: 0 };
    },
    replace(wanted) {
      for (const [name, link] of links) {
        if (wanted[name] === link.server) continue;
        link.close();
        links.delete(name);
      }
      for (const [name, server] of Object.entries(wanted)) if (!links.has(name)) open(name, server);
    },
    close() {
      for (const link of links.values()) link.close();
      links.clear();
    },
  };
}

function linkTo(server: McpServer, send: (message: JsonObject) => void): Link {
  const waiting = new Map<string, PromiseWithResolvers<JsonObject>>();
  const closed = new RondoError('channel.closed', 'the connection to the MCP server was closed');
  const transport: McpTransport = {
    start: async () => {},
    async send(sent) {
      // What a server sends is JSON; it says so itself.
      const message = sent as JsonObject;
      const reply = message['method'] === undefined ? waiting.get(keyOf(message)) : undefined;
      if (reply === undefined) return send(message);
      waiting.delete(keyOf(message));
      reply.resolve(message);
    },
    async close() {
      for (const { reject } of waiting.values()) reject(closed);
      waiting.clear();
      transport.onclose?.();
    },
  };
  let connecting: Promise<void> | undefined;

  async function tell(message: JsonObject): Promise<void> {
    connecting ??= server.connect(transport);
    await connecting;
    transport.onmessage?.(message);
  }

  return {
    server,
    tell,
    async ask(message) {
      const reply = Promise.withResolvers<JsonObject>();
      waiting.set(keyOf(message), reply);
      tell(message).catch(reply.reject);
      return await reply.promise;
    },
    close: () => {
      // Whoever connected it may connect it again; the server itself stays open.
      if (connecting !== undefined) void transport.close();
    },
  };
}

/** A number and a text that look alike are two IDs. */
function keyOf(message: JsonObject): string {
  return JSON.stringify(message['id']) ?? '';
}

async function readManifest({ ask, tell }: Link): Promise<McpManifests[string]> {
  const request = async (id: string, method: string, params: JsonObject): Promise<JsonObject> => {
    const reply = await ask({ jsonrpc: '2.0', id: `manifest-${id}`, method, params });
    const { result } = reply;
    if (!isRecord(result)) throw new RondoError('protocol.frame_invalid', `${method} was not answered`);
    return result as JsonObject;
  };
  const initializeResult = await request('initialize', 'initialize', {
    protocolVersion: '2025-06-18',
    capabilities: {},
    clientInfo: { name: 'rondo', version: '1' },
  });
  await tell({ jsonrpc: '2.0', method: 'notifications/initialized' });
  const { capabilities } = initializeResult;
  if (!isRecord(capabilities) || capabilities['tools'] === undefined)
    return { initializeResult, toolsListResult: { tools: [] } };
  const tools: unknown[] = [];
  let cursor: unknown;
  for (let page = 0; page < mostPages; page += 1) {
    const listed = await request(`tools-${page}`, 'tools/list', typeof cursor === 'string' ? { cursor } : {});
    if (Array.isArray(listed['tools'])) tools.push(...listed['tools']);
    cursor = listed['nextCursor'];
    if (typeof cursor !== 'string') return { initializeResult, toolsListResult: { tools } };
  }
  throw new RondoError('protocol.frame_invalid', `tools/list has no end after ${mostPages} pages`);
}
