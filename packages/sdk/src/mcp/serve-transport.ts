import type { McpServerInfo, McpToolDescription, McpTransport } from '@rondo/mcp';
import type { JsonObject, JsonValue } from '@rondo/protocol';
import type { SdkTools } from './sdk-tools.ts';
import type { ToolHandlerExtra } from './tool.ts';

/** Versions of the protocol that this server speaks, the latest first. */
const versions = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'];

const INVALID_REQUEST = -32600;
const UNKNOWN_METHOD = -32601;
const INVALID_PARAMS = -32602;
const INTERNAL = -32603;

export interface ServedServer {
  readonly serverInfo: McpServerInfo;
  readonly tools: SdkTools;
}

type Id = string | number;

/** An error that the protocol has a number for. */
function requestError(code: number, message: string): Error {
  return Object.assign(new Error(message), { code });
}

function codeOf(error: unknown): number {
  return error instanceof Error && 'code' in error && typeof error.code === 'number' ? error.code : INTERNAL;
}

/**
 * Serves one connection: every request is answered exactly once, in whatever order the answers are found.
 * @returns closes the connection; calls at work are told to stop.
 */
export async function serveTransport(transport: McpTransport, server: ServedServer): Promise<() => Promise<void>> {
  const running = new Map<Id, AbortController>();
  const asked = new Map<Id, PromiseWithResolvers<unknown>>();
  let requests = 0;
  let isOpen = true;

  async function send(message: JsonObject): Promise<void> {
    if (isOpen) await transport.send({ jsonrpc: '2.0', ...message });
  }

  function receive(message: JsonObject): void {
    const { id, method } = message;
    const hasId = typeof id === 'string' || typeof id === 'number';
    if (typeof method === 'string' && hasId) void answer(id, method, paramsOf(message));
    else if (typeof method === 'string') hear(method, paramsOf(message));
    else if (hasId && ('result' in message || 'error' in message)) settle(id, message);
    else void fail(hasId ? id : null, requestError(INVALID_REQUEST, 'this is no message of JSON-RPC'));
  }

  async function answer(id: Id, method: string, params: JsonObject): Promise<void> {
    const controller = new AbortController();
    running.set(id, controller);
    try {
      const result = await resultOf(method, params, { id, signal: controller.signal });
      // Whoever has cancelled a request gets no answer.
      if (!controller.signal.aborted) await send({ id, result });
    } catch (error) {
      if (!controller.signal.aborted) await fail(id, error);
    } finally {
      if (running.get(id) === controller) running.delete(id);
    }
  }

  async function fail(id: Id | null, error: unknown): Promise<void> {
    const message = error instanceof Error ? error.message : String(error);
    await send({ id, error: { code: codeOf(error), message } }).catch(() => {});
  }

  function hear(method: string, { requestId, reason }: JsonObject): void {
    if (method !== 'notifications/cancelled') return;
    if (typeof requestId !== 'string' && typeof requestId !== 'number') return;
    running.get(requestId)?.abort(new Error(typeof reason === 'string' ? reason : 'the request was cancelled'));
  }

  function settle(id: Id, { result, error }: JsonObject): void {
    const waiting = asked.get(id);
    asked.delete(id);
    if (error === undefined) waiting?.resolve(result);
    else waiting?.reject(new Error(messageOf(error)));
  }

  async function resultOf(
    method: string,
    params: JsonObject,
    request: { readonly id: Id; readonly signal: AbortSignal },
  ): Promise<JsonValue> {
    switch (method) {
      case 'initialize':
        return initializeResult(server.serverInfo, params);
      case 'ping':
        return {};
      case 'tools/list':
        return { tools: (await server.tools.describe()).flatMap(listedTool) };
      case 'tools/call':
        return await callResult(params, request);
      default:
        throw requestError(UNKNOWN_METHOD, `${method} is not served`);
    }
  }

  async function callResult(
    { name, arguments: input = {}, _meta }: JsonObject,
    { id, signal }: { readonly id: Id; readonly signal: AbortSignal },
  ): Promise<JsonValue> {
    if (typeof name !== 'string') throw requestError(INVALID_PARAMS, 'params.name must be a text');
    if (!isObject(input)) throw requestError(INVALID_PARAMS, 'params.arguments must be an object');
    const extra: ToolHandlerExtra = {
      signal,
      requestId: id,
      ...(isObject(_meta) ? { _meta } : {}),
      sendNotification: async (notification) => await send(notification as unknown as JsonObject),
      sendRequest: ask,
    };
    const given = await server.tools.call(name, input, extra);
    if (given === undefined) throw requestError(INVALID_PARAMS, `there is no tool ${name}, or it gave nothing`);
    return JSON.parse(JSON.stringify(given)) as JsonValue;
  }

  async function ask(request: { method: string; params?: Record<string, unknown> }): Promise<unknown> {
    if (!isOpen) throw new Error('the connection is closed');
    const id = `s${++requests}`;
    const waiting = Promise.withResolvers<unknown>();
    asked.set(id, waiting);
    await send({ id, ...(request as unknown as JsonObject) });
    return await waiting.promise;
  }

  function end(): void {
    isOpen = false;
    const over = new Error('the connection was closed');
    for (const controller of running.values()) controller.abort(over);
    for (const waiting of asked.values()) waiting.reject(over);
    running.clear();
    asked.clear();
  }

  // What it holds is looked at field by field.
  transport.onmessage = (message) => receive(message as JsonObject);
  transport.onclose = end;
  await transport.start();
  return async () => {
    end();
    await transport.close();
  };
}

function initializeResult(serverInfo: McpServerInfo, { protocolVersion }: JsonObject): JsonValue {
  const version = versions.find((one) => one === protocolVersion) ?? versions[0] ?? '';
  return { protocolVersion: version, capabilities: { tools: {} }, serverInfo: { ...serverInfo } };
}

/** A tool that nobody can be told of is left out of the list. */
function listedTool(described: McpToolDescription): JsonObject[] {
  const { name, title, description, inputSchema, annotations, meta, unusable } = described;
  if (unusable !== undefined) return [];
  const listed = { name, title, description, inputSchema, annotations, _meta: meta };
  return [JSON.parse(JSON.stringify(listed)) as JsonObject];
}

function paramsOf({ params }: JsonObject): JsonObject {
  return isObject(params) ? params : {};
}

function messageOf(error: JsonValue): string {
  return isObject(error) && typeof error['message'] === 'string' ? error['message'] : JSON.stringify(error);
}

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
