import { z } from 'zod';
import { openObject } from '../json/open-object.ts';

/** A server that is started as a process and spoken with over its standard streams. */
export const McpStdioServerConfig = openObject({
  type: z.literal('stdio').optional(),
  command: z.string(),
  args: z.array(z.string()).optional(),
  env: z.record(z.string(), z.string()).optional(),
});
export type McpStdioServerConfig = z.infer<typeof McpStdioServerConfig>;

export const McpSSEServerConfig = openObject({
  type: z.literal('sse'),
  url: z.string(),
  headers: z.record(z.string(), z.string()).optional(),
});
export type McpSSEServerConfig = z.infer<typeof McpSSEServerConfig>;

export const McpHttpServerConfig = openObject({
  type: z.literal('http'),
  url: z.string(),
  headers: z.record(z.string(), z.string()).optional(),
});
export type McpHttpServerConfig = z.infer<typeof McpHttpServerConfig>;

/** A server that lives in the program itself, as the wire names it. */
export const McpSdkServerConfig = openObject({ type: z.literal('sdk'), name: z.string() });
export type McpSdkServerConfig = z.infer<typeof McpSdkServerConfig>;

export const McpClaudeAIProxyServerConfig = openObject({
  type: z.literal('claudeai-proxy'),
  url: z.string(),
  id: z.string(),
});
export type McpClaudeAIProxyServerConfig = z.infer<typeof McpClaudeAIProxyServerConfig>;

export const McpServerConfigForProcessTransport = z.union([
  McpSSEServerConfig,
  McpHttpServerConfig,
  McpSdkServerConfig,
  McpStdioServerConfig,
]);
export type McpServerConfigForProcessTransport = z.infer<typeof McpServerConfigForProcessTransport>;

export const McpServerStatusConfig = z.union([
  McpSSEServerConfig,
  McpHttpServerConfig,
  McpSdkServerConfig,
  McpClaudeAIProxyServerConfig,
  McpStdioServerConfig,
]);
export type McpServerStatusConfig = z.infer<typeof McpServerStatusConfig>;

/** A server of the Model Context Protocol, as the second seed describes it. */
export const McpServerStatus = openObject({
  name: z.string(),
  status: z.enum(['connected', 'failed', 'needs-auth', 'pending', 'disabled']),
  serverInfo: openObject({ name: z.string(), version: z.string() }).optional(),
  error: z.string().optional(),
  config: McpServerStatusConfig.optional(),
  scope: z.string().optional(),
  tools: z
    .array(
      openObject({
        name: z.string(),
        description: z.string().optional(),
        annotations: openObject({
          readOnly: z.boolean().optional(),
          destructive: z.boolean().optional(),
          openWorld: z.boolean().optional(),
        }).optional(),
      }),
    )
    .optional(),
});
export type McpServerStatus = z.infer<typeof McpServerStatus>;

/** What replacing the servers came to. */
export const McpSetServersResult = openObject({
  added: z.array(z.string()),
  removed: z.array(z.string()),
  /** By name: why a server could not be had. */
  errors: z.record(z.string(), z.string()),
});
export type McpSetServersResult = z.infer<typeof McpSetServersResult>;
