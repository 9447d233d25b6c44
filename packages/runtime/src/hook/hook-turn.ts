import type { Clock } from '../event/clock.ts';
import type { EventDraft } from '../event/event-draft.ts';
import type { SessionState } from '../event/session-state.ts';

/** What hooks need of the turn they run in. */
export interface HookTurn {
  readonly sessionId: string;
  readonly turnId: string;
  readonly state: SessionState;
  readonly clock: Clock;
  readonly sha256: (text: string) => string;
  readonly signal: AbortSignal;
  readonly emit: (drafts: readonly EventDraft[]) => unknown;
}
