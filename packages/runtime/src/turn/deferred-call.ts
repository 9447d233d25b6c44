import type { AssistantEntry } from '@rondo/protocol';
import type { ConversationItem } from '../event/conversation.ts';
import type { SessionState } from '../event/session-state.ts';
import type { TurnOutcome } from './end-turn.ts';
import type { DeferredCall } from './tool-hooks.ts';
import { planCalls } from './planned-call.ts';
import type { TurnParts } from './turn-parts.ts';

/** The end of a turn that leaves a call for a later one. */
export function deferredOutcome({ id, name, input }: DeferredCall): TurnOutcome {
  const stopDetails = { deferred: { id, name, input } };
  return { type: 'completed', stopReason: 'tool_deferred', terminalReason: 'tool_deferred', stopDetails };
}

/**
 * The end of a turn whose binding lacks the tool of a call that was left for it, such as that of a server that is not there:
 * the call waits on. Undefined where the tool is there.
 */
export function unavailableDeferral(turn: TurnParts, { entry, answered }: DeferredStep): TurnOutcome | undefined {
  const [call] = planCalls(turn, entry, answered);
  if (call === undefined || call.tool !== undefined) return undefined;
  const { toolCallId: id, name, input } = call.block;
  const stopDetails = { deferred: { id, name, input } };
  const reason = 'tool_deferred_unavailable';
  return { type: 'completed', stopReason: reason, terminalReason: reason, stopDetails };
}

/** A message with calls that were left for this turn, and those of them that have a result. */
export interface DeferredStep {
  readonly entry: AssistantEntry;
  readonly answered: ReadonlySet<string>;
}

/** What a turn before has left for this one, where one did. Turns that ended before they came to it change nothing. */
export async function deferredStep(turn: TurnParts): Promise<DeferredStep | undefined> {
  const item = deferringReply(turn.state);
  if (item === undefined) return undefined;
  const whole = await turn.wholeItem(item);
  if (whole.kind !== 'assistant') return undefined;
  const { entry } = whole;
  const answered = [...answeredCalls(turn.state, entry)].filter((id) => turn.state.active?.calls.has(id) !== true);
  return { entry, answered: new Set(answered) };
}

type Reply = Extract<ConversationItem, { kind: 'assistant' }>;

/** The last message of the model, where its turn ended with calls of it left for a later one, and one is still left. */
export function deferringReply(state: SessionState): Reply | undefined {
  const item = state.conversation.findLast((one) => one.kind === 'assistant');
  const { seq } = item ?? {};
  if (item?.kind !== 'assistant' || seq === undefined) return undefined;
  const [turnId = ''] = [...state.turns].findLast(([, { startSeq }]) => startSeq < seq) ?? [];
  const record = state.records.get(turnId);
  if (record === undefined || !('stopReason' in record) || record.stopReason !== 'tool_deferred') return undefined;
  const answered = answeredCalls(state, item.entry);
  const isLeft = item.entry.content.some(
    ({ type }, index) => type === 'tool_call' && !answered.has(`${item.entry.id}#${index}`),
  );
  return isLeft || isAtIt(state, item.entry) ? item : undefined;
}

/** The turn at work has taken it up, and goes on with it after a crash. */
function isAtIt({ active }: SessionState, entry: AssistantEntry): boolean {
  return [...(active?.calls.values() ?? [])].some(({ entryId }) => entryId === entry.id);
}

function answeredCalls({ conversation }: SessionState, entry: AssistantEntry): Set<string> {
  const answered = new Set<string>();
  for (const one of conversation)
    if (one.kind === 'result' && one.entryId === entry.id) answered.add(one.result.callId);
  return answered;
}
