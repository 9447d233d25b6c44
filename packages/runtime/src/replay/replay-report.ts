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

/** A call that today's hooks and policy decide otherwise than it was decided. */
export interface DecisionChange {
  readonly seq: number;
  readonly sessionId: string;
  readonly turnId: string;
  readonly callId: string;
  readonly tool: string;
  readonly recorded: Verdict;
  readonly today: Verdict;
}

/** What a hook decided. */
export interface HookVerdict {
  /** `continue`, `skip`, `retry`, `reject`, `ask` or `failed`. */
  readonly type: string;
  /** In words: why, the feedback of a retry, how it failed. */
  readonly reason?: string;
  /** How it failed: `threw`, `timeout`, `foreign`, `input`. */
  readonly failure?: string;
  /** It put something else in place of what it judged. */
  readonly replaced?: true;
  /** What it put there, where that is known. */
  readonly put?: JsonValue;
}

/** A hook that decides otherwise today than at the same place of the log. */
export interface HookChange {
  readonly seq: number;
  readonly sessionId: string;
  readonly turnId: string;
  /** The point of the turn, such as `preToolCall`. */
  readonly point: string;
  readonly hook: string;
  /** Of the call that it judges, where it judges one. */
  readonly callId?: string;
  readonly tool?: string;
  /** Absent where the log has no run of it there. */
  readonly recorded?: HookVerdict;
  /** Absent where it is gone. */
  readonly today?: HookVerdict;
  /**
   * `differs`: it ran then and decides otherwise today. `gone`: what it decided then nobody decides today. `new`: it decides
   * something where it did not run then; `unreached`, since a hook before it had stopped what it judges.
   */
  readonly reason: 'differs' | 'gone' | 'new' | 'unreached';
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
  /** In behavioural mode: runs of today's hooks. */
  readonly hookRuns: number;
  /** The first one; the session's replay ended there. */
  readonly divergence?: Divergence;
  /** In behavioural mode: every call that is decided otherwise today. */
  readonly changes: readonly DecisionChange[];
  /** In behavioural mode: every run of a hook that decides otherwise today. */
  readonly hookChanges: readonly HookChange[];
  /** What was taken as the log has it, since nothing was there to compare it with; and what was not recorded. */
  readonly notes: readonly string[];
}
