import type { EventDraft } from '../event/event-draft.ts';
import { uuidOf } from '../hook/base-input.ts';
import type { EventOutcome } from '../hook/event-outcome.ts';
import { hookContextEntry } from '../hook/hook-context-entry.ts';
import type { TurnParts } from './turn-parts.ts';

/** What hooks have for the model, once for each place. Its ID follows from the place, so that nothing is told twice. */
export function contextFacts(turn: TurnParts, source: string, texts: readonly string[]): EventDraft[] {
  if (texts.length === 0) return [];
  const id = placedId(turn, source);
  if (turn.state.conversation.some((item) => item.kind === 'message' && item.entry.id === id)) return [];
  return [{ type: 'entry.completed', turnId: turn.turnId, entry: hookContextEntry(id, source, texts) }];
}

/** An ID for what is said at a place of the turn: the same, however often the place is come to. */
export function placedId({ sessionId, turnId, sha256 }: TurnParts, source: string): string {
  return uuidOf(sha256(`${sessionId}\n${turnId}\n${source}`));
}

/** Whether what a hook came to stops its event. */
export function isBlocking(outcome: EventOutcome): boolean {
  if (outcome.type === 'failed') return !outcome.failOpen;
  const { decision } = outcome.answer;
  return decision === 'deny' || decision === 'block';
}
