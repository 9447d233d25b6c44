import type { ContentBlock, JsonObject, JsonValue } from '@rondo/protocol';
import { checkContent, kindOf } from '../tool/checked-content.ts';
import { type HookDecision, isHookDecision, type Reason, type ReplacedResult } from './hook-decision.ts';
import type { HookPoint } from './loop-hook.ts';

/** How a hook failed: it threw, took too long, returned what the point does not know, or its session input does not fit. */
export type HookFailure = 'threw' | 'timeout' | 'foreign' | 'input' | 'arguments';

export interface NewResult {
  readonly content: readonly ContentBlock[];
  readonly structured?: JsonValue;
  /** As it was, where the hook does not say. */
  readonly isError?: boolean;
}

/** What a run of a hook came to. */
export type HookOutcome =
  | {
      readonly type: 'continue';
      readonly userContent?: readonly ContentBlock[];
      readonly arguments?: JsonObject;
      readonly result?: NewResult;
      readonly text?: string;
    }
  | { readonly type: 'skip' | 'reject' | 'retry'; readonly reason: readonly ContentBlock[] }
  | { readonly type: 'ask'; readonly reason: string }
  | { readonly type: 'failed'; readonly failure: HookFailure; readonly message: string };

interface PointRule {
  readonly decisions: readonly HookDecision['type'][];
  /** What may be put in place there. */
  readonly change?: 'userContent' | 'arguments' | 'result' | 'text';
}

/** What each point knows. Anything else is a failure of the hook. */
export const pointRules: Readonly<Record<HookPoint, PointRule>> = {
  preAgentTurn: { decisions: ['continue', 'skip'], change: 'userContent' },
  preLlmCall: { decisions: ['continue', 'skip'] },
  postLlmCall: { decisions: ['continue', 'retry', 'reject'] },
  preToolCall: { decisions: ['continue', 'skip', 'ask'], change: 'arguments' },
  postToolCall: { decisions: ['continue'], change: 'result' },
  postAgentTurn: { decisions: ['continue'], change: 'text' },
};

const changes = ['userContent', 'arguments', 'result', 'text'] as const;

/** What the returned value means at the point. */
export function outcomeOf(point: HookPoint, returned: unknown): HookOutcome {
  if (returned === undefined) return { type: 'continue' };
  const { decisions, change } = pointRules[point];
  if (!isHookDecision(returned)) return foreign(`returned ${kindOf(returned)}, which is no decision`);
  if (!decisions.includes(returned.type))
    return foreign(`returned ${returned.type}, which ${point} does not know; it knows ${decisions.join(', ')}`);
  try {
    if (returned.type !== 'continue') return stopOf(returned);
    const put = changes.filter((name) => returned[name] !== undefined);
    const stray = put.find((name) => name !== change);
    if (stray !== undefined) return foreign(`returned ${stray}, which ${point} does not change`);
    return {
      type: 'continue',
      ...(returned.userContent === undefined ? {} : { userContent: contentOf(returned.userContent) }),
      ...(returned.arguments === undefined ? {} : { arguments: asJson(returned.arguments) }),
      ...(returned.result === undefined ? {} : { result: newResult(returned.result) }),
      ...(returned.text === undefined ? {} : { text: textOf(returned.text) }),
    };
  } catch (error) {
    return foreign(`returned ${returned.type} with ${error instanceof Error ? error.message : String(error)}`);
  }
}

function stopOf(decision: Exclude<HookDecision, { type: 'continue' }>): HookOutcome {
  if (decision.type === 'ask') return { type: 'ask', reason: textOf(decision.reason) };
  const reason = contentOf(decision.type === 'retry' ? decision.feedback : decision.reason);
  return { type: decision.type, reason };
}

function newResult(result: ReplacedResult): NewResult {
  if (typeof result === 'string' || Array.isArray(result)) return { content: contentOf(result as Reason) };
  const { content, structured, isError } = result as Exclude<ReplacedResult, Reason>;
  if (isError !== undefined && typeof isError !== 'boolean') throw new TypeError('isError that is no boolean');
  return {
    content: contentOf(content),
    ...(structured === undefined ? {} : { structured: asJson(structured) }),
    ...(isError === undefined ? {} : { isError }),
  };
}

/** @throws TypeError for what are no words and no content blocks. */
function contentOf(reason: unknown): readonly ContentBlock[] {
  if (typeof reason === 'string') return [{ type: 'text', text: reason }];
  checkContent(reason);
  return asJson(reason as ContentBlock[]);
}

function textOf(text: unknown): string {
  if (typeof text !== 'string') throw new TypeError(`${kindOf(text)} where words belong`);
  return text;
}

/** A copy that only JSON is in: what the hook does with its own afterwards changes nothing. */
function asJson<Value>(value: Value): Value {
  const json = JSON.stringify(value) as string | undefined;
  if (json === undefined) throw new TypeError(`${kindOf(value)} where JSON belongs`);
  return JSON.parse(json) as Value;
}

function foreign(message: string): HookOutcome {
  return { type: 'failed', failure: 'foreign', message };
}

/** The outcome as the log has it. What was put in place of something else is told by the events beside it. */
export function outcomeRecord(outcome: HookOutcome): JsonObject {
  switch (outcome.type) {
    case 'continue': {
      const { userContent, arguments: args, result, text } = outcome;
      const replaced = userContent !== undefined || result !== undefined || text !== undefined;
      return {
        type: 'continue',
        ...(args === undefined ? {} : { arguments: args }),
        ...(replaced ? { replaced } : {}),
      };
    }
    case 'ask':
      return { type: 'ask', reason: outcome.reason };
    case 'failed':
      return { type: 'failed', failure: outcome.failure, message: outcome.message };
    case 'skip':
    case 'reject':
    case 'retry':
      return { type: outcome.type, reason: reasonText(outcome.reason) };
  }
}

/** What the log says of a hook that ran before. What this version cannot read counts as a failure, never as a leave. */
export function recordedOutcome(record: Readonly<JsonObject>): HookOutcome {
  const { type, arguments: args } = record;
  const text = (name: string): string => {
    const said = record[name];
    return typeof said === 'string' ? said : '';
  };
  switch (type) {
    case 'continue':
      return { type, ...(isObject(args) ? { arguments: args } : {}) };
    case 'skip':
    case 'reject':
    case 'retry':
      return { type, reason: [{ type: 'text', text: text('reason') }] };
    case 'ask':
      return { type, reason: text('reason') };
    case 'failed':
      return { type, failure: text('failure') as HookFailure, message: text('message') };
    default:
      return foreign(`has decided ${JSON.stringify(type ?? null)} in a newer version, which this one does not know`);
  }
}

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A reason in words: its text blocks, and the kinds of the others. */
export function reasonText(reason: readonly ContentBlock[]): string {
  return reason.map((block) => (block.type === 'text' ? block.text : `[${block.type}]`)).join('\n');
}
