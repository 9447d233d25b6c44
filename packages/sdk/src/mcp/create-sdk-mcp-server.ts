import type { DirectServer } from '@rondo/mcp';
import type { JsonObject } from '@rondo/protocol';
import type { McpSdkServerConfigWithInstance, McpServer } from './mcp-server-config.ts';
import { createSdkTools, type SdkTools } from './sdk-tools.ts';
import type { SdkMcpToolDefinition, ToolHandlerExtra } from './tool.ts';

/** By this mark the engine calls the server as a function, whichever copy of this package made it. */
const mark = Symbol.for('rondo.mcpServer.v0');

export interface CreateSdkMcpServerOptions {
  name: string;
  /** `1.0.0` unless said. */
  version?: string;
  /** Made by `tool()`. */
  tools?: readonly SdkMcpToolDefinition[];
}

/**
 * A server of the Model Context Protocol in this program, for the option `mcpServers`. Sessions call its tools as functions;
 * any other client of the protocol may connect to `instance` too. One server may serve any number of sessions at once.
 * @throws TypeError when two tools have one name.
 */
export function createSdkMcpServer(options: CreateSdkMcpServerOptions): McpSdkServerConfigWithInstance {
  const { name, version = '1.0.0' } = options;
  if (typeof name !== 'string' || name.trim() === '')
    throw new TypeError('createSdkMcpServer(): name must be a text that names the server');
  const { tools = [] } = options;
  checkNames(name, tools);
  return { type: 'sdk', name, instance: createServer({ name, version }, createSdkTools(tools)) };
}

function checkNames(server: string, tools: readonly SdkMcpToolDefinition[]): void {
  const names = new Set<string>();
  for (const { name } of tools) {
    if (names.has(name)) throw new TypeError(`createSdkMcpServer(): ${server} has two tools of the name ${name}`);
    names.add(name);
  }
}

function createServer(serverInfo: DirectServer['serverInfo'], tools: SdkTools): McpServer {
  const closers = new Set<() => Promise<void>>();
  const direct: DirectServer = {
    serverInfo,
    tools: tools.describe,
    problemsOf: tools.problemsOf,
    async callTool(name, input, { signal, toolCallId = '', progress, request }) {
      const extra: ToolHandlerExtra = {
        signal,
        requestId: toolCallId,
        async sendNotification({ method, params }) {
          if (method === 'notifications/progress') progress?.((params ?? {}) as JsonObject);
        },
        sendRequest: async ({ method, params }) => await request(method, (params ?? {}) as JsonObject),
      };
      const given = await tools.call(name, input, extra);
      if (given === undefined) throw new Error(`${name} gave nothing, or is no tool of it`);
      return given;
    },
  };
  const server: McpServer = {
    async connect(transport) {
      const { serveTransport } = await import('./serve-transport.ts');
      const close = await serveTransport(transport, { serverInfo, tools });
      closers.add(close);
      const before = transport.onclose;
      transport.onclose = () => {
        closers.delete(close);
        before?.();
      };
    },
    async close() {
      await Promise.all([...closers].map((close) => close()));
    },
  };
  return Object.defineProperty(server, mark, { value: direct });
}
