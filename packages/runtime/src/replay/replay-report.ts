import type { JsonValue } from '@rondo/protocol';

/** Where a replay went another way than the log. */
export interface Divergence {
  /** The event of the log that is not what the replay made of it. */
  readonly seq: number;
  readonly id: string;
  readonly sessionId: string;
  readonly turnId?: string;
  readonly type: string;
  /** Of the first field that differs: `content[0].text`; empty where it is the event as a whole. */
  readonly path: string;
  /** Undefined where it has no such field. */
  readonly recorded: JsonValue | undefined;
  readonly replayed: JsonValue | undefined;
  /** How it was noticed, where that was not at the event itself. */
  readonly evidence?: string;
}

export interface Verdict {
  readonly decision: string;
  readonly reasonType?: string;
  readonly reason?: string;
  readonly rule?: string;
  readonly source?: string;
}

/** A call that today's policy judges otherwise than it was judged. */
export interface DecisionChange {
  readonly seq: number;
  readonly sessionId: string;
  readonly turnId: string;
  readonly callId: string;
  readonly tool: string;
  readonly recorded: Verdict;
  readonly today: Verdict;
}

export interface ReplayReport {
  readonly sessionId: string;
  readonly mode: 'strict' | 'behavioural';
  /** Events of the log; those of them that the loop made again and that were compared. */
  readonly events: number;
  readonly compared: number;
  readonly turns: number;
  readonly requests: number;
  readonly decisions: number;
  readonly liveCalls: number;
  /** The first one; the session's replay ended there. */
  readonly divergence?: Divergence;
  /** In behavioural mode: every call that is judged otherwise today. */
  readonly changes: readonly DecisionChange[];
  /** What was taken as the log has it, since nothing was there to compare it with; and what was not recorded. */
  readonly notes: readonly string[];
}
