import type { HandlerWork } from '../handlers/answer-question.ts';

/** The handlers that a wait has at work. */
export interface HandlersAtWork {
  add(work: HandlerWork): void;
  isBusy(): boolean;
}

export interface HandlersAtWorkOptions {
  readonly stopClock: () => () => void;
  /** The last of them is done: what is open now has to be looked at anew. */
  readonly onIdle: () => void;
  readonly fail: (error: unknown) => void;
}

/** A failure ends the wait at once; the others go on, and what they answer counts. */
export function createHandlersAtWork({ stopClock, onIdle, fail }: HandlersAtWorkOptions): HandlersAtWork {
  const outcomes = new Set<Promise<unknown>>();
  return {
    add({ outcome, isClientTool }) {
      if (outcomes.has(outcome)) return;
      outcomes.add(outcome);
      const goOn = isClientTool ? stopClock() : undefined;
      outcome.then(
        () => {
          goOn?.();
          outcomes.delete(outcome);
          if (outcomes.size === 0) onIdle();
        },
        (error: unknown) => {
          goOn?.();
          outcomes.delete(outcome);
          fail(error);
        },
      );
    },
    isBusy: () => outcomes.size > 0,
  };
}
