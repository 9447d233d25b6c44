import type { AnyEvent, ModelCompleted, TokenUsage, TransientEvent } from '@rondo/protocol';
import type { ProjectionState, TurnProgress } from './projection-state.ts';
import { wireModelName } from './wire-model-name.ts';
import { addModelUsage, addUsage, noModelUsage } from './wire-usage.ts';

/** What the session's subagents used is the session's to pay, and not of its own turn's conversation. */
export function countBelow(state: ProjectionState, event: AnyEvent | TransientEvent): void {
  if (!event.sessionId.startsWith(`${state.options.sessionId}.`)) return;
  const isPaid =
    event.type === 'model.completed' ||
    event.type === 'model.retried' ||
    event.type === 'tool.classified' ||
    event.type === 'hook.completed' ||
    event.type === 'prompt.suggested';
  if (isPaid && event.usage !== undefined) addToSession(state, event.model ?? '', event.usage, event.costUsd);
}

/** What one attempt used: for the turn, for the session, and for its model. */
export function countUsage(state: ProjectionState, model: string, usage: TokenUsage, costUsd = 0): void {
  addToSession(state, model, usage, costUsd);
  if (state.turn !== undefined) addUsage(state.turn.usage, usage);
}

function addToSession(state: ProjectionState, model: string, usage: TokenUsage, costUsd = 0): void {
  state.totalCostUsd += costUsd;
  const limits = state.options.modelLimits?.[model];
  const sum = (state.modelUsage[wireModelName(model)] ??= noModelUsage(limits));
  addModelUsage(sum, usage, costUsd);
}

/** A request that was answered, and how long the turn's first reply took since the turn first asked for one. */
export function countRequest(turn: TurnProgress, event: ModelCompleted): void {
  const { durationMs, timeToFirstTokenMs, stopReason } = event;
  turn.requests += 1;
  turn.apiMs += durationMs;
  turn.stopReason = stopReason;
  const { firstRequestAt, lastRequestAt } = turn;
  const before =
    firstRequestAt === undefined || lastRequestAt === undefined ? 0 : msBetween(firstRequestAt, lastRequestAt);
  turn.firstReply ??= {
    ...(timeToFirstTokenMs === undefined ? {} : { beganMs: before + timeToFirstTokenMs }),
    wholeMs: before + durationMs,
  };
}

/** Between two times of the log, which a clock may have set back meanwhile. */
export function msBetween(earlier: string, later: string): number {
  return Math.max(0, Date.parse(later) - Date.parse(earlier));
}
