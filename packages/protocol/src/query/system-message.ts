import { z } from 'zod';
import { openObject } from '../json/open-object.ts';
import { PermissionMode } from '../permission/permission-update.ts';
import { line, messageUuidSchema } from './message-line.ts';
import { SlashCommand } from './session-facts.ts';

const system = { type: z.literal('system'), ...line };

export const ApiKeySource = z.enum(['user', 'project', 'org', 'temporary', 'oauth']);
export type ApiKeySource = z.infer<typeof ApiKeySource>;

/** The first line of every turn: what it runs with. */
export const SDKSystemMessage = openObject({
  ...system,
  subtype: z.literal('init'),
  agents: z.array(z.string()).optional(),
  apiKeySource: ApiKeySource,
  betas: z.array(z.string()).optional(),
  claude_code_version: z.string(),
  cwd: z.string(),
  tools: z.array(z.string()),
  mcp_servers: z.array(openObject({ name: z.string(), status: z.string() })),
  model: z.string(),
  permissionMode: PermissionMode,
  slash_commands: z.array(z.string()),
  output_style: z.string(),
  skills: z.array(z.string()),
  plugins: z.array(openObject({ name: z.string(), path: z.string() })),
  capabilities: z.array(z.string()).optional(),
});
export type SDKSystemMessage = z.infer<typeof SDKSystemMessage>;

/** The conversation before this is summed up from here on. */
export const SDKCompactBoundaryMessage = openObject({
  ...system,
  subtype: z.literal('compact_boundary'),
  compact_metadata: openObject({ trigger: z.enum(['manual', 'auto']), pre_tokens: z.number() }),
});
export type SDKCompactBoundaryMessage = z.infer<typeof SDKCompactBoundaryMessage>;

/** The mode changed, or something long began or ended. `requesting` comes with partial messages only. */
export const SDKStatusMessage = openObject({
  ...system,
  subtype: z.literal('status'),
  status: z.enum(['compacting', 'requesting']).nullable(),
  permissionMode: PermissionMode.optional(),
});
export type SDKStatusMessage = z.infer<typeof SDKStatusMessage>;

/** Whether the session works, waits for somebody's answer, or has nothing to do. */
export const SDKSessionStateChangedMessage = openObject({
  ...system,
  subtype: z.literal('session_state_changed'),
  state: z.enum(['idle', 'running', 'requires_action']),
  /** For the program that holds the other end; it does not hand the line on. */
  sdk_host_only: z.boolean().optional(),
});
export type SDKSessionStateChangedMessage = z.infer<typeof SDKSessionStateChangedMessage>;

/** The host of the session goes away in good order. A resumed session may say it again: act on it only as it comes. */
export const SDKWorkerShuttingDownMessage = openObject({
  ...system,
  subtype: z.literal('worker_shutting_down'),
  reason: z.string(),
});
export type SDKWorkerShuttingDownMessage = z.infer<typeof SDKWorkerShuttingDownMessage>;

/** All the commands that there are now. */
export const SDKCommandsChangedMessage = openObject({
  ...system,
  subtype: z.literal('commands_changed'),
  commands: z.array(SlashCommand),
});
export type SDKCommandsChangedMessage = z.infer<typeof SDKCommandsChangedMessage>;

/** What a command that needs no model had to say. */
export const SDKLocalCommandOutputMessage = openObject({
  ...system,
  subtype: z.literal('local_command_output'),
  content: z.string(),
});
export type SDKLocalCommandOutputMessage = z.infer<typeof SDKLocalCommandOutputMessage>;

/** Plugins are being installed before the first turn. */
export const SDKPluginInstallMessage = openObject({
  ...system,
  subtype: z.literal('plugin_install'),
  status: z.enum(['started', 'installed', 'failed', 'completed']),
  name: z.string().optional(),
  error: z.string().optional(),
});
export type SDKPluginInstallMessage = z.infer<typeof SDKPluginInstallMessage>;

/** A line for people. */
export const SDKInformationalMessage = openObject({
  ...system,
  subtype: z.literal('informational'),
  content: z.string(),
  level: z.enum(['info', 'notice', 'suggestion', 'warning']),
  tool_use_id: z.string().optional(),
  prevent_continuation: z.boolean().optional(),
});
export type SDKInformationalMessage = z.infer<typeof SDKInformationalMessage>;

/** A short word beside the conversation; a later one of the same `key` takes its place. */
export const SDKNotificationMessage = openObject({
  ...system,
  subtype: z.literal('notification'),
  key: z.string(),
  text: z.string(),
  priority: z.enum(['low', 'medium', 'high', 'immediate']),
  color: z.string().optional(),
  timeout_ms: z.number().optional(),
});
export type SDKNotificationMessage = z.infer<typeof SDKNotificationMessage>;

/** Memory files that a turn was given. */
export const SDKMemoryRecallMessage = openObject({
  ...system,
  subtype: z.literal('memory_recall'),
  mode: z.enum(['select', 'synthesize']),
  memories: z.array(openObject({ path: z.string(), scope: z.string(), content: z.string().optional() })),
});
export type SDKMemoryRecallMessage = z.infer<typeof SDKMemoryRecallMessage>;

/** A question of an MCP server that was answered elsewhere is settled. */
export const SDKElicitationCompleteMessage = openObject({
  ...system,
  subtype: z.literal('elicitation_complete'),
  mcp_server_name: z.string(),
  elicitation_id: z.string(),
});
export type SDKElicitationCompleteMessage = z.infer<typeof SDKElicitationCompleteMessage>;

/** The program's own store did not take what the session wrote; the session itself has it. */
export const SDKMirrorErrorMessage = openObject({
  ...system,
  subtype: z.literal('mirror_error'),
  error: z.string(),
  key: openObject({ projectKey: z.string(), sessionId: z.string(), subpath: z.string().optional() }),
});
export type SDKMirrorErrorMessage = z.infer<typeof SDKMirrorErrorMessage>;

/** Checkpoints of files are on disk. */
export const SDKFilesPersistedEvent = openObject({
  ...system,
  subtype: z.literal('files_persisted'),
  files: z.array(openObject({ filename: z.string(), file_id: z.string() })),
  failed: z.array(openObject({ filename: z.string(), error: z.string() })),
  processed_at: z.string(),
});
export type SDKFilesPersistedEvent = z.infer<typeof SDKFilesPersistedEvent>;

/** The session goes on with an empty conversation. */
export const SDKConversationResetMessage = openObject({
  type: z.literal('conversation_reset'),
  ...line,
  new_conversation_id: messageUuidSchema,
});
export type SDKConversationResetMessage = z.infer<typeof SDKConversationResetMessage>;
