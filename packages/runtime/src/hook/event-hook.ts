import type { JsonObject, JsonValue, PermissionUpdate, TokenUsage } from '@rondo/protocol';

/** The second seed's events, in the order of a session. */
export const hookEvents = [
  'Setup',
  'SessionStart',
  'UserPromptSubmit',
  'MessageDisplay',
  'PreToolUse',
  'PermissionRequest',
  'PostToolUse',
  'PostToolUseFailure',
  'PostToolBatch',
  'Notification',
  'SubagentStart',
  'SubagentStop',
  'PreCompact',
  'TaskCompleted',
  'TeammateIdle',
  'ConfigChange',
  'WorktreeCreate',
  'WorktreeRemove',
  'Stop',
  'SessionEnd',
] as const;
export type HookEvent = (typeof hookEvents)[number];

/**
 * What a hook said, read from whatever form it said it in. Absent is no opinion. What an event does not know is left out
 * before it comes here.
 */
export interface HookAnswer {
  /** `deny` and `block` stop what the event is about; `allow` spares the question, never a rule; `defer` ends the turn at the call. */
  readonly decision?: 'allow' | 'deny' | 'ask' | 'defer' | 'block';
  readonly reason?: string;
  /** False ends the turn. */
  readonly continue?: boolean;
  readonly stopReason?: string;
  /** Of `PreToolUse` and of an allowing `PermissionRequest`: other arguments, validated and judged anew. */
  readonly updatedInput?: JsonObject;
  /** Told to the model beside what it reads next. */
  readonly additionalContext?: string;
  /** Of `PostToolUse`: what the model reads in place of the result. */
  readonly updatedToolOutput?: JsonValue;
  /** Of an allowing `PermissionRequest`. */
  readonly updatedPermissions?: readonly PermissionUpdate[];
  /** Of a denying `PermissionRequest`: the turn is interrupted too. */
  readonly interrupt?: boolean;
  /** Shown to the person. */
  readonly systemMessage?: string;
  readonly suppressOutput?: boolean;
}

/** What a command hook wrote and how it ended, for whoever follows hooks. */
export interface HookOutput {
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode?: number;
}

export interface HookRun {
  readonly answer: HookAnswer;
  readonly output?: HookOutput;
  /** What its author should know, such as an answer that was not understood in part. */
  readonly notices?: readonly string[];
  /** What it goes on with by itself, which nobody waits for: what comes of it counts only as context for later. */
  readonly later?: HookRest;
}

export interface HookRest {
  readonly timeoutMs: number;
  run(context: EventHookContext): Promise<HookRun>;
}

/** What a run has been paid for: requests to a model beside the turn's own. */
export interface HookUsage {
  readonly model: string;
  readonly usage: TokenUsage;
  readonly costUsd?: number;
}

export interface EventHookContext {
  /** Aborts when the turn is stopped or the hook's time is over. What comes after that counts for nothing. */
  readonly signal: AbortSignal;
  /** Names this run, the same over restarts. */
  readonly hookId: string;
  readonly toolUseId?: string;
  /** Output so far, for whoever follows hooks. */
  progress(output: HookOutput): void;
  /** Tells what the run has been paid for up to now, all of it together; again whenever it grows. */
  used(usage: HookUsage): void;
}

/**
 * A hook of the second face, callback or command. All that match an event run at once, and the strictest of what they say
 * counts: deny before defer before ask before allow. One that fails (throws, is late, is aborted) denies where its event can
 * deny, unless it is `failOpen`; it never allows.
 */
export interface EventHook {
  /**
   * Stable and unique in its binding: event, place and matcher. A session is gone on with only where it is there. The log
   * has it behind its event, `PreToolUse/…`, whether it begins so or not.
   */
  readonly name: string;
  readonly event: HookEvent;
  /** Whether it is about such a subject: a tool's name, a session's source, an agent's type. Absent: about every one. */
  readonly matches?: (subject: string) => boolean;
  /** Whether it is about this very call. It throws where that cannot be told; the hook then runs. */
  readonly appliesTo?: (input: JsonObject, run: { readonly hookId: string }) => boolean | Promise<boolean>;
  readonly timeoutMs: number;
  readonly failOpen?: boolean;
  /** Runs once in a session. */
  readonly once?: boolean;
  /** Nobody waits for it, and its answer counts only as context for later. */
  readonly background?: boolean;
  /** Rejects when it failed; the message is for its author and the model. An `output` on the error is shown with it. */
  run(input: JsonObject, context: EventHookContext): Promise<HookRun>;
}
