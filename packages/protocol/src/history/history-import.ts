import { z } from 'zod';
import { type ContentBlock, TurnInputBlock } from '../content/content-block.ts';
import { ProtocolError, ToolKind } from '../entry/history-entry.ts';
import { JsonObject, JsonValue } from '../json/json-value.ts';
import { openObject } from '../json/open-object.ts';

/** What the user, the model or the system said. */
export const HistoryImportMessage = openObject({
  type: z.literal('message'),
  role: z.enum(['system', 'user', 'assistant']),
  /** A system message holds text only, an assistant message no embedded resource. */
  content: z.array(TurnInputBlock).default([]),
}).refine(({ role, content }) => content.every((block) => isSayable(role, block.type)), {
  error: 'a system message takes text blocks only, an assistant message no embedded resource',
});
export type HistoryImportMessage = z.infer<typeof HistoryImportMessage>;

/** The model's reasoning. */
export const HistoryImportReasoning = openObject({ type: z.literal('reasoning'), text: z.string() });
export type HistoryImportReasoning = z.infer<typeof HistoryImportReasoning>;

/** A call that the model made. Importing it runs nothing. */
export const HistoryImportToolCall = openObject({
  type: z.literal('tool_call'),
  /** Its result carries the same ID. */
  toolCallId: z.string(),
  toolKind: ToolKind.default('local'),
  name: z.string(),
  arguments: JsonValue.default(null),
});
export type HistoryImportToolCall = z.infer<typeof HistoryImportToolCall>;

/** The result of a call: `result` or `error`, never both; neither is success with null. */
export const HistoryImportToolResult = openObject({
  type: z.literal('tool_result'),
  toolCallId: z.string(),
  name: z.string().nullable().default(null),
  result: JsonValue.default(null),
  error: ProtocolError.nullable().default(null),
  annotations: JsonObject.default({}),
}).refine((entry) => entry.error === null || entry.result === null, {
  error: 'a tool result has a result or an error, not both',
});
export type HistoryImportToolResult = z.infer<typeof HistoryImportToolResult>;

/** Data kept in the history that the model never reads. */
export const HistoryImportSnapshot = openObject({
  type: z.literal('snapshot'),
  taskName: z.string(),
  snapshotType: z.string(),
  value: JsonValue.default(null),
});
export type HistoryImportSnapshot = z.infer<typeof HistoryImportSnapshot>;

/** What a new session can begin with. */
export const HistoryImportEntry = z.discriminatedUnion('type', [
  HistoryImportMessage,
  HistoryImportReasoning,
  HistoryImportToolCall,
  HistoryImportToolResult,
  HistoryImportSnapshot,
]);
export type HistoryImportEntry = z.infer<typeof HistoryImportEntry>;

function isSayable(role: 'system' | 'user' | 'assistant', type: ContentBlock['type']): boolean {
  if (role === 'system') return type === 'text';
  return role === 'user' || type !== 'embedded_resource';
}
