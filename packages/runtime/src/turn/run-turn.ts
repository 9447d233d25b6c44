import type { AssistantEntry, JsonObject } from '@rondo/protocol';
import type { EventDraft } from '../event/event-draft.ts';
import { isHookContext } from '../hook/hook-context-entry.ts';
import { endedByHook, postAgentTurn, postLlmCall, preAgentTurn, preLlmCall } from './agent-turn-hooks.ts';
import { askModel } from './ask-model.ts';
import { startDeadline, workedMs } from './deadline.ts';
import { deferredOutcome, deferredStep, unavailableDeferral } from './deferred-call.ts';
import { endTurn, type TurnOutcome } from './end-turn.ts';
import { eventPoints, loadEventPointsFor } from './event-points.ts';
import { completeWithout } from './complete-call.ts';
import { planCalls } from './planned-call.ts';
import { judgeLastWord, judgeOutput, withoutFalseSuccess } from './judge-output.ts';
import { settleCalls } from './settle-turn.ts';
import { runToolStep } from './tool-step.ts';
import { tellPlanMode } from './tell-plan-mode.ts';
import type { TurnParts, TurnStop } from './turn-parts.ts';

/**
 * Works a turn to its end: ask the model, run its calls, again, until it has nothing more to call, a limit is reached,
 * or somebody stops it. Ends in exactly one `turn.ended`, durable when this resolves. A turn that a crash cut off goes
 * on from what the log says. Rejects only when the log can no longer be written.
 */
export async function runTurn(turn: TurnParts): Promise<void> {
  await loadEventPointsFor(turn.binding);
  const deadline = startDeadline(turn);
  let outcome = await work(deadline.turn);
  // A message that joined while the outcome was on its way here is still for this turn.
  while (outcome?.terminalReason === 'completed' && turn.joining().length > 0) {
    turn.emit([]);
    outcome = await work(deadline.turn);
  }
  deadline.end();
  if (outcome !== undefined) await endTurn(turn, withoutFalseSuccess(turn, outcome));
}

/** Undefined when the host is closing: the turn then stays as it is for the next owner. */
async function work(turn: TurnParts): Promise<TurnOutcome | undefined> {
  try {
    let outcome =
      endedBefore(turn) ??
      (await finishCutOffStep(turn)) ??
      reachedLimit(turn) ??
      (await beginTurn(turn)) ??
      (await loop(turn));
    for (;;) {
      if (turn.signal.aborted) return stoppedOutcome(turn);
      const isLast = outcome.terminalReason !== 'completed' || turn.joining().length === 0;
      if (outcome.type !== 'completed' || withoutAnswer.has(outcome.terminalReason) || !isLast) return outcome;
      const isAnswer = outcome.terminalReason === 'completed';
      const held = isAnswer ? await judgeOutput(turn, outcome) : outcome;
      if (held !== 'again' && held.type !== 'completed') return held;
      const stop = held !== 'again' && isAnswer ? await eventPoints(turn)?.judgeStop(turn) : undefined;
      if (held === 'again' || stop === 'again') {
        outcome = await loop(turn);
        continue;
      }
      if (stop !== undefined && stop !== 'end') return turn.signal.aborted ? stoppedOutcome(turn) : stop;
      const judged = await postAgentTurn(turn, held);
      return turn.signal.aborted ? stoppedOutcome(turn) : await judgeLastWord(turn, judged);
    }
  } catch (error) {
    settleCalls(turn);
    if (turn.signal.aborted) return stoppedOutcome(turn);
    const message = error instanceof Error ? error.message : String(error);
    return { type: 'failed', terminalReason: 'model_error', error: { message, code: 'internal' } };
  }
}

/** Turns that are over before their answer, so that nothing judges it. */
const withoutAnswer: ReadonlySet<string> = new Set([
  'hook_stopped',
  'stop_hook_prevented',
  'tool_deferred',
  'tool_deferred_unavailable',
]);

/** What a hook ended before a crash stays so; its calls are not gone on with. */
function endedBefore(turn: TurnParts): TurnOutcome | undefined {
  const ended = endedByHook(turn);
  if (ended !== undefined) settleCalls(turn);
  return ended;
}

/** What comes before the first request: hooks are told, and judge what was said; calls that had to wait are taken up. */
async function beginTurn(turn: TurnParts): Promise<TurnOutcome | undefined> {
  const points = eventPoints(turn);
  const ended = await points?.beginSession(turn);
  if (ended !== undefined) return ended;
  // Changes that hooks judge wait for a turn in which they can be asked: this one, also where it calls nothing.
  await turn.refreshPolicy?.();
  return (await preAgentTurn(turn)) ?? (await points?.judgePrompts(turn)) ?? (await resumeDeferred(turn));
}

/** The calls that the turn before left for a later one: whatever judges a call judges them anew. */
async function resumeDeferred(turn: TurnParts): Promise<TurnOutcome | undefined> {
  if ((turn.state.active?.modelRequests ?? 0) > 0) return undefined;
  const waiting = await deferredStep(turn);
  if (waiting === undefined) return undefined;
  return unavailableDeferral(turn, waiting) ?? (await runStep(turn, waiting.entry, 0, waiting.answered));
}

