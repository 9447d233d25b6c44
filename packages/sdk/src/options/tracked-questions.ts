import type { AllowAnswer, DenyAnswer, OpenApproval } from '@rondo/protocol';
import type { Asker } from '@rondo/runtime';

/** Questions that were put to the program and are not settled. */
export interface TrackedQuestions {
  /** Asks as the function does, and keeps what is open. */
  readonly asker: Asker;
  /** Asks all of them again. The first answer to each counts, whichever call it comes of. */
  askAgain(answer: (callbackId: string, answer: AllowAnswer | DenyAnswer, by: string) => Promise<void>): void;
}

interface OpenQuestion {
  readonly callback: OpenApproval;
  readonly signal: AbortSignal;
}

export function trackQuestions(asker: Asker): TrackedQuestions {
  const open = new Map<string, OpenQuestion>();

  async function again(
    { callback, signal }: OpenQuestion,
    answer: Parameters<TrackedQuestions['askAgain']>[0],
  ): Promise<void> {
    try {
      const said = await asker.ask(callback, { signal });
      if (said !== undefined && !signal.aborted) await answer(callback.id, said, asker.name);
    } catch {
      // The question stays open, as it was.
    }
  }

  return {
    asker: {
      ...asker,
      async ask(callback, { signal }) {
        open.set(callback.id, { callback, signal });
        signal.addEventListener('abort', () => open.delete(callback.id), { once: true });
        return await asker.ask(callback, { signal });
      },
    },
    askAgain(answer) {
      for (const question of open.values()) void again(question, answer);
    },
  };
}
