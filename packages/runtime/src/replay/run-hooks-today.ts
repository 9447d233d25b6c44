import type { JsonValue } from '@rondo/protocol';
import type { ActiveTurn } from '../event/session-state.ts';
import type { ToolResult } from '../tool/tool.ts';
import { postAgentTurn, postLlmCall, preAgentTurn, preLlmCall } from '../turn/agent-turn-hooks.ts';
import { contentOf } from '../turn/result-content.ts';
import { postToolCall } from '../turn/tool-hooks.ts';
import type { TurnParts } from '../turn/turn-parts.ts';
import type { TodaysRun } from './compare-runs.ts';
import type { HookPlace } from './hook-places.ts';
import type { JudgedPiece } from './judged-piece.ts';
import { plannedCall } from './judge-call-today.ts';
import type { RecordedCall } from './recorded-calls.ts';
import type { TodayTurn } from './today-turn.ts';

export interface RunHooksTodayOptions {
  readonly place: HookPlace;
  readonly active: ActiveTurn;
  readonly piece: JudgedPiece;
  readonly note: (text: string) => void;
}

/**
 * Runs today's hooks at a place of a turn, other than before a call, with what they would be told there. None where the
 * log does not have that.
 */
export async function runHooksToday(
  { turn, runs }: TodayTurn,
  { place, active, piece, note }: RunHooksTodayOptions,
): Promise<readonly TodaysRun[]> {
  switch (place.point) {
    case 'preAgentTurn':
      await preAgentTurn(turn);
      break;
    case 'preLlmCall':
      await preLlmCall(turn);
      break;
    case 'postLlmCall':
      if (place.reply === undefined) note(droppedReplies);
      else {
        const { entry, completed } = place.reply;
        const { stopReason, usage } = completed;
        await postLlmCall(turn, { entry, stopReason, usage, dropped: () => [] });
      }
      break;
    case 'postToolCall': {
      if (place.call === undefined) break;
      const ran = ranCall(place.call, piece);
      if (ran === undefined) note(changedResults);
      else return withResult(runs, await runAfterCall(turn, ran, piece));
      break;
    }
    case 'postAgentTurn': {
      const stopReason = stopReasonOf(active, piece);
      await postAgentTurn(turn, { type: 'completed', stopReason, terminalReason: 'completed' });
      break;
    }
    case 'preToolCall':
      break;
  }
  return runs;
}

const droppedReplies =
  'replies that hooks had dropped are not in the log: what hooks would make of them today is not known';
const changedResults =
  'results that hooks had replaced or withheld are not in the log: what hooks would make of them today is not known';

interface RanCall {
  readonly call: RecordedCall;
  /** As its tool gave it. */
  readonly result: ToolResult;
}

/** Undefined where the log has what a hook made of the result. */
function ranCall(call: RecordedCall, { runs }: JudgedPiece): RanCall | undefined {
  if (call.completed === undefined) return undefined;
  for (const { completed } of runs.at(`postToolCall/${call.callId}`)) {
    const { type, replaced } = completed?.outcome ?? { type: 'continue' };
    if (type !== 'continue' || replaced === true) return undefined;
  }
  const { content, structured, outcome } = call.completed;
  const isError = outcome !== 'success';
  return { call, result: { content, isError, ...(structured === undefined ? {} : { structured }) } };
}

async function runAfterCall(
  turn: TurnParts,
  { call, result }: RanCall,
  piece: JudgedPiece,
): Promise<ToolResult | undefined> {
  const judged = piece.fitting(call, call.decided?.input ?? call.block.input, turn.binding);
  return judged && (await postToolCall(turn, { ...judged, call: plannedCall(turn, judged) }, result));
}

/** Of what several hooks put in place of a result, what the last one did is known. */
function withResult(runs: readonly TodaysRun[], result: ToolResult | undefined): readonly TodaysRun[] {
  const last = runs.findLastIndex(({ outcome }) => outcome['replaced'] === true);
  if (result === undefined || last < 0) return runs;
  const { content, structured, isError = false } = result;
  const given = { content: [...contentOf(content)], ...(structured === undefined ? {} : { structured }), isError };
  return runs.map((run, index) => (index === last ? { ...run, put: given as JsonValue } : run));
}

/** Why the turn was about to end; where hooks made something else of it, its record does not say. */
function stopReasonOf(
  { turnId, limits, modelRequests, costUsd }: ActiveTurn,
  { events, replies }: JudgedPiece,
): string {
  const end = events.findLast((event) => event.type === 'turn.ended' && event.turnId === turnId);
  const record = end?.type === 'turn.ended' ? end.record : undefined;
  if (record?.type === 'completed' && record.terminalReason !== 'hook_stopped') return record.stopReason;
  const last = [...replies.values()].at(-1);
  if (last?.entry.content.some(({ type }) => type === 'tool_call') === false) return last.completed.stopReason;
  if (limits.maxTurns !== undefined && modelRequests >= limits.maxTurns) return 'max_turns';
  return limits.maxBudgetUsd !== undefined && costUsd >= limits.maxBudgetUsd ? 'max_budget' : 'max_duration';
}
