import { z } from 'zod';
import { JsonValue } from '../json/json-value.ts';
import { openObject } from '../json/open-object.ts';

/**
 * Shown, never stored, never replayed. `after` is the cursor of the last durable event before it. A subscriber that
 * asked for deltas gets them between the entry's `entry.added` and its `entry.completed` or `entry.discarded`.
 */
const base = { sessionId: z.string(), turnId: z.string(), after: z.string() };

/** `offset` counts UTF-16 units of the block's text before this piece. The first piece of a block may be empty. */
const piece = {
  ...base,
  entryId: z.string(),
  block: z.number().int().nonnegative(),
  offset: z.number().int().nonnegative(),
  text: z.string(),
};

export const TextDelta = openObject({ type: z.literal('text.delta'), ...piece });
export type TextDelta = z.infer<typeof TextDelta>;

export const ReasoningDelta = openObject({ type: z.literal('reasoning.delta'), ...piece });
export type ReasoningDelta = z.infer<typeof ReasoningDelta>;

/** A piece of the JSON text of a call's input. */
export const ToolInputDelta = openObject({
  type: z.literal('tool_input.delta'),
  ...piece,
  toolCallId: z.string(),
  name: z.string(),
});
export type ToolInputDelta = z.infer<typeof ToolInputDelta>;

export const ToolProgress = openObject({
  type: z.literal('tool.progress'),
  ...base,
  callId: z.string(),
  /** What the tool says; null where it only says that it is still at work. */
  progress: JsonValue,
  /** How long it has been, with a null `progress`: told every few seconds. */
  elapsedMs: z.number().optional(),
});
export type ToolProgress = z.infer<typeof ToolProgress>;

/** What a hook has written so far, its first characters. */
export const HookProgress = openObject({
  type: z.literal('hook.progress'),
  ...base,
  hookId: z.string(),
  name: z.string(),
  event: z.string(),
  subject: z.string().optional(),
  stdout: z.string(),
  stderr: z.string(),
});
export type HookProgress = z.infer<typeof HookProgress>;

export const TransientEvent = z.discriminatedUnion('type', [
  TextDelta,
  ReasoningDelta,
  ToolInputDelta,
  ToolProgress,
  HookProgress,
]);
export type TransientEvent = z.infer<typeof TransientEvent>;
