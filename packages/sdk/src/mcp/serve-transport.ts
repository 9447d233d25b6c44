import {
  checkArguments,
  type McpServerInfo,
  type McpToolDescription,
  type McpTransport,
  rpcError,
  type RpcId,
  startRpcPeer,
} from '@rondo/mcp';
import type { JsonObject, JsonValue } from '@rondo/protocol';
import type { SdkTools } from './sdk-tools.ts';
import type { ToolHandlerExtra } from './tool.ts';

/** Versions of the protocol that this server speaks, the latest first. */
const versions = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'];

export interface ServedServer {
  readonly serverInfo: McpServerInfo;
  readonly tools: SdkTools;
}

interface Request {
  readonly id: RpcId;
  readonly signal: AbortSignal;
}

/**
 * Serves one connection.
 * @returns closes the connection; calls at work are told to stop.
 */
export async function serveTransport(transport: McpTransport, server: ServedServer): Promise<() => Promise<void>> {
  const peer = await startRpcPeer(transport, { request: resultOf });
  return peer.close;

  async function resultOf(method: string, params: JsonObject, request: Request): Promise<JsonValue> {
    switch (method) {
      case 'initialize':
        return initializeResult(server.serverInfo, params);
      case 'tools/list':
        return { tools: (await server.tools.describe()).flatMap(listedTool) };
      case 'tools/call':
        return await callResult(params, request);
      case checkArguments:
        return problemsResult(params);
      default:
        throw rpcError('unknownMethod', `${method} is not served`);
    }
  }

  /** What only the call itself can tell is no problem yet. */
  function problemsResult({ name, arguments: input = {} }: JsonObject): JsonValue {
    if (typeof name !== 'string') throw rpcError('invalidParams', 'params.name must be a text');
    if (!isObject(input)) throw rpcError('invalidParams', 'params.arguments must be an object');
    return { problems: (server.tools.problemsOf(name, input) ?? []).map((problem) => ({ ...problem })) };
  }

  async function callResult(
    { name, arguments: input = {}, _meta }: JsonObject,
    { id, signal }: Request,
  ): Promise<JsonValue> {
    if (typeof name !== 'string') throw rpcError('invalidParams', 'params.name must be a text');
    if (!isObject(input)) throw rpcError('invalidParams', 'params.arguments must be an object');
    const extra: ToolHandlerExtra = {
      signal,
      requestId: id,
      ...(isObject(_meta) ? { _meta } : {}),
      sendNotification: async ({ method, params }) => await peer.notify(method, params as JsonObject | undefined),
      sendRequest: async ({ method, params = {} }) => await peer.request(method, params as JsonObject, signal),
    };
    const given = await server.tools.call(name, input, extra);
    if (given === undefined) throw rpcError('invalidParams', `there is no tool ${name}, or it gave nothing`);
    return JSON.parse(JSON.stringify(given)) as JsonValue;
  }
}

function initializeResult(serverInfo: McpServerInfo, { protocolVersion }: JsonObject): JsonValue {
  const version = versions.find((one) => one === protocolVersion) ?? versions[0] ?? '';
  return {
    protocolVersion: version,
    capabilities: { tools: {}, experimental: { [checkArguments]: {} } },
    serverInfo: { ...serverInfo },
  };
}

/** A tool that nobody can be told of is left out of the list. */
function listedTool(described: McpToolDescription): JsonObject[] {
  const { name, title, description, inputSchema, annotations, meta, unusable } = described;
  if (unusable !== undefined) return [];
  const listed = { name, title, description, inputSchema, annotations, _meta: meta };
  return [JSON.parse(JSON.stringify(listed)) as JsonObject];
}

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
