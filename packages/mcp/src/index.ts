export { checkArguments } from './argument-check.ts';
export { connectServer, type ConnectableServer } from './connect-server.ts';
export type { ClientRequest, DirectCallOptions, DirectServer } from './direct-server.ts';
export type {
  CallOptions,
  ConnectOptions,
  Elicit,
  McpConnection,
  McpServerInfo,
  McpToolDescription,
} from './mcp-connection.ts';
export type { McpMessage, McpServer, McpTransport } from './mcp-server.ts';
export { readToolResult } from './read-tool-result.ts';
export { serverTools, type ServerTool, type ServerTools, type ServerToolsOptions } from './server-tools.ts';
export { rpcError, startRpcPeer, type RpcHandlers, type RpcId, type RpcPeer } from './rpc-peer.ts';
export { mcpToolName, serverPart } from './tool-name.ts';
