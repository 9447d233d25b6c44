import type {
  AccountInfo,
  AgentInfo,
  McpServerStatus,
  McpSetServersResult,
  ModelInfo,
  PermissionMode,
  RewindFilesResult,
  SDKControlInitializeResponse,
  SDKControlInterruptResponse,
  SDKUserMessage,
  SlashCommand,
} from '@rondo/protocol';
import type { McpServerConfig } from '../mcp/mcp-server-config.ts';
import type { Settings } from '../settings/settings.ts';

export interface InterruptOptions {
  /** Also takes back the messages that wait, so that nothing runs after the turn. Rondo's own. */
  cancelQueued?: boolean;
}

export interface InterruptReceipt extends SDKControlInterruptResponse {
  /** With `cancelQueued`: the uuids of those that were taken back. */
  cancelled?: string[];
}

/** The ways to steer a query, the same wherever its session is at work. Each rejects once the query has ended. */
export interface QueryMethods {
  /**
   * Stops the turn at work; the session goes on. Resolves once the turn has been told, with the uuids of messages that
   * wait and will still run.
   */
  interrupt(options?: InterruptOptions): Promise<InterruptReceipt>;
  /** Gives files back the state that they had at a message of the person. Not served by this version. */
  rewindFiles(userMessageId: string, options?: { dryRun?: boolean }): Promise<RewindFilesResult>;
  /** From the next call on. Only of a streaming prompt. `bypassPermissions` only where the options have consented to it. */
  setPermissionMode(mode: PermissionMode): Promise<void>;
  /** From the next turn on; without a name, the one that options and settings say. Only of a streaming prompt. */
  setModel(model?: string): Promise<void>;
  /** From the next turn on; null is what the session began with. Use the option `thinking`. */
  setMaxThinkingTokens(maxThinkingTokens: number | null): Promise<void>;
  /**
   * Changes settings of a session at work, in the layer of `options.settings`: each key replaces all that the last call, or
   * the option, said of it, and null takes it out. Only of a streaming prompt.
   * @throws RondoError `input.invalid` for what cannot be changed, or not be read as meant.
   */
  applyFlagSettings(settings: { [Key in keyof Settings]?: Settings[Key] | null }): Promise<void>;
  /** What the session offered when it began. */
  initializationResult(): Promise<SDKControlInitializeResponse>;
  /** What it offers now. Questions that wait are put to `canUseTool` again, under their IDs. */
  reinitialize(): Promise<SDKControlInitializeResponse>;
  supportedCommands(): Promise<SlashCommand[]>;
  /** What `options.model` may be: the short names, and the models of every vendor whose key is set. */
  supportedModels(): Promise<ModelInfo[]>;
  supportedAgents(): Promise<AgentInfo[]>;
  mcpServerStatus(): Promise<McpServerStatus[]>;
  accountInfo(): Promise<AccountInfo>;
  reconnectMcpServer(serverName: string): Promise<void>;
  toggleMcpServer(serverName: string, enabled: boolean): Promise<void>;
  /** Replaces the servers that this method or the option brought. Counts from the next turn on. */
  setMcpServers(servers: Record<string, McpServerConfig>): Promise<McpSetServersResult>;
  /**
   * Sends further messages. The query ends when every stream has ended and all work is done.
   * @throws RondoError `channel.closed` where it ends first, so that the rest of the stream was not sent.
   */
  streamInput(stream: AsyncIterable<SDKUserMessage>): Promise<void>;
  /** Stops a task in the background. */
  stopTask(taskId: string): Promise<void>;
}
