import { z } from 'zod';
import { JsonObject } from '../json/json-value.ts';
import { openObject } from '../json/open-object.ts';
import { PermissionMode, PermissionUpdate } from '../permission/permission-update.ts';
import { McpServerConfigForProcessTransport } from './mcp-config.ts';

/**
 * The stdio wire of the second seed: one JSON object a line. Beside messages it carries requests of either side
 * (`control_request`), their answers (`control_response`), and word that a request needs no answer any more
 * (`control_cancel_request`). A reader that meets a subtype it does not know answers an error with the code
 * `unsupported_request`; it leaves no request without an answer.
 */
export const ControlRequestFrame = openObject({
  type: z.literal('control_request'),
  request_id: z.string(),
  request: z.looseObject({ subtype: z.string() }),
});
export type ControlRequestFrame = z.infer<typeof ControlRequestFrame>;

export const ControlSuccess = openObject({
  subtype: z.literal('success'),
  request_id: z.string(),
  response: z.record(z.string(), z.unknown()).optional(),
  /** Beside the answer to a repeated `initialize`: the questions that still wait, whole frames. */
  pending_permission_requests: z.array(ControlRequestFrame).optional(),
  pending_user_dialog_requests: z.array(ControlRequestFrame).optional(),
});
export const ControlError = openObject({
  subtype: z.literal('error'),
  request_id: z.string(),
  error: z.string(),
  error_code: z.string().optional(),
});
export const ControlResponseFrame = openObject({
  type: z.literal('control_response'),
  response: z.discriminatedUnion('subtype', [ControlSuccess, ControlError]),
});
export type ControlResponseFrame = z.infer<typeof ControlResponseFrame>;

export const ControlCancelFrame = openObject({ type: z.literal('control_cancel_request'), request_id: z.string() });
export type ControlCancelFrame = z.infer<typeof ControlCancelFrame>;

/** Says nothing; keeps a connection from being taken for dead. */
export const KeepAliveFrame = openObject({ type: z.literal('keep_alive') });

/** Error codes of answers that a program may tell apart. */
export const controlErrorCodes = {
  unsupported: 'unsupported_request',
  bypassNotLaunched: 'bypass_not_launched',
} as const;

const hookMatchers = z.record(
  z.string(),
  z.array(
    openObject({
      matcher: z.string().nullish(),
      hookCallbackIds: z.array(z.string()),
      /** Seconds. */
      timeout: z.number().optional(),
      /** Rondo's own: a hook that fails counts as no opinion. */
      failOpen: z.boolean().optional(),
    }),
  ),
);

/** One transcript in the client's store. */
const storeKey = openObject({ projectKey: z.string(), sessionId: z.string(), subpath: z.string().optional() });

