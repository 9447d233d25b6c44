/** How a handler's work on a question ended. */
export type WorkEnd = 'answered' | 'kept';

interface Work {
  state: 'running' | 'failed' | WorkEnd;
  outcome: Promise<WorkEnd>;
  /** Who decided to leave the question to others. */
  readonly keptBy: WeakSet<object>;
  /** The last wait that had begun when it failed: waits up to there share the failure. */
  failedIn: number;
}

/** What is kept of questions that were dealt with, so that a read from before the answer asks nobody again. */
const KEPT = 4096;

/** By place, session and question, for all clients of this process. */
const works = new Map<string, Work>();
let waits = 0;

/** A number for a wait, greater than those of all before it. */
export function numberWait(): number {
  waits += 1;
  return waits;
}

export interface WorkRequest {
  readonly wait: number;
  /** Whoever would be asked. */
  readonly handler: object;
  readonly run: () => Promise<WorkEnd>;
}

/**
 * Puts a question to its handler once, however many waits come with it: those that come while the handler is at work get
 * the same outcome, those after an answer need none. A handler that left the question to others is not asked again; one
 * that failed is asked again by waits that begin after that.
 */
export function workOn(key: string, { wait, handler, run }: WorkRequest): WorkEnd | Promise<WorkEnd> {
  const known = works.get(key);
  if (known?.state === 'running') return known.outcome;
  if (known?.state === 'answered') return 'answered';
  if (known?.state === 'kept' && known.keptBy.has(handler)) return 'kept';
  if (known?.state === 'failed' && wait <= known.failedIn) return known.outcome;
  // Not at once: whoever waits stops its clock first, and what the handler does by itself is known to be at work.
  const outcome = Promise.resolve().then(run);
  const work: Work = { state: 'running', outcome, keptBy: known?.keptBy ?? new WeakSet(), failedIn: 0 };
  works.delete(key);
  works.set(key, work);
  outcome.then(
    (end) => {
      work.state = end;
      if (end === 'kept') work.keptBy.add(handler);
      forgetOldest();
    },
    () => {
      work.state = 'failed';
      work.failedIn = waits;
      forgetOldest();
    },
  );
  return outcome;
}

function forgetOldest(): void {
  for (const [key, { state }] of works) {
    if (works.size <= KEPT) return;
    if (state !== 'running') works.delete(key);
  }
}
