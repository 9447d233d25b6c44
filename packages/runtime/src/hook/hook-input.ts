import type { JsonObject, JsonValue, PermissionUpdate } from '@rondo/protocol';
import type { HookEvent } from './event-hook.ts';

/** What every hook is told beside what its event is about. */
export interface BaseHookInput {
  /** The root's, also where a subagent is at work. */
  readonly session_id: string;
  /** The log of the session tree; empty where a store keeps no file. */
  readonly transcript_path: string;
  readonly cwd: string;
  /** A UUID of what the user said last. Absent before that. */
  readonly prompt_id?: string;
  readonly permission_mode: string;
  readonly effort?: { readonly level: string };
  /** Of a subagent alone. */
  readonly agent_id?: string;
  readonly agent_type?: string;
}

/** A call of a batch, with what the model reads of it. */
export interface BatchedCall {
  readonly tool_name: string;
  readonly tool_input: JsonValue;
  readonly tool_use_id: string;
  readonly tool_response?: JsonValue;
}

interface CalledTool {
  readonly tool_name: string;
  readonly tool_input: JsonObject;
  readonly tool_use_id: string;
}
interface StoppingAgent {
  /** A hook has kept this turn from its end before. */
  readonly stop_hook_active: boolean;
  readonly last_assistant_message?: string;
  readonly background_tasks: readonly JsonValue[];
  readonly session_crons: readonly JsonValue[];
}

/** What each event tells beside the base. The names are the second seed's. */
export interface HookInputs {
  readonly Setup: { readonly trigger: 'init' | 'maintenance' };
  readonly SessionStart: {
    readonly source: 'startup' | 'resume' | 'clear' | 'compact';
    readonly agent_type?: string;
    readonly model?: string;
  };
  readonly UserPromptSubmit: { readonly prompt: string };
  readonly MessageDisplay: {
    readonly turn_id: string;
    readonly message_id: string;
    readonly index: number;
    readonly final: boolean;
    readonly delta: string;
  };
  readonly PreToolUse: CalledTool;
  readonly PermissionRequest: Omit<CalledTool, 'tool_use_id'> & {
    readonly permission_suggestions?: readonly PermissionUpdate[];
  };
  readonly PostToolUse: CalledTool & { readonly tool_response: JsonValue; readonly duration_ms?: number };
  readonly PostToolUseFailure: CalledTool & {
    readonly error: string;
    readonly is_interrupt?: boolean;
    readonly duration_ms?: number;
  };
  readonly PostToolBatch: { readonly tool_calls: readonly BatchedCall[] };
  readonly Notification: {
    readonly message: string;
    readonly title?: string;
    readonly notification_type: string;
  };
  readonly SubagentStart: { readonly agent_id: string; readonly agent_type: string };
  readonly SubagentStop: StoppingAgent & {
    readonly agent_id: string;
    readonly agent_transcript_path: string;
    readonly agent_type: string;
  };
  readonly PreCompact: { readonly trigger: 'manual' | 'auto'; readonly custom_instructions: string | null };
  readonly TaskCompleted: {
    readonly task_id: string;
    readonly task_subject: string;
    readonly task_description?: string;
    readonly teammate_name?: string;
    readonly team_name?: string;
  };
  readonly TeammateIdle: { readonly teammate_name: string; readonly team_name: string };
  readonly ConfigChange: {
    readonly source: 'user_settings' | 'project_settings' | 'local_settings' | 'policy_settings' | 'skills';
    readonly file_path?: string;
  };
  readonly WorktreeCreate: { readonly name: string };
  readonly WorktreeRemove: { readonly worktree_path: string };
  readonly Stop: StoppingAgent;
  readonly SessionEnd: { readonly reason: string };
}

/** An event's name with what it tells. */
export type EventInput = {
  readonly [Event in HookEvent]: { readonly event: Event; readonly input: HookInputs[Event] };
}[HookEvent];
