import type { HookEvent } from '@rondo/runtime';

/**
 * What a denial does at an event. `guards`: it stops the call, and so does a hook that fails. `blocks`: it stops or sends
 * back what the event is about; a hook that fails does not. `tells`: nothing can be stopped.
 */
export type HookPower = 'guards' | 'blocks' | 'tells';

export interface HookEventFacts {
  readonly power: HookPower;
  /** The field of the input that matchers are compared with; absent where the event has none. */
  readonly subject?: string;
  /** Whether the model is told what the hook gives as context. */
  readonly context?: true;
  /** Whether a command's standard output that is no JSON is such context. */
  readonly plainText?: true;
}

export const hookEventFacts: Readonly<Record<HookEvent, HookEventFacts>> = {
  Setup: { power: 'tells', subject: 'trigger', context: true },
  SessionStart: { power: 'tells', subject: 'source', context: true, plainText: true },
  UserPromptSubmit: { power: 'blocks', context: true, plainText: true },
  MessageDisplay: { power: 'tells' },
  PreToolUse: { power: 'guards', subject: 'tool_name', context: true },
  PermissionRequest: { power: 'guards', subject: 'tool_name' },
  PostToolUse: { power: 'blocks', subject: 'tool_name', context: true },
  PostToolUseFailure: { power: 'blocks', subject: 'tool_name', context: true },
  PostToolBatch: { power: 'blocks', context: true },
  Notification: { power: 'tells', subject: 'notification_type', context: true },
  SubagentStart: { power: 'tells', subject: 'agent_type', context: true },
  SubagentStop: { power: 'blocks', subject: 'agent_type' },
  PreCompact: { power: 'blocks', subject: 'trigger' },
  TaskCompleted: { power: 'blocks' },
  TeammateIdle: { power: 'blocks' },
  ConfigChange: { power: 'blocks', subject: 'source' },
  WorktreeCreate: { power: 'blocks' },
  WorktreeRemove: { power: 'tells' },
  Stop: { power: 'blocks' },
  SessionEnd: { power: 'tells', subject: 'reason' },
};
