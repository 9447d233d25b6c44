import { isDone, type RunState, type WorkingRun } from './run-state.ts';
import type { InterruptOptions, InterruptReceipt } from './query-methods.ts';

/** Tells a turn to stop. */
export function interruptTurn(run: WorkingRun, turnId: string): void {
  // That it has ended meanwhile is what was wanted.
  run.session
    .turn(turnId)
    .interrupt()
    .catch(() => {});
}

async function interruptCurrent(run: WorkingRun, state: RunState): Promise<void> {
  const turnId = run.work.turnId() ?? (await state.sending)?.id;
  if (turnId !== undefined) interruptTurn(run, turnId);
}

/** Ends the query: nothing more is said or shown, and the turn at work is told to stop. */
export async function windDown(run: WorkingRun, state: RunState): Promise<void> {
  state.windingDown = true;
  state.inputEnd.resolve();
  await interruptCurrent(run, state);
  dropSuggestion(run, state);
}

/** Nothing but a suggestion may have been waited for. */
function dropSuggestion(run: WorkingRun, state: RunState): void {
  if (!state.suggestion.pending()) return;
  state.suggestion.drop();
  if (isDone(run, state)) void run.events.return?.();
}

/** Ends the following of the session; its turn is stopped without a trace when the runtime is given back. */
export async function leaveSession(run: WorkingRun, state: RunState): Promise<void> {
  state.inputEnd.resolve();
  await run.events.return?.();
}

/** Tells the turn at work to stop; the session goes on with what waits. */
export async function interruptRun(
  run: WorkingRun,
  state: RunState,
  { cancelQueued = false }: InterruptOptions = {},
): Promise<InterruptReceipt> {
  const cancelled = cancelQueued ? await takeBackQueued(run) : [];
  const queued = run.work.queued().filter((messageId) => !cancelled.includes(messageId));
  await interruptCurrent(run, state);
  dropSuggestion(run, state);
  return { still_queued: queued, ...(cancelQueued ? { cancelled } : {}) };
}

/** Before the turn is stopped, since what waits would start with its end. */
async function takeBackQueued(run: WorkingRun): Promise<string[]> {
  const named = new Set(run.work.queued());
  const outcomes = await Promise.all(
    run.work.waiting().map(async (messageId) => ({ messageId, taken: await run.session.cancelMessage(messageId) })),
  );
  return outcomes.flatMap(({ messageId, taken }) => (taken !== undefined && named.has(messageId) ? [messageId] : []));
}
