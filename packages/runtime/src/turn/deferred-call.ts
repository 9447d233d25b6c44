import type { AssistantEntry } from '@rondo/protocol';
import type { ConversationItem } from '../event/conversation.ts';
import type { SessionState } from '../event/session-state.ts';
import type { TurnOutcome } from './end-turn.ts';
import type { DeferredCall } from './tool-hooks.ts';
import type { TurnParts } from './turn-parts.ts';

/** The end of a turn that leaves a call for a later one. */
export function deferredOutcome({ id, name, input }: DeferredCall): TurnOutcome {
  const stopDetails = { deferred: { id, name, input } };
  return { type: 'completed', stopReason: 'tool_deferred', terminalReason: 'tool_deferred', stopDetails };
}

/** A message with calls that were left for this turn, and those of them that have a result. */
export interface DeferredStep {
  readonly entry: AssistantEntry;
  readonly answered: ReadonlySet<string>;
}

/** What the turn before has left for this one, where it did. A prompt that was blocked in between changes nothing. */
export async function deferredStep(turn: TurnParts): Promise<DeferredStep | undefined> {
  const item = deferringReply(turn.state, turn.turnId);
  if (item === undefined) return undefined;
  const whole = await turn.wholeItem(item);
  if (whole.kind !== 'assistant') return undefined;
  const { entry } = whole;
  const answered = new Set<string>();
  for (const one of turn.state.conversation)
    if (one.kind === 'result' && one.entryId === entry.id && turn.state.active?.calls.has(one.result.callId) !== true)
      answered.add(one.result.callId);
  return { entry, answered };
}

type Reply = Extract<ConversationItem, { kind: 'assistant' }>;

/** The message whose calls were left for a turn, where the turn before it ended so. */
export function deferringReply({ records, turns, conversation }: SessionState, ownTurnId?: string): Reply | undefined {
  const ended = [...records.keys()].filter((turnId) => turnId !== ownTurnId && turns.has(turnId));
  const last = ended
    .map((turnId) => records.get(turnId))
    .findLast((record) => stopReasonOf(record) !== 'prompt_blocked');
  if (stopReasonOf(last) !== 'tool_deferred') return undefined;
  const item = conversation.findLast((one) => one.kind === 'assistant');
  return item?.kind === 'assistant' ? item : undefined;
}

const stopReasonOf = (record: object | undefined): unknown =>
  record !== undefined && 'stopReason' in record ? record.stopReason : undefined;