async function loop(turn: TurnParts): Promise<TurnOutcome> {
  let malformed = 0;
  for (;;) {
    // A message that this turn cannot answer any more is left for the next one.
    const limit = reachedLimit(turn);
    if (limit !== undefined) return limit;
    joinMessages(turn);
    const points = eventPoints(turn);
    if (points !== undefined) {
      points.tellBackground(turn);
      const judged = (await points.judgePrompts(turn)) ?? answeredOutcome(turn);
      if (judged !== undefined) return judged;
    }
    const stopped = await preLlmCall(turn);
    if (stopped !== undefined) return stopped;
    tellPlanMode(turn);
    const reply = await askModel(turn);
    if (reply.type === 'aborted') return stoppedOutcome(turn) ?? aborted('aborted_streaming');
    if (reply.type === 'failed') return failedOutcome(reply.error);
    const judged = await postLlmCall(turn, reply);
    if (judged === 'again') continue;
    if (judged !== 'accepted') return judged;
    turn.hold(reply.facts);
    const calls = reply.entry.content.some((block) => block.type === 'tool_call');
    if (calls) {
      const stop = await runStep(turn, reply.entry, reply.costUsd);
      if (stop !== undefined) return stop;
      malformed = isMalformed(reply.entry) ? malformed + 1 : 0;
      if (malformed === mostMalformed) return malformedOutcome;
      continue;
    }
    const end = replyOutcome(turn, reply);
    if (end !== undefined) return end;
    turn.emit([]);
  }
}

/** No argument of any call of the reply was JSON, so that nothing of it ran. */
function isMalformed({ content }: AssistantEntry): boolean {
  return content.every((block) => block.type !== 'tool_call' || block.malformed !== undefined);
}

/** So many replies in a row whose calls cannot be read: the model does not find out of it by being told once more. */
const mostMalformed = 5;

const malformedOutcome: TurnOutcome = {
  type: 'failed',
  terminalReason: 'malformed_tool_use_exhausted',
  error: {
    code: 'turn.malformed_calls',
    message: `the model called tools with arguments that are no JSON in ${mostMalformed} replies in a row; nothing of them ran`,
  },
};

/** What a reply without calls means for the turn; undefined when there is more to say. */
function replyOutcome(
  turn: TurnParts,
  { stopReason, stopDetails }: { readonly stopReason: string; readonly stopDetails?: JsonObject },
): TurnOutcome | undefined {
  const details = stopDetails === undefined ? {} : { stopDetails };
  if (stopReason === 'refusal') return refusedOutcome(details);
  if (stopReason === 'pause_turn' || turn.joining().length > 0) return undefined;
  return { type: 'completed', stopReason, ...details, terminalReason: 'completed' };
}

/** How the turn ends when the model has answered already, and what joined it since was blocked. */
function answeredOutcome(turn: TurnParts): TurnOutcome | undefined {
  if ((turn.state.active?.unanswered.length ?? 0) > 0) return undefined;
  const entry = lastAssistantEntry(turn);
  if (entry === undefined || entry.aborted === true) return undefined;
  if (entry.content.some((block) => block.type === 'tool_call')) return undefined;
  const stopDetails = turn.state.active?.stopDetails;
  const details = stopDetails === undefined ? {} : { stopDetails };
  return replyOutcome(turn, { stopReason: entry.stopReason ?? 'end_turn', ...details });
}

async function runStep(
  turn: TurnParts,
  entry: AssistantEntry,
  costUsd: number,
  answered?: ReadonlySet<string>,
): Promise<TurnOutcome | undefined> {
  const budget = turn.state.active?.limits.maxBudgetUsd;
  const spent = (turn.state.active?.costUsd ?? 0) + costUsd;
  if ((budget !== undefined && spent >= budget) || turn.isSpentAbove?.(costUsd) === true) {
    const calls = planCalls(turn, entry, answered);
    turn.hold(calls.map((call) => call.requested));
    for (const call of calls)
      completeWithout(turn, call, 'not_started', 'The budget of this turn was used up before this call ran.');
    return outOfBudget;
  }
  const end = await runToolStep(turn, entry, answered);
  if (turn.signal.aborted) return stoppedOutcome(turn) ?? aborted('aborted_tools');
  if (end.interrupted) return aborted('aborted_tools');
  const ended = endedByHook(turn);
  if (ended !== undefined) return ended;
  if (end.deferred !== undefined) return deferredOutcome(end.deferred);
  return await eventPoints(turn)?.afterBatch(turn, entry);
}

