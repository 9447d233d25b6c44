import type { EventDraft } from '../event/event-draft.ts';
import type { ActiveTurn, SessionState } from '../event/session-state.ts';
import { parentIdOf } from '../event/session-tree-id.ts';

/**
 * Takes back what was said in a turn that ends before hooks had judged it: stopped, or left by a crash. No later turn
 * sends it to the model.
 */
export function unjudgedFacts({
  turnId,
  state,
}: {
  readonly turnId: string;
  readonly state: SessionState;
}): EventDraft[] {
  const { active, sessionId } = state;
  // What a request was sent with had been judged.
  if (active === undefined || active.openRequestId !== undefined || parentIdOf(sessionId) !== undefined) return [];
  if (!active.binding.hooks.some((name) => name.startsWith('UserPromptSubmit/'))) return [];
  const unjudged = active.unanswered.filter((entryId) => !isJudged(active, entryId));
  if (unjudged.length === 0) return [];
  const message = 'The turn ended before hooks had judged what was said; the model is not told of it.';
  return [
    ...unjudged.map((entryId): EventDraft => ({ type: 'entry.discarded', turnId, entryId, reason: 'not_judged' })),
    { type: 'notice', turnId, level: 'warning', message, details: { hookEvent: 'UserPromptSubmit' } },
  ];
}

/** Hooks have begun there, and each that is waited for has let it pass. */
function isJudged({ hookRuns }: ActiveTurn, entryId: string): boolean {
  const runs = [...hookRuns].filter(([hookId]) => hookId.startsWith(`UserPromptSubmit/${entryId}/`));
  return (
    runs.length > 0 &&
    runs.every(([, { background, outcome }]) => {
      if (background === true) return true;
      if (outcome?.['type'] === 'failed') return outcome['failOpen'] === true;
      return outcome?.['type'] === 'answer' && outcome['decision'] !== 'deny' && outcome['decision'] !== 'block';
    })
  );
}
