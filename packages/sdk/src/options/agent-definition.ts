import type { McpServerConfigForProcessTransport, PermissionMode } from '@rondo/protocol';

/** A server that an agent has: the name of one that the session has, or servers of its own by name. */
export type AgentMcpServerSpec = string | Record<string, McpServerConfigForProcessTransport>;

/** An agent that the session's model may start for a task. Not served by this version in `query()`; `Agent` has subagents. */
export interface AgentDefinition {
  /** What the model chooses by. */
  description: string;
  /** Its system prompt. */
  prompt: string;
  /** Absent: those of whoever starts it. */
  tools?: string[];
  disallowedTools?: string[];
  /** A model's name; absent or `inherit`: that of whoever starts it. */
  model?: string;
  mcpServers?: AgentMcpServerSpec[];
  skills?: string[];
  /** Its first message, where it is the session's own agent. */
  initialPrompt?: string;
  maxTurns?: number;
  background?: boolean;
  memory?: 'user' | 'project' | 'local';
  effort?: 'low' | 'medium' | 'high' | 'xhigh' | 'max' | number;
  permissionMode?: PermissionMode;
  criticalSystemReminder_EXPERIMENTAL?: string;
}
