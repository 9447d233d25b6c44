import type { StreamEvent } from '@rondo/protocol';
import { isDone, type RunState, type WorkingRun } from './run-state.ts';
import { interruptTurn } from './stop-turn.ts';

/** Shows what happens until nothing more can. */
export async function showEvents(run: WorkingRun, state: RunState): Promise<void> {
  const { lines } = state;
  lines.put(run.firstLines);
  run.watch?.((line) => lines.put([line]));
  for (;;) {
    const { done, value: event } = await run.events.next();
    if (done === true) return;
    for (let next: StreamEvent | undefined = event; next !== undefined; next = run.events.takeWaiting?.()) {
      see(run, state, next);
      if (isDone(run, state)) return;
    }
  }
}

function see(run: WorkingRun, state: RunState, event: StreamEvent): void {
  run.work.see(event);
  state.suggestion.see(event);
  if (!state.windingDown) show(run, state, event);
  else if (event.type === 'turn.started') interruptTurn(run, event.turnId);
}

function show(run: WorkingRun, state: RunState, event: StreamEvent): void {
  const said = run.projection.push(event);
  const shown = run.lifecycle?.around(event, said) ?? said;
  // The end of a turn of which nothing was shown is no news.
  if (shown.length === 0 || (event.type === 'turn.ended' && event.turnId === run.parkedTurnId)) return;
  for (const line of shown) if (line.type === 'result') state.lastResult = line;
  // The budget is the query's, not the turn's: what would come next could not be paid for.
  if (state.lastResult?.subtype === 'error_max_budget_usd') state.inputEnd.resolve();
  state.lines.put(shown);
}
