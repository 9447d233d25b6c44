import { runAfter } from '../event/clock.ts';
import type { TurnParts } from './turn-parts.ts';

/** How long a call is at work before that is told, and told again. */
export const TELL_WORK_MS = 5_000;

/**
 * Tells whoever watches, every few seconds, that a call is still at work. The function that comes back ends it; undefined
 * where nobody watches when the call begins.
 */
export function tellWork(turn: TurnParts, callId: string): (() => void) | undefined {
  if (!turn.shows('tool.progress')) return undefined;
  const startedAt = turn.clock.now();
  let isOver = false;
  let cancel = runAfter(turn.clock, TELL_WORK_MS, tell);

  function tell(): void {
    turn.show(() => ({
      type: 'tool.progress',
      sessionId: turn.sessionId,
      turnId: turn.turnId,
      after: turn.state.cursor,
      callId,
      progress: null,
      elapsedMs: turn.clock.now() - startedAt,
    }));
    if (!isOver) cancel = runAfter(turn.clock, TELL_WORK_MS, tell);
  }

  return () => {
    isOver = true;
    cancel();
  };
}
