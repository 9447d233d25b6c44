/** A folder of commands, agents, skills and hooks. Not served by this version. */
export interface SdkPluginConfig {
  type: 'local';
  path: string;
  /** Leaves the plugin's MCP servers to the program. */
  skipMcpDiscovery?: boolean;
}

/** How built-in tools behave. Not served by this version: the tool that it is about is not. */
export interface ToolConfig {
  askUserQuestion?: { previewFormat?: 'markdown' | 'html' };
}

/** What a server of the Model Context Protocol asks of the person. */
export interface ElicitationRequest {
  serverName: string;
  message: string;
  mode?: 'form' | 'url';
  url?: string;
  elicitationId?: string;
  /** JSON Schema of what is wanted. */
  requestedSchema?: Record<string, unknown>;
}

/** What the person said to it. */
export interface ElicitationResult {
  action: 'accept' | 'decline' | 'cancel';
  content?: Record<string, unknown>;
}

/** Features of the vendor's interface that are asked for by name. */
export type SdkBeta = 'context-1m-2025-08-07' | (string & {});

/** Which settings a thing belongs to. */
export type ConfigScope = 'local' | 'user' | 'project';
