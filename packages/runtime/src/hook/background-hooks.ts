import type { MessageEntry } from '@rondo/protocol';
import type { EventDraft } from '../event/event-draft.ts';
import type { SessionState } from '../event/session-state.ts';
import { decideEventHook, type HookToDecide } from './decide-event-hook.ts';
import type { HookRest, HookUsage } from './event-hook.ts';
import type { EventHookTurn } from './event-hook-turn.ts';
import { hookContextEntry } from './hook-context-entry.ts';
import { noticesOf } from './hook-notices.ts';
import { completedFact, hookFields, isClosing } from './hook-facts.ts';

/** What hooks in the background have for the model, by session: it is told when it is asked next. */
const waiting = new WeakMap<SessionState, { readonly source: string; readonly text: string }[]>();

/**
 * Runs a hook that nobody waits for. Its turn may end before it does; then its context is for the next one. A stop of
 * the turn stops it; false when it came to nothing.
 */
export async function runInBackground(turn: EventHookTurn, run: HookToDecide): Promise<boolean> {
  const { place } = run;
  const began = turn.clock.now();
  const paid: { usage?: HookUsage } = {};
  const decided = await decideEventHook(turn, { ...run, onUsage: (usage) => void (paid.usage = usage) });
  if (decided !== undefined || paid.usage !== undefined || !isClosing(turn.signal)) {
    const durationMs = turn.clock.now() - began;
    const facts: EventDraft[] = [completedFact(turn, place, run, { ...decided, paid, durationMs, background: true })];
    if (decided !== undefined) facts.push(...noticesOf(turn, place, run, decided, true));
    const text = decided?.outcome.type === 'answer' ? decided.outcome.answer.additionalContext : undefined;
    if (text !== undefined && text !== '') {
      const told = waiting.get(turn.state) ?? [];
      told.push({ source: `${place.event}/${place.id}`, text });
      waiting.set(turn.state, told);
    }
    try {
      turn.emit(facts);
    } catch {
      // The session is gone, and with it whoever would read this.
    }
  }
  if (decided?.later !== undefined) goOn(turn, run, decided.later);
  return decided !== undefined;
}

/** Goes on with a hook that has answered, as one that nobody waits for. */
export function goOn(turn: EventHookTurn, run: HookToDecide, { timeoutMs, run: work }: HookRest): void {
  const { hook, place, name } = run;
  const hookId = `${run.hookId}/later`;
  if (turn.signal.aborted) return;
  try {
    turn.emit([{ type: 'hook.started', ...hookFields(turn, place, { name, hookId }, true) }]);
  } catch {
    return;
  }
  void runInBackground(turn, {
    ...run,
    hookId,
    hook: { ...hook, timeoutMs, run: (_input, context) => work(context) },
  });
}

/** What there is to be told by now, in the order in which it came. It is told once. */
export function backgroundContexts(turn: Pick<EventHookTurn, 'state' | 'turnId'>, newId: () => string): EventDraft[] {
  const told = waiting.get(turn.state);
  if (told === undefined) return [];
  waiting.delete(turn.state);
  return told.map(({ source, text }) => {
    const entry: MessageEntry = { ...hookContextEntry(newId(), source, [text]), kind: 'background_context' };
    return { type: 'entry.completed', turnId: turn.turnId, entry };
  });
}
