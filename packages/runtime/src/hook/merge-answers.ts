import type { JsonObject, JsonValue, PermissionUpdate } from '@rondo/protocol';
import { canonicalJson } from '@rondo/protocol/values';
import type { HookAnswer, HookEvent } from './event-hook.ts';
import type { EventOutcome } from './event-outcome.ts';
import { eventRules } from './event-rule.ts';

/** What one hook said, in the order of its binding. */
export interface HookSaid {
  readonly hook: string;
  readonly outcome: EventOutcome;
}

/** What all hooks of an event come to. */
export interface HookVerdict {
  /** The strictest of what was decided; `deny` stands for a block too. Absent: none had an opinion. */
  readonly decision?: 'allow' | 'ask' | 'defer' | 'deny';
  /** Why, of all those that decided so, in their order. */
  readonly reason?: string;
  /** The first of them. */
  readonly hook?: string;
  /** Other arguments. An allow counts for these, or it is none. */
  readonly updatedInput?: JsonObject;
  readonly updatedToolOutput?: JsonValue;
  readonly updatedPermissions?: readonly PermissionUpdate[];
  readonly interrupt?: boolean;
  readonly contexts: readonly string[];
  /** A hook that wants the turn ended. */
  readonly stop?: { readonly hook: string; readonly reason?: string };
}

export const noVerdict: HookVerdict = { contexts: [] };

const strictness = ['allow', 'ask', 'defer', 'deny'] as const;
type Decision = (typeof strictness)[number];

interface Opinion {
  readonly hook: string;
  readonly decision: Decision;
  readonly reason?: string;
  /** The arguments that it was about. */
  readonly input?: JsonObject | undefined;
}

/**
 * Merges by the strictest: deny, and block, before defer before ask before allow. Contexts are joined in the hooks'
 * order. Of results put in place the last counts. Arguments count of those that do not deny; where two put different ones
 * in place that is a denial, since what made the call safe for one may be what the other left out. An allow is for the
 * arguments that its hook saw or put in place: it is none for those of another hook.
 * @param input what the hooks were asked about, where it can be rewritten
 */
export function mergeAnswers(event: HookEvent, said: readonly HookSaid[], input?: JsonObject): HookVerdict {
  const opinions = said.flatMap((one) => opinionOf(event, one, input) ?? []);
  const answers = said.flatMap(({ hook, outcome }) => (outcome.type === 'answer' ? [{ hook, ...outcome.answer }] : []));
  const placing = answers.filter(({ decision }) => decision !== 'deny' && decision !== 'block');
  // What was given back as it came is no rewrite.
  const rewriting = placing.filter(({ updatedInput: put }) => put !== undefined && !isSame(put, input));
  const updatedInput = rewriting.at(-1)?.updatedInput;
  const updatedToolOutput = placing.findLast((answer) => answer.updatedToolOutput !== undefined)?.updatedToolOutput;
  const final = updatedInput ?? input;
  const permissions = answers.flatMap(({ decision, updatedPermissions = [], updatedInput: put = input }) =>
    decision === 'allow' && isSame(put, final) ? updatedPermissions : [],
  );
  const stopping = answers.find((answer) => answer.continue === false);
  const decided = strictestOf([...opinions, ...conflictOf(rewriting)], final);
  return {
    ...decided,
    ...(updatedInput === undefined ? {} : { updatedInput }),
    ...(updatedToolOutput === undefined ? {} : { updatedToolOutput }),
    ...(decided.decision === 'allow' && permissions.length > 0 ? { updatedPermissions: permissions } : {}),
    ...(decided.decision === 'deny' && answers.some(isInterrupting) ? { interrupt: true } : {}),
    contexts: answers.flatMap(({ additionalContext }) =>
      additionalContext === undefined || additionalContext === '' ? [] : [additionalContext],
    ),
    ...(stopping === undefined
      ? {}
      : {
          stop: {
            hook: stopping.hook,
            ...(stopping.stopReason === undefined ? {} : { reason: stopping.stopReason }),
          },
        }),
  };
}

function opinionOf(event: HookEvent, { hook, outcome }: HookSaid, input: JsonObject | undefined): Opinion | undefined {
  const rule = eventRules[event];
  if (outcome.type === 'failed') {
    if (rule.failsClosed !== true || outcome.failOpen) return undefined;
    return { hook, decision: 'deny', reason: `the hook "${hook}" ${outcome.message}` };
  }
  const { decision, reason, updatedInput = input } = outcome.answer;
  const meant = decision === 'block' ? 'deny' : decision;
  if (meant === undefined || !rule.decisions.includes(meant)) return undefined;
  return { hook, decision: meant, input: updatedInput, ...(reason === undefined || reason === '' ? {} : { reason }) };
}

/** The denial of a call for which hooks have put different arguments in place. */
function conflictOf(rewriting: readonly ({ readonly hook: string } & HookAnswer)[]): Opinion[] {
  const [first, ...others] = rewriting;
  const other = others.find(({ updatedInput }) => !isSame(updatedInput, first?.updatedInput));
  if (first === undefined || other === undefined) return [];
  const reason = `the hooks "${first.hook}" and "${other.hook}" put different arguments in place`;
  return [{ hook: other.hook, decision: 'deny', reason }];
}

function strictestOf(
  opinions: readonly Opinion[],
  final: JsonObject | undefined,
): Pick<HookVerdict, 'decision' | 'reason' | 'hook'> {
  const counting = opinions.filter(({ decision, input }) => decision !== 'allow' || isSame(input, final));
  const level = Math.max(...counting.map(({ decision }) => strictness.indexOf(decision)));
  const decision = strictness[level];
  if (decision === undefined) return {};
  const deciding = counting.filter((opinion) => opinion.decision === decision);
  const reasons = deciding.flatMap(({ reason }) => reason ?? []);
  const [first] = deciding;
  return {
    decision,
    ...(reasons.length === 0 ? {} : { reason: reasons.join('\n') }),
    ...(first === undefined ? {} : { hook: first.hook }),
  };
}

function isSame(one: JsonObject | undefined, other: JsonObject | undefined): boolean {
  return one === other || (one !== undefined && other !== undefined && canonicalJson(one) === canonicalJson(other));
}

function isInterrupting({ decision, interrupt }: HookAnswer): boolean {
  return interrupt === true && (decision === 'deny' || decision === 'block');
}
