import type { AssistantEntry, ToolOutcome } from '@rondo/protocol';
import type { EventDraft } from '../event/event-draft.ts';
import type { CallState } from '../event/session-state.ts';
import { endTurn, type EndingTurn, type TurnOutcome } from './end-turn.ts';
import { unknownOutcomeText } from './run-call.ts';

/**
 * Ends a turn that its owner left unfinished, without running anything: every call gets a result by what is known of
 * it, questions are closed, the record says why. Whoever was told to open the session may do this.
 */
export async function settleTurn(turn: EndingTurn, outcome: TurnOutcome): Promise<void> {
  const facts: EventDraft[] = [];
  const open = turn.state.active?.openEntryId;
  if (open !== undefined)
    facts.push({ type: 'entry.discarded', turnId: turn.turnId, entryId: open, reason: 'crashed' });
  for (const item of turn.state.conversation) {
    if (item.kind === 'assistant') facts.push(...unansweredCalls(turn, item.entry));
  }
  turn.emit(facts);
  await endTurn(turn, outcome);
}

function unansweredCalls(turn: EndingTurn, entry: AssistantEntry): EventDraft[] {
  const facts: EventDraft[] = [];
  for (const [index, block] of entry.content.entries()) {
    if (block.type !== 'tool_call') continue;
    const callId = `${entry.id}#${index}`;
    if (turn.state.conversation.some((item) => item.kind === 'result' && item.result.callId === callId)) continue;
    const { outcome, text } = settlement(turn.state.active?.calls.get(callId));
    facts.push({
      type: 'tool.completed',
      turnId: turn.turnId,
      callId,
      toolCallId: block.toolCallId,
      name: block.name,
      isError: true,
      outcome,
      content: [{ type: 'text', text }],
      error: { message: text },
    });
  }
  return facts;
}

function settlement(call: CallState | undefined): { readonly outcome: ToolOutcome; readonly text: string } {
  if (call === undefined || call.status === 'requested' || call.status === 'allowed') {
    return { outcome: 'not_started', text: 'The process died before this call ran.' };
  }
  if (call.status === 'denied') return { outcome: 'denied', text: call.denial ?? 'This call was denied.' };
  if (call.effect === 'none')
    return { outcome: 'interrupted', text: 'The process died while this call was running; it only reads.' };
  return { outcome: 'unknown', text: unknownOutcomeText };
}