/** The step that a crash cut off: its open reply is discarded, its calls are taken to their results. */
async function finishCutOffStep(turn: TurnParts): Promise<TurnOutcome | undefined> {
  const open = turn.state.active?.openEntryId;
  if (open !== undefined)
    turn.emit([{ type: 'entry.discarded', turnId: turn.turnId, entryId: open, reason: 'crashed' }]);
  const entry = lastAssistantEntry(turn);
  if (entry === undefined) return undefined;
  const calls = entry.content.some((block) => block.type === 'tool_call');
  if (calls && planCalls(turn, entry).length > 0) return await runStep(turn, entry, 0);
  if (calls) return await eventPoints(turn)?.afterBatch(turn, entry);
  if (entry.aborted === true) return undefined;
  const stopDetails = turn.state.active?.stopDetails;
  const details = stopDetails === undefined ? {} : { stopDetails };
  return replyOutcome(turn, { stopReason: entry.stopReason ?? 'end_turn', ...details });
}

/** The last assistant message of this turn, if it is the last thing that was said. */
function lastAssistantEntry(turn: TurnParts): AssistantEntry | undefined {
  if ((turn.state.active?.modelRequests ?? 0) === 0) return undefined;
  const items = turn.state.conversation;
  for (let index = items.length - 1; index >= 0; index -= 1) {
    const item = items[index];
    if (item?.kind === 'message' && !isHookContext(item.entry)) return undefined;
    if (item?.kind === 'assistant') return item.entry;
  }
  return undefined;
}

function joinMessages(turn: TurnParts): void {
  const drafts = turn.joining().map(
    (message): EventDraft => ({
      type: 'entry.completed',
      turnId: turn.turnId,
      entry: {
        type: 'message',
        id: turn.newId(),
        role: 'user',
        messageId: message.messageId,
        content: [...message.content],
        ...(message.origin === undefined ? {} : { origin: message.origin }),
      },
    }),
  );
  if (drafts.length > 0) turn.emit(drafts);
}

function reachedLimit(turn: TurnParts): TurnOutcome | undefined {
  const active = turn.state.active;
  const { maxTurns, maxBudgetUsd, maxDurationMs } = active?.limits ?? {};
  if (maxDurationMs !== undefined && workedMs(turn) >= maxDurationMs) return outOfTime;
  if (maxTurns !== undefined && (active?.modelRequests ?? 0) >= maxTurns) {
    return { type: 'completed', stopReason: 'max_turns', terminalReason: 'max_turns' };
  }
  if (maxBudgetUsd !== undefined && (active?.costUsd ?? 0) >= maxBudgetUsd) return outOfBudget;
  if (turn.isSpentAbove?.(0) === true) return outOfBudget;
  return undefined;
}

function failedOutcome(error: { code: string; message: string; details: object }): TurnOutcome {
  return {
    type: 'failed',
    terminalReason:
      error.code === 'model.prompt_too_long'
        ? 'prompt_too_long'
        : isAboutImage(error)
          ? 'image_error'
          : error.code.startsWith('model.')
            ? 'api_error'
            : 'model_error',
    error: { message: error.message, code: error.code, data: { ...error.details } },
  };
}

/** Vendors refuse an image in words only. */
function isAboutImage({ code, message }: { readonly code: string; readonly message: string }): boolean {
  return code === 'model.request_invalid' && /\bimages?\b/i.test(message);
}

const outOfBudget: TurnOutcome = {
  type: 'completed',
  stopReason: 'max_budget',
  terminalReason: 'budget_exhausted',
};

const outOfTime: TurnOutcome = {
  type: 'completed',
  stopReason: 'max_duration',
  terminalReason: 'max_duration',
};

function refusedOutcome(details: { readonly stopDetails?: JsonObject }): TurnOutcome {
  return {
    type: 'failed',
    terminalReason: 'model_error',
    error: {
      message: 'The model refused to answer this conversation. Rephrase, or use another model.',
      code: 'model.refused',
      ...(details.stopDetails === undefined ? {} : { data: details.stopDetails }),
    },
  };
}

function aborted(terminalReason: 'aborted_streaming' | 'aborted_tools'): TurnOutcome {
  return { type: 'interrupted', cause: 'interrupted', terminalReason };
}

function stoppedOutcome(turn: TurnParts): TurnOutcome | undefined {
  const stop = turn.signal.reason as TurnStop | undefined;
  if (stop?.type !== 'turn-stop') return aborted('aborted_streaming');
  if (stop.cause === 'closing') return undefined;
  if (stop.cause === 'max_duration') return outOfTime;
  return {
    type: 'interrupted',
    cause: stop.cause,
    terminalReason: stoppedInTools(turn) ? 'aborted_tools' : 'aborted_streaming',
  };
}

/** Whether a call of the last step did not come to its end. Where all did, it was the next reply that was stopped. */
function stoppedInTools(turn: TurnParts): boolean {
  const items = turn.state.conversation;
  for (let index = items.length - 1; index >= 0; index -= 1) {
    const item = items[index];
    if (item?.kind === 'message' && isHookContext(item.entry)) continue;
    if (item?.kind !== 'result') return false;
    if (item.result.outcome === 'interrupted' || item.result.outcome === 'not_started') return true;
  }
  return false;
}