/** What the client asks of its peer, by subtype: the fields beside `subtype`. */
export const clientControlRequests = {
  initialize: openObject({
    hooks: hookMatchers.optional(),
    sdkMcpServers: z.array(z.string()).optional(),
    sdkMcpServerManifests: z
      .record(z.string(), openObject({ initializeResult: JsonObject, toolsListResult: JsonObject }))
      .optional(),
    mcpServers: z.record(z.string(), z.unknown()).optional(),
    jsonSchema: JsonObject.optional(),
    systemPrompt: z.union([z.string(), z.array(z.string())]).optional(),
    appendSystemPrompt: z.string().optional(),
    excludeDynamicSections: z.boolean().optional(),
    agents: z.record(z.string(), z.unknown()).optional(),
    title: z.string().optional(),
    skills: z.array(z.string()).optional(),
    planModeInstructions: z.string().optional(),
    toolAliases: z.record(z.string(), z.string()).optional(),
    promptSuggestions: z.boolean().optional(),
    agentProgressSummaries: z.boolean().optional(),
    forwardSubagentText: z.boolean().optional(),
    /** Rondo's own, beside `--session-mirror`: what is to be known of the client's store. */
    sessionStore: openObject({
      /** What the client calls the folder that the peer works in. */
      projectKey: z.string(),
      flush: z.enum(['batched', 'eager']).optional(),
      /** Whether the store can do what not every store can. */
      listSessions: z.boolean(),
      listSubkeys: z.boolean(),
    }).optional(),
  }),
  /** Rondo's own: no more messages come, as at the end of the input, but what the peer asks is answered on. */
  end_input: openObject({}),
  interrupt: openObject({ cancel_queued: z.boolean().optional() }),
  set_permission_mode: openObject({ mode: PermissionMode }),
  set_model: openObject({ model: z.string().optional() }),
  set_max_thinking_tokens: openObject({ max_thinking_tokens: z.number().nullable() }),
  apply_flag_settings: openObject({ settings: z.record(z.string(), z.unknown()) }),
  mcp_status: openObject({}),
  mcp_set_servers: openObject({ servers: z.record(z.string(), McpServerConfigForProcessTransport) }),
  mcp_reconnect: openObject({ serverName: z.string() }),
  mcp_toggle: openObject({ serverName: z.string(), enabled: z.boolean() }),
  rewind_files: openObject({ user_message_id: z.string(), dry_run: z.boolean().optional() }),
  stop_task: openObject({ task_id: z.string() }),
  /** Lets calls at work go on in the background. */
  background_tasks: openObject({}),
  /** A message that a server of the client's program sends of its own accord. */
  mcp_message: openObject({ server_name: z.string(), message: JsonObject }),
} as const;
export type ClientControlRequests = {
  [Subtype in keyof typeof clientControlRequests]: z.infer<(typeof clientControlRequests)[Subtype]>;
};

/** What the peer asks of its client, by subtype. */
export const peerControlRequests = {
  can_use_tool: openObject({
    tool_name: z.string(),
    display_name: z.string().optional(),
    input: z.record(z.string(), z.unknown()),
    description: z.string().optional(),
    permission_suggestions: z.array(PermissionUpdate).optional(),
    blocked_path: z.string().optional(),
    decision_reason: z.string().optional(),
    decision_reason_type: z.string().optional(),
    tool_use_id: z.string(),
    /** The subagent that calls; absent for the session itself. */
    agent_id: z.string().optional(),
    mcp_server: openObject({ name: z.string(), source: z.string().optional() }).optional(),
    requires_user_interaction: z.boolean().optional(),
  }),
  hook_callback: openObject({
    callback_id: z.string(),
    input: z.record(z.string(), z.unknown()),
    tool_use_id: z.string().optional(),
  }),
  mcp_message: openObject({ server_name: z.string(), message: JsonObject }),
  elicitation: openObject({
    mcp_server_name: z.string(),
    message: z.string(),
    mode: z.string().optional(),
    url: z.string().optional(),
    elicitation_id: z.string().optional(),
    requested_schema: JsonObject.optional(),
  }),
  /**
   * Rondo's own, as are the three behind it, with `--session-mirror`: lines that the client's store is to keep. A peer that asks
   * them names the capability `session_store_v1` in its answer to `initialize`.
   */
  session_store_append: openObject({ key: storeKey, entries: z.array(JsonObject) }),
  /** Answered by `{ entries, more }`: null where there is no such transcript, or its lines from this one on, as many as fit. */
  session_store_load: openObject({ key: storeKey, from: z.number().int().nonnegative() }),
  /** Answered by `{ sessions: [{ sessionId, mtime }] }`. */
  session_store_list_sessions: openObject({ projectKey: z.string() }),
  /** Answered by `{ subkeys: [subpath] }`. */
  session_store_list_subkeys: openObject({ projectKey: z.string(), sessionId: z.string() }),
} as const;
export type PeerControlRequests = {
  [Subtype in keyof typeof peerControlRequests]: z.infer<(typeof peerControlRequests)[Subtype]>;
};
