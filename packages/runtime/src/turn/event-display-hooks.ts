import { parentIdOf } from '../event/session-tree-id.ts';
import { baseInput } from '../hook/base-input.ts';
import { decideEventHook } from '../hook/decide-event-hook.ts';
import type { EventHook, HookUsage } from '../hook/event-hook.ts';
import { eventHookName } from '../hook/event-place.ts';
import { completedFact } from '../hook/hook-facts.ts';
import type { HookInputs } from '../hook/hook-input.ts';
import { noticesOf } from '../hook/hook-notices.ts';
import type { TurnParts } from './turn-parts.ts';

/** Tells hooks of a message's text while it is shown. */
export interface DisplayedMessage {
  show(text: string): void;
  /** The message is whole. */
  end(): void;
}

/**
 * `MessageDisplay`: hooks are told the text of a message in pieces, each hook one at a time. What is shown while one is at
 * work is its next piece, so that nobody waits for a hook and a slow one is called less often. Undefined where the binding
 * has no such hook. The log has only what went wrong, and what was paid for.
 */
export function displayedMessage(turn: TurnParts, messageId: string): DisplayedMessage | undefined {
  if (parentIdOf(turn.sessionId) !== undefined) return undefined;
  const hooks = (turn.binding.eventHooks ?? []).filter(({ event }) => event === 'MessageDisplay');
  if (hooks.length === 0) return undefined;
  const told = hooks.map((hook) => toldInPieces((piece) => tell(turn, hook, { message_id: messageId, ...piece })));
  return {
    show: (text) => {
      for (const one of told) one.show(text);
    },
    end: () => {
      for (const one of told) one.end();
    },
  };
}

type Piece = Pick<HookInputs['MessageDisplay'], 'index' | 'final' | 'delta'>;

/** @param give false when no piece is wanted any more */
function toldInPieces(give: (piece: Piece) => Promise<boolean>): DisplayedMessage {
  let delta = '';
  let final = false;
  let index = 0;
  let isAtWork = false;
  const goOn = async (): Promise<void> => {
    if (isAtWork) return;
    isAtWork = true;
    // What comes in the same moment is one piece.
    await Promise.resolve();
    while (delta !== '' || (final && index > 0)) {
      const piece = { index, final, delta };
      delta = '';
      final = false;
      index += 1;
      // It stays at work, so that nothing more is given.
      if (!(await give(piece))) return;
    }
    isAtWork = false;
  };
  return {
    show(text) {
      delta += text;
      void goOn();
    },
    end() {
      final = true;
      void goOn();
    },
  };
}

/** One piece to one hook; false when that failed or the turn was stopped. */
async function tell(
  turn: TurnParts,
  hook: EventHook,
  piece: Omit<HookInputs['MessageDisplay'], 'turn_id'>,
): Promise<boolean> {
  const name = eventHookName(hook);
  const id = `${piece.message_id}.${piece.index}`;
  const said = { turn_id: turn.turnId, ...piece };
  const place = { event: 'MessageDisplay', id, input: said } as const;
  const one = { hook, name, hookId: `MessageDisplay/${id}/${name}` };
  const paid: { usage?: HookUsage } = {};
  const began = turn.clock.now();
  const decided = await decideEventHook(turn, {
    ...one,
    place,
    input: { ...baseInput(turn, 'MessageDisplay'), ...said },
    onUsage: (usage) => void (paid.usage = usage),
  });
  const facts = decided === undefined ? [] : noticesOf(turn, place, one, decided, true);
  const durationMs = turn.clock.now() - began;
  if (paid.usage !== undefined)
    facts.unshift(completedFact(turn, place, one, { ...decided, paid, durationMs, background: true }));
  try {
    if (facts.length > 0) turn.emit(facts);
  } catch {
    return false;
  }
  return decided?.outcome.type === 'answer';
}
