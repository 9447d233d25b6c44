import type { JsonObject, JsonValue } from '@rondo/protocol';
import { errorText } from './error-text.ts';
import type { McpMessage, McpTransport } from './mcp-server.ts';

/** The errors that JSON-RPC has numbers for. */
export const rpcCodes = {
  invalidRequest: -32600,
  unknownMethod: -32601,
  invalidParams: -32602,
  internal: -32603,
} as const;

/** An error whose number the other side is told. */
export function rpcError(code: keyof typeof rpcCodes, message: string): Error {
  return Object.assign(new Error(message), { code: rpcCodes[code] });
}

export type RpcId = string | number;

/** What is done with what the other side says. */
export interface RpcHandlers {
  /** Its answer. What it throws is the answer too. The signal aborts when nobody waits for one any more. */
  request(
    method: string,
    params: JsonObject,
    request: { readonly id: RpcId; readonly signal: AbortSignal },
  ): Promise<JsonValue>;
  notification?(method: string, params: JsonObject): void;
  /** Once; nothing is heard after it. */
  closed?(): void;
}

/** One side of a connection of JSON-RPC. */
export interface RpcPeer {
  /** @throws Error with the other side's message, the signal's reason, or that the connection was closed. */
  request(method: string, params: JsonObject, signal?: AbortSignal): Promise<JsonValue>;
  notify(method: string, params?: JsonObject): Promise<void>;
  /** Never rejects. */
  close(): Promise<void>;
}

/** Begins to speak over a transport. Each request is answered once, in whatever order answers are found; one that was cancelled is not. */
export async function startRpcPeer(transport: McpTransport, handlers: RpcHandlers): Promise<RpcPeer> {
  const running = new Map<RpcId, AbortController>();
  const waiting = new Map<RpcId, PromiseWithResolvers<JsonValue>>();
  let requests = 0;
  let isOpen = true;

  async function send(message: McpMessage): Promise<void> {
    if (isOpen) await transport.send({ jsonrpc: '2.0', ...message });
  }

  function receive(message: McpMessage): void {
    const { id, method } = message;
    const hasId = typeof id === 'string' || typeof id === 'number';
    if (typeof method === 'string' && hasId) void answer(id, method, paramsOf(message));
    else if (typeof method === 'string') hear(method, paramsOf(message));
    else if (hasId && ('result' in message || 'error' in message)) settle(id, message);
    else void fail(hasId ? id : null, rpcError('invalidRequest', 'this is no message of JSON-RPC'));
  }

  async function answer(id: RpcId, method: string, params: JsonObject): Promise<void> {
    const controller = new AbortController();
    running.set(id, controller);
    try {
      const result = method === 'ping' ? {} : await handlers.request(method, params, { id, signal: controller.signal });
      if (!controller.signal.aborted) await send({ id, result });
    } catch (error) {
      if (!controller.signal.aborted) await fail(id, error);
    } finally {
      if (running.get(id) === controller) running.delete(id);
    }
  }

  async function fail(id: RpcId | null, error: unknown): Promise<void> {
    const code =
      error instanceof Error && 'code' in error && typeof error.code === 'number' ? error.code : rpcCodes.internal;
    await send({ id, error: { code, message: errorText(error) } }).catch(() => {});
  }

  function hear(method: string, params: JsonObject): void {
    if (method !== 'notifications/cancelled') return handlers.notification?.(method, params);
    const { requestId, reason } = params;
    if (typeof requestId !== 'string' && typeof requestId !== 'number') return;
    running.get(requestId)?.abort(new Error(typeof reason === 'string' ? reason : 'the request was cancelled'));
  }

  function settle(id: RpcId, { result, error }: McpMessage): void {
    const asked = waiting.get(id);
    waiting.delete(id);
    if (error === undefined) asked?.resolve(result as JsonValue);
    else asked?.reject(new Error(messageOf(error)));
  }

  function end(): void {
    if (!isOpen) return;
    isOpen = false;
    const over = new Error('the connection was closed');
    for (const controller of running.values()) controller.abort(over);
    for (const asked of waiting.values()) asked.reject(over);
    running.clear();
    waiting.clear();
    handlers.closed?.();
  }

  async function request(method: string, params: JsonObject, signal?: AbortSignal): Promise<JsonValue> {
    if (!isOpen) throw new Error('the connection was closed');
    signal?.throwIfAborted();
    const id = ++requests;
    const asked = Promise.withResolvers<JsonValue>();
    waiting.set(id, asked);
    const onAbort = (): void => {
      waiting.delete(id);
      asked.reject(signal?.reason instanceof Error ? signal.reason : new Error('nobody waits for the answer any more'));
      void send({
        method: 'notifications/cancelled',
        params: { requestId: id, reason: errorText(signal?.reason) },
      }).catch(() => {});
    };
    signal?.addEventListener('abort', onAbort, { once: true });
    try {
      send({ id, method, params }).catch(asked.reject);
      return await asked.promise;
    } finally {
      waiting.delete(id);
      signal?.removeEventListener('abort', onAbort);
    }
  }

  transport.onmessage = receive;
  transport.onclose = end;
  await transport.start();
  return {
    request,
    notify: async (method, params) => await send({ method, ...(params === undefined ? {} : { params }) }),
    async close() {
      end();
      await transport.close().catch(() => {});
    },
  };
}

function paramsOf({ params }: McpMessage): JsonObject {
  return typeof params === 'object' && params !== null && !Array.isArray(params) ? (params as JsonObject) : {};
}

function messageOf(error: unknown): string {
  const isNamed =
    typeof error === 'object' && error !== null && 'message' in error && typeof error.message === 'string';
  return isNamed ? String(error.message) : JSON.stringify(error);
}
