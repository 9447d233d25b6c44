import { z } from 'zod';
import { OpenCallback } from '../callback/open-callback.ts';
import { ProtocolError } from '../entry/history-entry.ts';
import { JsonObject, JsonValue } from '../json/json-value.ts';
import { openObject } from '../json/open-object.ts';
import { openUnion } from '../json/open-union.ts';
import { TokenUsage } from '../usage/token-usage.ts';

/** A call that the model made during the turn. */
export const ToolCall = openObject({ id: z.string(), name: z.string(), arguments: JsonValue });
export type ToolCall = z.infer<typeof ToolCall>;

const common = {
  sessionId: z.string(),
  turnId: z.string(),
  /** ID of the session's last event at the moment of the read: pass it as `after` to see what follows. */
  cursor: z.string(),
  /** The turn's answer so far: the text of its last assistant message. */
  text: z.string(),
};

/** Why a turn's loop ended, in the second seed's words (`terminal_reason`). */
export const TerminalReason = z.string();

const ended = {
  toolCalls: z.array(ToolCall),
  /** One a model request, in order. */
  usage: z.array(TokenUsage),
  terminalReason: TerminalReason,
};

export const RunningRecord = openObject({ type: z.literal('running'), ...common, startedAt: z.string().optional() });
export type RunningRecord = z.infer<typeof RunningRecord>;

export const BlockedRecord = openObject({ type: z.literal('blocked'), ...common, callbacks: z.array(OpenCallback) });
export type BlockedRecord = z.infer<typeof BlockedRecord>;

export const CompletedRecord = openObject({
  type: z.literal('completed'),
  ...common,
  ...ended,
  /**
   * `end_turn`, or why it ended early: `max_turns`, `max_budget`, `max_duration`, `hook_skipped`, `hook_rejected`,
   * `max_tokens`, …
   */
  stopReason: z.string(),
  /** What is known of the reason beside its name: the hook and what it said, or what the provider added. */
  stopDetails: JsonObject.optional(),
  /** `text` is JSON that fits what the turn was asked to put out. Absent where nothing held it to that. */
  validOutput: z.literal(true).optional(),
});
export type CompletedRecord = z.infer<typeof CompletedRecord>;

export const InterruptedRecord = openObject({
  type: z.literal('interrupted'),
  ...common,
  ...ended,
  /** `interrupted`, `cancelled`, `crashed`, or newer. */
  cause: z.string(),
});
export type InterruptedRecord = z.infer<typeof InterruptedRecord>;

export const FailedRecord = openObject({ type: z.literal('failed'), ...common, ...ended, error: ProtocolError });
export type FailedRecord = z.infer<typeof FailedRecord>;

export const UnknownOutcomeRecord = openObject({
  type: z.literal('unknownOutcome'),
  ...common,
  outcome: z.string(),
  raw: JsonValue,
});
export type UnknownOutcomeRecord = z.infer<typeof UnknownOutcomeRecord>;

/** A record that will not change any more. */
export type EndedRecord = CompletedRecord | InterruptedRecord | FailedRecord;

const UnknownRecord = z.object({ type: z.literal('unknown'), originalType: z.string(), raw: JsonValue });
/** What a record of a newer outcome must have all the same. */
export const NewerRecord = openObject({ ...common, text: z.string().default('') });

/**
 * Where a turn is as of a cursor, one immutable value. An outcome newer than this version reads as `unknownOutcome`
 * with the raw record kept.
 */
export const TurnRecord: z.ZodType<TurnRecord> = openUnion(
  {
    running: RunningRecord,
    blocked: BlockedRecord,
    completed: CompletedRecord,
    interrupted: InterruptedRecord,
    failed: FailedRecord,
    unknownOutcome: UnknownOutcomeRecord,
  },
  UnknownRecord,
).transform((record, context): TurnRecord => {
  if (record.type !== 'unknown') return record;
  const fields = NewerRecord.safeParse(record.raw);
  if (!fields.success) {
    context.issues.push({
      code: 'custom',
      message: 'a record without sessionId, turnId and cursor',
      input: record.raw,
    });
    return z.NEVER;
  }
  const { sessionId, turnId, cursor, text } = fields.data;
  return { type: 'unknownOutcome', sessionId, turnId, cursor, text, outcome: record.originalType, raw: record.raw };
});
export type TurnRecord = RunningRecord | BlockedRecord | EndedRecord | UnknownOutcomeRecord;
