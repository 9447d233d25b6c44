import type { StreamEvent } from '@rondo/protocol';

/** Whether a turn has completed and what may be said next is still to come. */
export interface AwaitedSuggestion {
  see(event: StreamEvent): void;
  pending(): boolean;
  /** Nobody waits for it any more. */
  drop(): void;
}

/** @param wanted false where none is asked for: then nothing is ever waited for */
export function createAwaitedSuggestion(wanted: boolean): AwaitedSuggestion {
  let pending = false;
  return {
    see(event) {
      if (!wanted) return;
      if (event.type === 'turn.ended') pending = event.record.type === 'completed';
      // Who says more meanwhile is given none.
      else if (event.type === 'turn.started' || event.type === 'prompt.suggested') pending = false;
    },
    pending: () => pending,
    drop() {
      pending = false;
    },
  };
}
