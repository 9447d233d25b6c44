import type { McpHttpServerConfig, McpSSEServerConfig, McpStdioServerConfig } from '@rondo/protocol';
import type { McpServer } from '@rondo/mcp';

export type { McpMessage, McpServer, McpTransport } from '@rondo/mcp';

export interface McpSdkServerConfigWithInstance {
  type: 'sdk';
  name: string;
  instance: McpServer;
}

/** A server whose tools a session has. This version serves those of type `sdk`. */
export type McpServerConfig =
  | McpStdioServerConfig
  | McpSSEServerConfig
  | McpHttpServerConfig
  | McpSdkServerConfigWithInstance;
