import type { AnyEvent } from '@rondo/protocol';
import { applyEvent } from '../event/apply-event.ts';
import type { SessionState } from '../event/session-state.ts';
import type { Binding } from '../turn/binding.ts';
import type { LaneFindings } from './lane-findings.ts';
import type { ReplayWorld } from './replay-owner.ts';

/** What one session of a log keeps from turn to turn of its replay. */
export interface LaneState {
  readonly state: SessionState;
  readonly world: ReplayWorld;
  /** The program that the session runs with, where the caller has it; as the turn has it, where that was customized. */
  bound: Binding | undefined;
  /** Whether that is the program of then. */
  readonly isSameAgent: boolean;
  readonly findings: LaneFindings;
  /** Whether the session began as a fork: what it took along was said elsewhere. */
  isFork: boolean;
  /** What was said since the last request that was as it had been. */
  facts: AnyEvent[];
}

export function applyFact({ state, facts }: LaneState, event: AnyEvent): void {
  applyEvent(state, event);
  if (event.type === 'entry.completed' || event.type === 'tool.completed') facts.push(event);
}
