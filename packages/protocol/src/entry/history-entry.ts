import { z } from 'zod';
import { ContentBlock } from '../content/content-block.ts';
import { ModelBlock } from '../content/model-block.ts';
import { BlobReference } from '../content/blob-reference.ts';
import { JsonObject, JsonValue } from '../json/json-value.ts';
import { openObject } from '../json/open-object.ts';
import { openUnion } from '../json/open-union.ts';

/** Why a failed thing failed, as a model or a client may read it. */
export const ProtocolError = openObject({
  message: z.string(),
  code: z.string().optional(),
  data: JsonValue.optional(),
});
export type ProtocolError = z.infer<typeof ProtocolError>;

/** Where a tool comes from. */
export const ToolKind = z.enum(['builtin', 'local', 'mcp', 'client', 'plugin', 'connector']);
export type ToolKind = z.infer<typeof ToolKind>;

/** Something said to the model by a person, or by the runtime on the person's behalf (`context`). */
export const MessageEntry = openObject({
  type: z.literal('message'),
  id: z.string(),
  role: z.enum(['user', 'system', 'context']),
  content: z.array(ContentBlock),
  /** The caller's own ID for the message, kept as given. */
  messageId: z.string().optional(),
  /** Of a context message: what it is about (`environment`, `steering`, …) and where it came from. */
  kind: z.string().optional(),
  source: z.string().optional(),
  /** Of a user message that is no person's: where it comes from, with its `kind`. */
  origin: JsonObject.optional(),
});
export type MessageEntry = z.infer<typeof MessageEntry>;

/** What the model said in one reply: text, reasoning and tool calls in its own order. */
export const AssistantEntry = openObject({
  type: z.literal('assistant'),
  id: z.string(),
  content: z.array(ModelBlock),
  /** The resolved model, `provider/model`. Reasoning goes back to this model only. */
  model: z.string(),
  /** The provider's ID of the reply. */
  providerMessageId: z.string().optional(),
  stopReason: z.string().optional(),
  /** The reply was cut off by an interrupt; only whole text is kept. */
  aborted: z.boolean().optional(),
});
export type AssistantEntry = z.infer<typeof AssistantEntry>;

export const ReasoningEntry = openObject({ type: z.literal('reasoning'), id: z.string(), text: z.string() });
export type ReasoningEntry = z.infer<typeof ReasoningEntry>;

/** A tool call with the arguments that were really used. */
export const ToolCallEntry = openObject({
  type: z.literal('tool_call'),
  id: z.string(),
  toolCallId: z.string(),
  toolKind: ToolKind,
  name: z.string(),
  arguments: JsonValue,
});
export type ToolCallEntry = z.infer<typeof ToolCallEntry>;

export const ToolResultEntry = openObject({
  type: z.literal('tool_result'),
  id: z.string(),
  toolCallId: z.string(),
  name: z.string().optional(),
  result: JsonValue.optional(),
  error: ProtocolError.optional(),
  content: z.array(ContentBlock).optional(),
  annotations: JsonObject.optional(),
  spilled: BlobReference.optional(),
}).refine((entry) => entry.error === undefined || entry.result === undefined || entry.result === null, {
  error: 'a tool result has a result or an error, not both',
});
export type ToolResultEntry = z.infer<typeof ToolResultEntry>;

/** Data kept in the history that the model never reads. */
export const CheckpointEntry = openObject({
  type: z.literal('checkpoint'),
  id: z.string(),
  message: z.string(),
  details: JsonValue,
});
export type CheckpointEntry = z.infer<typeof CheckpointEntry>;

export const UnknownEntry = z.object({ type: z.literal('unknown'), originalType: z.string(), raw: JsonValue });
export type UnknownEntry = z.infer<typeof UnknownEntry>;

export const HistoryEntry = openUnion(
  {
    message: MessageEntry,
    assistant: AssistantEntry,
    reasoning: ReasoningEntry,
    tool_call: ToolCallEntry,
    tool_result: ToolResultEntry,
    checkpoint: CheckpointEntry,
  },
  UnknownEntry,
);
export type HistoryEntry = z.infer<typeof HistoryEntry>;
