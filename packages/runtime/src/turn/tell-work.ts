import type { TurnParts } from './turn-parts.ts';

/** How long a call is at work before that is told, and told again. */
export const TELL_WORK_MS = 5_000;

/**
 * Tells whoever watches, every few seconds, that a call is still at work. The function that comes back ends it; undefined
 * where nobody watches when the call begins.
 */
export function tellWork(turn: TurnParts, callId: string): (() => void) | undefined {
  if (!turn.shows('tool.progress')) return undefined;
  const over = new AbortController();
  void tell(turn, callId, over.signal);
  // Without a reason of its own an abort makes an error, with its stack, in every call.
  return () => over.abort('over');
}

async function tell(turn: TurnParts, callId: string, signal: AbortSignal): Promise<void> {
  const startedAt = turn.clock.now();
  for (;;) {
    try {
      await turn.clock.sleep(TELL_WORK_MS, { signal });
    } catch {
      return;
    }
    // The clock may have woken this just before the call ended.
    if (signal.aborted) return;
    turn.show(() => ({
      type: 'tool.progress',
      sessionId: turn.sessionId,
      turnId: turn.turnId,
      after: turn.state.cursor,
      callId,
      progress: null,
      elapsedMs: turn.clock.now() - startedAt,
    }));
  }
}
