import type { AssistantEntry, ToolOutcome } from '@rondo/protocol';
import type { ConversationItem } from '../event/conversation.ts';
import type { EventDraft } from '../event/event-draft.ts';
import type { CallState } from '../event/session-state.ts';
import { endTurn, type EndingTurn, type TurnOutcome } from './end-turn.ts';
import { unknownOutcomeText } from './complete-call.ts';

/**
 * Ends a turn that its owner left unfinished, without running anything: every call gets a result by what is known of
 * it, questions are closed, the record says why. Whoever was told to open the session may do this.
 */
export async function settleTurn(turn: EndingTurn, outcome: TurnOutcome): Promise<void> {
  settleCalls(turn);
  await endTurn(turn, outcome);
}

/** Gives every call that has none a result, and discards a message that was never finished. */
export function settleCalls(turn: EndingTurn): void {
  // What was held back for the next batch may hold calls too.
  turn.emit([]);
  const facts: EventDraft[] = [];
  const open = turn.state.active?.openEntryId;
  if (open !== undefined)
    facts.push({ type: 'entry.discarded', turnId: turn.turnId, entryId: open, reason: 'crashed' });
  const said = saidIn(turn);
  const answered = new Set<string>();
  for (const item of said) if (item.kind === 'result') answered.add(item.result.callId);
  for (const item of said) if (item.kind === 'assistant') facts.push(...unansweredCalls(turn, item.entry, answered));
  facts.push(...takenUpCalls(turn));
  turn.emit(facts);
}

/** Calls that an earlier turn had left, and this one has taken up. */
function takenUpCalls({ turnId, state }: EndingTurn): EventDraft[] {
  const { conversation, active } = state;
  if (active === undefined) return [];
  const isEarlier = (entryId: string): boolean =>
    conversation.some(
      (item) => item.kind === 'assistant' && item.entry.id === entryId && (item.seq ?? 0) < active.startSeq,
    );
  return [...active.calls.values()]
    .filter(({ status, entryId }) => status !== 'completed' && isEarlier(entryId))
    .map((call) => settledFact(turnId, call, call));
}

/** What was said in the turn. A call that was imported, or belongs to another turn, is not this one's to settle. */
function saidIn({ state }: EndingTurn): readonly ConversationItem[] {
  const { conversation, active } = state;
  if (active === undefined) return [];
  const before = conversation.findLastIndex(({ seq }) => seq === undefined || seq < active.startSeq);
  return conversation.slice(before + 1);
}

function unansweredCalls(turn: EndingTurn, entry: AssistantEntry, answered: ReadonlySet<string>): EventDraft[] {
  const facts: EventDraft[] = [];
  for (const [index, block] of entry.content.entries()) {
    if (block.type !== 'tool_call') continue;
    const callId = `${entry.id}#${index}`;
    if (answered.has(callId)) continue;
    const { toolCallId, name } = block;
    facts.push(settledFact(turn.turnId, { callId, toolCallId, name }, turn.state.active?.calls.get(callId)));
  }
  return facts;
}

function settledFact(
  turnId: string,
  { callId, toolCallId, name }: Pick<CallState, 'callId' | 'toolCallId' | 'name'>,
  call: CallState | undefined,
): EventDraft {
  const { outcome, text } = settlement(call);
  const content = [{ type: 'text' as const, text }];
  const about = { turnId, callId, toolCallId, name };
  return { type: 'tool.completed', ...about, isError: true, outcome, content, error: { message: text } };
}

/** How the text begins that a call gets for a result when nothing more is known of it. */
export const settledText = 'The turn ended';

function settlement(call: CallState | undefined): { readonly outcome: ToolOutcome; readonly text: string } {
  if (call === undefined || call.status === 'requested' || call.status === 'allowed') {
    return { outcome: 'not_started', text: `${settledText} before this call ran.` };
  }
  if (call.status === 'denied') return { outcome: 'denied', text: call.denial ?? 'This call was denied.' };
  if (call.effect === 'none')
    return { outcome: 'interrupted', text: `${settledText} while this call was running; it only reads.` };
  return { outcome: 'unknown', text: unknownOutcomeText };
}
