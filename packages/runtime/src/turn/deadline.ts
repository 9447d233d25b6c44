import type { TurnParts } from './turn-parts.ts';

/** The longest that a timer can be set to. */
const LONGEST_SLEEP_MS = 2 ** 31 - 1;

export interface Deadline {
  /** The turn, whose questions stop its time. */
  readonly turn: TurnParts;
  end(): void;
}

/** Milliseconds that the turn has been at work, as far as its log says, and since then here. */
export function workedMs({ state, clock }: TurnParts): number {
  const active = state.active;
  if (active === undefined) return 0;
  return active.workedMs + (active.blocked ? 0 : Math.max(0, clock.now() - active.measuredAt));
}

/**
 * Stops the turn when it has worked as long as it may. While a question is open no time goes by; nor did any while no
 * process had the turn. Costs nothing where no time is set.
 */
export function startDeadline(turn: TurnParts): Deadline {
  const limit = turn.state.active?.limits.maxDurationMs;
  if (limit === undefined) return { turn, end: () => {} };
  let asking = 0;
  let running = new AbortController();

  async function run(signal: AbortSignal): Promise<void> {
    try {
      for (;;) {
        const left = (limit ?? 0) - workedMs(turn);
        if (left <= 0) break;
        // A question that somebody else asks for the turn, as a subagent does, is looked for now and then.
        const next = turn.state.active?.blocked === true ? Math.max(left, 1000) : left;
        await turn.clock.sleep(Math.min(next, LONGEST_SLEEP_MS), { signal });
      }
    } catch {
      // A question stopped the time, or the turn is over.
      return;
    }
    turn.stop('max_duration');
  }

  const ask: TurnParts['ask'] = async (callback) => {
    asking += 1;
    running.abort();
    try {
      return await turn.ask(callback);
    } finally {
      asking -= 1;
      if (asking === 0) {
        running = new AbortController();
        void run(running.signal);
      }
    }
  };
  void run(running.signal);
  return { turn: { ...turn, ask }, end: () => running.abort() };
}
