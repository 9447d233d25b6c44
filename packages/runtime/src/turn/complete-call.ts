import type { ToolOutcome } from '@rondo/protocol';
import { isToolError } from '@rondo/protocol/values';
import type { EventDraft } from '../event/event-draft.ts';
import type { ToolResult } from '../tool/tool.ts';
import { withdrawQuestions } from './call-questions.ts';
import { eventPoints } from './event-points.ts';
import { callFields, type PlannedCall } from './planned-call.ts';
import { contentOf } from './result-content.ts';
import type { TurnParts } from './turn-parts.ts';

export const notStartedText = 'The turn was interrupted before this call ran.';

export const unknownOutcomeText =
  'Nobody saw how this call ended, since its process died or failed. Whether it took effect is unknown; it was not run again. Check before repeating it.';

/** Gives a call its result without running it. */
export function completeWithout(
  turn: TurnParts,
  call: PlannedCall,
  outcome: ToolOutcome,
  content: ToolResult['content'],
  facts: readonly EventDraft[] = [],
): void {
  completeResult(turn, call, outcome, { content, isError: true }, undefined, facts);
}

/** Stores a call's result, behind the facts that led to it. */
export function completeResult(
  turn: TurnParts,
  call: PlannedCall,
  outcome: ToolOutcome,
  result: ToolResult,
  durationMs?: number,
  facts: readonly EventDraft[] = [],
): void {
  const content = contentOf(result.content);
  withdrawQuestions(turn, call.callId);
  const contexts = eventPoints(turn)?.callContexts(turn, call.callId, call.block.name) ?? [];
  turn.emit([
    ...facts,
    {
      type: 'tool.completed',
      ...callFields(turn, call),
      isError: outcome !== 'success',
      outcome,
      content: [...content],
      ...(result.structured === undefined ? {} : { structured: result.structured }),
      ...(outcome === 'success' || content[0]?.type !== 'text' ? {} : { error: { message: content[0].text } }),
      ...(durationMs === undefined ? {} : { durationMs }),
      ...(result.remembered === undefined ? {} : { remembered: result.remembered }),
    },
    ...(result.notices ?? []).map(
      (message): EventDraft => ({
        type: 'notice',
        turnId: turn.turnId,
        level: 'warning',
        message,
        details: { callId: call.callId, tool: call.block.name },
      }),
    ),
    ...contexts,
  ]);
}

/** What the model reads of what a tool threw. */
export function failedResult(error: unknown): ToolResult {
  if (isToolError(error)) return { content: error.message, isError: true };
  const message = error instanceof Error ? error.message : String(error);
  return { content: `The tool failed: ${message}`, isError: true };
}
