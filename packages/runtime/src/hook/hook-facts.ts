import type { JsonObject } from '@rondo/protocol';
import { canonicalJson } from '@rondo/protocol/values';
import type { EventDraft } from '../event/event-draft.ts';
import type { HookDecided } from './decide-event-hook.ts';
import { boundedOutput, type EventOutcome, eventRecord } from './event-outcome.ts';
import type { HookUsage } from './event-hook.ts';
import type { EventPlace, PlacedHook } from './event-place.ts';
import { eventRules } from './event-rule.ts';
import type { HookTurn } from './hook-turn.ts';

/** What every event of a run carries. */
export function hookFields(
  { turnId }: { readonly turnId: string },
  { event, subject, callId }: EventPlace,
  { name, hookId }: Pick<PlacedHook, 'name' | 'hookId'>,
  background: boolean,
) {
  return {
    turnId,
    hookId,
    name,
    event,
    ...(callId === undefined ? {} : { callId }),
    ...(subject === undefined ? {} : { subject }),
    ...(background ? { background } : {}),
  };
}

/** How a run ended; without an outcome, it was interrupted. */
export function completedFact(
  turn: Pick<HookTurn, 'turnId' | 'sha256'>,
  place: EventPlace,
  { hook, name, hookId }: PlacedHook,
  {
    outcome,
    output,
    durationMs,
    paid = {},
    background = false,
  }: Partial<HookDecided> & {
    readonly durationMs: number;
    readonly paid?: { readonly usage?: HookUsage };
    readonly background?: boolean;
  },
): EventDraft {
  const fields = { type: 'hook.completed' as const, ...hookFields(turn, place, { name, hookId }, background) };
  if (outcome === undefined) return { ...fields, outcome: { type: 'interrupted' }, ...paid.usage, durationMs };
  const isStop = outcome.type === 'answer' && outcome.answer.continue === false;
  const isEnd = (isStop && eventRules[place.event].endsTurn === true) || place.ends?.(outcome) === true;
  const ends = isEnd && !background;
  const { rewritable } = place;
  const inputHash = rewritable === undefined ? {} : { inputHash: judgedHash(rewritable, turn.sha256) };
  return {
    ...fields,
    outcome: { ...eventRecord(outcome), ...inputHash, ...(ends ? { ends } : {}) },
    ...(hook.once === true ? { state: { type: 'rondo.once', value: true } } : {}),
    ...(output === undefined || isSuppressed(outcome) ? {} : { output: boundedOutput(output) }),
    ...paid.usage,
    durationMs,
  };
}

/** Names the arguments that hooks judged: what they decided counts for no others. */
export function judgedHash(input: JsonObject, sha256: HookTurn['sha256']): string {
  return sha256(canonicalJson(input));
}

function isSuppressed(outcome: EventOutcome): boolean {
  return outcome.type === 'answer' && outcome.answer.suppressOutput === true;
}

export function isClosing(signal: AbortSignal): boolean {
  const reason: unknown = signal.reason;
  return typeof reason === 'object' && reason !== null && 'cause' in reason && reason.cause === 'closing';
}
