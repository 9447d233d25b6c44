import type {
  McpServerStatus,
  McpSetServersResult,
  RewindFilesResult,
  SDKControlInitializeResponse,
  SDKUserMessage,
} from '@rondo/protocol';
import { RondoError } from '@rondo/protocol/values';
import type { McpServer, McpServerConfig } from '../mcp/mcp-server-config.ts';
import type { InterruptReceipt, QueryMethods } from '../run/query-methods.ts';
import type { Frame } from './json-line.ts';

export interface PeerMethodsOptions {
  /** The response of a control request; absent where the peer has none to give. */
  readonly request: (subtype: string, fields?: object) => Promise<Frame | undefined>;
  /** What the peer last said that it offers. */
  readonly initialization: () => Promise<SDKControlInitializeResponse>;
  readonly reinitialize: () => Promise<SDKControlInitializeResponse>;
  readonly replaceServers: (servers: Readonly<Record<string, McpServer>>) => void;
  readonly say: (stream: AsyncIterable<SDKUserMessage>) => Promise<void>;
}

/** The methods of a query whose session is at work in a peer. What the peer answers is handed on as it came. */
export function peerMethods({
  request,
  initialization,
  reinitialize,
  replaceServers,
  say,
}: PeerMethodsOptions): QueryMethods {
  const done = async (subtype: string, fields?: object): Promise<void> => void (await request(subtype, fields));
  return {
    // Undefined from peers that give no receipt, as the reference has it.
    interrupt: async ({ cancelQueued } = {}) =>
      (await request(
        'interrupt',
        cancelQueued === undefined ? {} : { cancel_queued: cancelQueued },
      )) as unknown as InterruptReceipt,
    rewindFiles: async (userMessageId, { dryRun } = {}) =>
      (await request('rewind_files', {
        user_message_id: userMessageId,
        ...(dryRun === undefined ? {} : { dry_run: dryRun }),
      })) as RewindFilesResult,
    setPermissionMode: (mode) => done('set_permission_mode', { mode }),
    setModel: (model) => done('set_model', model === undefined ? {} : { model }),
    setMaxThinkingTokens: (maxThinkingTokens) =>
      done('set_max_thinking_tokens', { max_thinking_tokens: maxThinkingTokens }),
    applyFlagSettings: (settings) => done('apply_flag_settings', { settings }),
    initializationResult: initialization,
    reinitialize,
    supportedCommands: async () => (await initialization()).commands ?? [],
    supportedModels: async () => (await initialization()).models ?? [],
    supportedAgents: async () => (await initialization()).agents ?? [],
    accountInfo: async () => (await initialization()).account ?? {},
    mcpServerStatus: async () => ((await request('mcp_status'))?.['mcpServers'] ?? []) as McpServerStatus[],
    reconnectMcpServer: (serverName) => done('mcp_reconnect', { serverName }),
    toggleMcpServer: (serverName, enabled) => done('mcp_toggle', { serverName, enabled }),
    async setMcpServers(wanted) {
      const { own, named } = splitServers(wanted);
      // Before the peer hears of them, since it speaks with them at once.
      replaceServers(own);
      return (await request('mcp_set_servers', { servers: named })) as McpSetServersResult;
    },
    streamInput: say,
    stopTask: (taskId) => done('stop_task', { task_id: taskId }),
  };
}

/** The servers of this program, and what the peer is told of all. */
export function splitServers(servers: Readonly<Record<string, McpServerConfig>>): {
  readonly own: Record<string, McpServer>;
  readonly named: Record<string, object>;
} {
  const own: Record<string, McpServer> = {};
  const named: Record<string, object> = {};
  for (const [name, server] of Object.entries(servers)) {
    if (server.type !== 'sdk') {
      named[name] = server;
      continue;
    }
    if (typeof server.instance?.connect !== 'function') {
      throw new RondoError('input.invalid', `mcpServers.${name} has no instance: createSdkMcpServer() makes one.`, {
        details: { option: 'mcpServers' },
      });
    }
    own[name] = server.instance;
    named[name] = { type: 'sdk', name };
  }
  return { own, named };
}
