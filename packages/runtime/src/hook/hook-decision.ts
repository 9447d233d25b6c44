import type { ContentBlock, JsonObject, JsonValue } from '@rondo/protocol';

const mark = Symbol.for('rondo.hook-decision.v0');

/** Words, or content blocks. */
export type Reason = string | readonly ContentBlock[];

/** What the model is to read in place of a tool's result. */
export type ReplacedResult =
  | string
  | readonly ContentBlock[]
  | { readonly content: string | readonly ContentBlock[]; readonly structured?: JsonValue; readonly isError?: boolean };

export interface Change {
  /** `preAgentTurn`: what the model sees in place of what the user said. */
  readonly userContent?: Reason;
  /** `preToolCall`: other arguments. They are checked and judged as if the model had written them. */
  readonly arguments?: JsonObject;
  /** `postToolCall`: another result. */
  readonly result?: ReplacedResult;
  /** `postAgentTurn`: another final answer. */
  readonly text?: string;
}

export interface Continue extends Change {
  readonly type: 'continue';
}
export interface Skip {
  readonly type: 'skip';
  readonly reason: Reason;
}
export interface Retry {
  readonly type: 'retry';
  readonly feedback: Reason;
}
export interface Reject {
  readonly type: 'reject';
  readonly reason: Reason;
}
export interface Ask {
  readonly type: 'ask';
  readonly reason: string;
}
export type HookDecision = Continue | Skip | Retry | Reject | Ask;

/** Goes on, with what the point may change put in place. */
export function continueWith(change: Change = {}): Continue {
  return branded({ ...change, type: 'continue' });
}

/** Takes the reply as it is. */
export function accept(): Continue {
  return continueWith();
}

/** Stops the turn, the model call or the tool call, by the point it is returned from. */
export function skip(reason: Reason): Skip {
  return branded({ type: 'skip', reason });
}

/** Drops the reply and asks the model again, which is told the feedback. */
export function retry(feedback: Reason): Retry {
  return branded({ type: 'retry', feedback });
}

/** Drops the reply and ends the turn. */
export function reject(reason: Reason): Reject {
  return branded({ type: 'reject', reason });
}

/** Has a person asked before the call runs, once: the answer never holds for the session. */
export function ask(reason: string): Ask {
  return branded({ type: 'ask', reason });
}

/** True for what these functions of any copy of this package made. */
export function isHookDecision(value: unknown): value is HookDecision {
  return typeof value === 'object' && value !== null && mark in value;
}

function branded<Decision extends HookDecision>(decision: Decision): Decision {
  Object.defineProperty(decision, mark, { value: true });
  return Object.freeze(decision);
}
