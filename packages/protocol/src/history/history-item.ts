import { z } from 'zod';
import { ContentBlock } from '../content/content-block.ts';
import { ProtocolError, ToolKind } from '../entry/history-entry.ts';
import { JsonObject, JsonValue } from '../json/json-value.ts';
import { openObject } from '../json/open-object.ts';
import { openUnion } from '../json/open-union.ts';

/** The turn an item belongs to; absent for what the session began with. */
const common = { id: z.string(), turnId: z.string().optional() };

/** What was said: by a person, by the model, by the system, or to the model on somebody's behalf (`context`). */
export const HistoryMessage = openObject({
  type: z.literal('message'),
  ...common,
  role: z.enum(['user', 'assistant', 'system', 'context']),
  /** Text of its text blocks, joined. */
  text: z.string(),
  content: z.array(ContentBlock),
  /** The caller's own ID for the message. */
  messageId: z.string().optional(),
  /** Of a context message: what it is about, and where it came from. */
  kind: z.string().optional(),
  source: z.string().optional(),
});
export type HistoryMessage = z.infer<typeof HistoryMessage>;

/** A call of the model, with the arguments that were really used: the model's, or what a hook or an answer put in their place. */
export const HistoryToolCall = openObject({
  type: z.literal('tool_call'),
  ...common,
  toolCallId: z.string(),
  toolKind: ToolKind,
  name: z.string(),
  arguments: JsonValue,
});
export type HistoryToolCall = z.infer<typeof HistoryToolCall>;

/** What came of a call: `result`, or `error` where it failed. */
export const HistoryToolResult = openObject({
  type: z.literal('tool_result'),
  ...common,
  toolCallId: z.string(),
  name: z.string().nullable(),
  result: JsonValue,
  error: ProtocolError.nullable(),
  /** What the model read; its blocks say whom they are for. */
  content: z.array(ContentBlock),
  annotations: JsonObject,
});
export type HistoryToolResult = z.infer<typeof HistoryToolResult>;

/** Anything else that stands in a history: `reasoning` (`raw.text`), `checkpoint` (`raw.message`, `raw.details`), or newer. */
export const UnknownHistoryItem = z.object({ type: z.literal('unknown'), originalType: z.string(), raw: JsonValue });
export type UnknownHistoryItem = z.infer<typeof UnknownHistoryItem>;

/** A session's history as a reader gets it, in the order in which things were said and done. */
export const HistoryItem = openUnion(
  { message: HistoryMessage, tool_call: HistoryToolCall, tool_result: HistoryToolResult },
  UnknownHistoryItem,
);
export type HistoryItem = z.infer<typeof HistoryItem>;
