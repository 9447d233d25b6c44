import type { EndedRecord, JsonObject, ProtocolError } from '@rondo/protocol';
import type { EventDraft } from '../event/event-draft.ts';
import type { SessionState } from '../event/session-state.ts';
import { unjudgedFacts } from './unjudged-prompts.ts';

/** How a turn ended, before its record is made. */
export type TurnOutcome =
  | {
      readonly type: 'completed';
      readonly stopReason: string;
      readonly stopDetails?: JsonObject;
      readonly terminalReason: string;
      /** What the record says in place of the model's last text. */
      readonly text?: string;
      /** The text is the output that the turn was to have. */
      readonly validOutput?: true;
    }
  | { readonly type: 'interrupted'; readonly cause: string; readonly terminalReason: string }
  | { readonly type: 'failed'; readonly error: ProtocolError; readonly terminalReason: string };

export interface EndingTurn {
  readonly turnId: string;
  readonly state: SessionState;
  readonly emit: (drafts: readonly EventDraft[]) => { readonly committed: Promise<void> };
}

/**
 * Closes what is open and ends the turn. Resolves when `turn.ended`, with its record, is durable. The record's cursor is
 * the ending event's own.
 */
export async function endTurn(turn: EndingTurn, outcome: TurnOutcome): Promise<void> {
  // What was held back for the next batch is part of the record, so it has to be in the state first.
  turn.emit([]);
  const closed: EventDraft[] = unjudgedFacts(turn);
  for (const [callbackId, callback] of turn.state.callbacks) {
    if (callback.settled || callback.turnId !== turn.turnId) continue;
    closed.push({ type: 'callback.resolved', turnId: turn.turnId, callbackId, resolution: 'closed', by: 'runtime' });
  }
  const record = recordOf(turn, outcome);
  await turn.emit([...closed, { type: 'turn.ended', turnId: turn.turnId, record }]).committed;
}

function recordOf(turn: EndingTurn, outcome: TurnOutcome): EndedRecord {
  const active = turn.state.active;
  const facts = {
    sessionId: turn.state.sessionId,
    turnId: turn.turnId,
    cursor: '',
    text: active?.text ?? '',
    toolCalls: [...(active?.toolCalls ?? [])],
    usage: [...(active?.usage ?? [])],
    terminalReason: outcome.terminalReason,
  };
  switch (outcome.type) {
    case 'completed': {
      const { stopReason, stopDetails, text = facts.text, validOutput } = outcome;
      return {
        type: 'completed',
        ...facts,
        text,
        stopReason,
        ...(stopDetails === undefined ? {} : { stopDetails }),
        ...(validOutput === undefined ? {} : { validOutput }),
      };
    }
    case 'interrupted':
      return { type: 'interrupted', ...facts, cause: outcome.cause };
    case 'failed':
      return { type: 'failed', ...facts, error: outcome.error };
  }
}
