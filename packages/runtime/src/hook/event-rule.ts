import type { HookEvent } from './event-hook.ts';

/** What a hook can do to its event, and what becomes of the event where one fails. */
export interface EventRule {
  /** `deny` where the event blocks; a `block` is one too. */
  readonly decisions: readonly ('allow' | 'ask' | 'defer' | 'deny')[];
  /** A hook that fails there denies; elsewhere it is warned of. */
  readonly failsClosed?: true;
  /** `continue: false` ends the turn. */
  readonly endsTurn?: true;
  /** Nobody ever waits for what hooks make of it. */
  readonly unawaited?: true;
}

/** Kept once: the engine goes by it, and docs print it. */
export const eventRules: Readonly<Record<HookEvent, EventRule>> = {
  Setup: { decisions: [], endsTurn: true },
  SessionStart: { decisions: [], endsTurn: true },
  UserPromptSubmit: { decisions: ['deny'], failsClosed: true, endsTurn: true },
  MessageDisplay: { decisions: [], unawaited: true },
  PreToolUse: { decisions: ['allow', 'ask', 'defer', 'deny'], failsClosed: true, endsTurn: true },
  PermissionRequest: { decisions: ['allow', 'deny'], failsClosed: true, endsTurn: true },
  PostToolUse: { decisions: ['deny'], endsTurn: true },
  PostToolUseFailure: { decisions: ['deny'], endsTurn: true },
  PostToolBatch: { decisions: ['deny'], endsTurn: true },
  Notification: { decisions: [], unawaited: true },
  SubagentStart: { decisions: [], endsTurn: true },
  SubagentStop: { decisions: ['deny'], endsTurn: true },
  PreCompact: { decisions: ['deny'] },
  TaskCompleted: { decisions: ['deny'] },
  TeammateIdle: { decisions: ['deny'] },
  ConfigChange: { decisions: ['deny'] },
  WorktreeCreate: { decisions: ['deny'] },
  WorktreeRemove: { decisions: [] },
  Stop: { decisions: ['deny'], endsTurn: true },
  SessionEnd: { decisions: [] },
};
