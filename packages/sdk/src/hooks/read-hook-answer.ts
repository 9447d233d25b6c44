import type { JsonObject, JsonValue, PermissionUpdate } from '@rondo/protocol';
import type { HookAnswer, HookEvent } from '@rondo/runtime';
import { isRecord } from '../is-record.ts';
import { readPermissionUpdates } from '../permissions/read-permission-updates.ts';
import { hookEventFacts } from './hook-event-facts.ts';
import { noteUnknownFields, takeField, takeText, type AnswerFields } from './hook-answer-fields.ts';

export interface ReadAnswer {
  readonly answer: HookAnswer;
  /** What its author should know: what was read tolerantly, and what has no effect. */
  readonly notices: readonly string[];
}

export interface ReadAnswerOptions {
  /**
   * False when it cannot be told that the hook itself said it, as with an object among other text: what it refuses counts,
   * what it grants does not.
   */
  readonly mayGrant?: boolean;
}

type Decision = NonNullable<HookAnswer['decision']>;

interface Verdict {
  readonly decision: Decision;
  readonly reason?: string | undefined;
  readonly updatedInput?: JsonObject | undefined;
  readonly updatedPermissions?: readonly PermissionUpdate[] | undefined;
  readonly interrupt?: boolean;
}

const strictness: Readonly<Record<Decision, number>> = { allow: 1, ask: 2, defer: 3, block: 4, deny: 4 };

/**
 * Reads the JSON output of a hook. It is strict about what grants (an allowance, rewritten arguments, permissions): that
 * counts only in the documented place and spelling. It is lenient about what refuses or describes: a denial counts however
 * it is written, and what is not understood is named in a notice.
 * @throws Error when it says something about the decision that is not understood: such a hook has failed.
 */
export async function readHookAnswer(
  event: HookEvent,
  value: unknown,
  { mayGrant = true }: ReadAnswerOptions = {},
): Promise<ReadAnswer> {
  if (value === undefined || value === null) return { answer: {}, notices: [] };
  const fields = openFields(event, value, mayGrant);
  const verdict = await strictestVerdict(fields);
  const answer: HookAnswer = {
    ...decisionOf(fields, verdict),
    ...rewriteOf(fields, verdict),
    ...continuationOf(fields),
    ...toolOutputOf(fields),
    ...contextOf(fields),
    ...messageOf(fields, verdict),
  };
  noteUnknownFields(fields);
  return { answer, notices: fields.notices };
}

function openFields(event: HookEvent, value: unknown, mayGrant: boolean): AnswerFields {
  if (!isRecord(value)) throw new TypeError(`it answered ${kindOf(value)}, not an object`);
  const notices: string[] = [];
  const own = value['hookSpecificOutput'] ?? value['hook_specific_output'];
  if (own !== undefined && own !== null && !isRecord(own))
    throw new TypeError(`hookSpecificOutput is ${kindOf(own)}, not an object`);
  const specific = isRecord(own) ? own : undefined;
  const named = specific?.['hookEventName'];
  if (specific !== undefined && named !== event) {
    const found = named === undefined ? 'is missing' : `is ${JSON.stringify(named) ?? kindOf(named)}`;
    notices.push(`hookSpecificOutput.hookEventName ${found}; write ${event}, or nothing in it is granted`);
  }
  const isExact = mayGrant && named === event && value['hookSpecificOutput'] === own;
  return { event, whole: value, specific, notices, mayGrant, mayGrantSpecific: isExact, used: new Set() };
}

/** Of all that it says about the decision, for hooks are written by hand and say it twice. */
async function strictestVerdict(fields: AnswerFields): Promise<Verdict | undefined> {
  const verdicts = [permissionDecision(fields), await requestDecision(fields), topDecision(fields), homeMade(fields)];
  return verdicts.reduce<Verdict | undefined>(
    (strictest, each) =>
      each !== undefined && (strictest === undefined || strictness[each.decision] > strictness[strictest.decision])
        ? each
        : strictest,
    undefined,
  );
}

/** `hookSpecificOutput.permissionDecision`, of `PreToolUse`. */
function permissionDecision(fields: AnswerFields): Verdict | undefined {
  const { event, notices } = fields;
  const found = takeField(fields, 'permissionDecision', 'specific');
  const reason = takeText(fields, 'permissionDecisionReason', 'specific');
  if (found === undefined) return undefined;
  const { value } = found;
  if (value !== 'allow' && value !== 'deny' && value !== 'ask' && value !== 'defer')
    throw unknownDecision('permissionDecision', value, 'allow, deny, ask or defer');
  if (value === 'deny') return { decision: 'deny', reason };
  if (event !== 'PreToolUse') {
    notices.push(`permissionDecision: ${value} has no effect at ${event}`);
    return undefined;
  }
  if (value !== 'allow' || found.mayGrant) return { decision: value, reason };
  notices.push('its permissionDecision: allow does not count, because it is not the documented output');
  return undefined;
}

/** `hookSpecificOutput.decision`, of `PermissionRequest`. */
async function requestDecision(fields: AnswerFields): Promise<Verdict | undefined> {
  const { event, notices } = fields;
  const inPlace = fields.specific?.['decision'];
  const misplaced = fields.whole['decision'];
  const decision = isRecord(inPlace) ? inPlace : isRecord(misplaced) ? misplaced : undefined;
  if (decision === undefined) return undefined;
  const { behavior } = decision;
  if (behavior !== 'allow' && behavior !== 'deny')
    throw unknownDecision('decision.behavior', behavior, 'allow or deny');
  if (behavior === 'deny') {
    const reason = [decision['message'], decision['reason']].find((text) => typeof text === 'string');
    return { decision: 'deny', reason, ...(decision['interrupt'] === true ? { interrupt: true } : {}) };
  }
  if (event !== 'PermissionRequest' || decision !== inPlace || !fields.mayGrantSpecific) {
    notices.push('its decision.behavior: allow does not count, because it is not the documented output of this event');
    return undefined;
  }
  return {
    decision: 'allow',
    updatedInput:
      decision['updatedInput'] === undefined ? undefined : jsonObject('updatedInput', decision['updatedInput']),
    updatedPermissions:
      decision['updatedPermissions'] === undefined
        ? undefined
        : await readPermissionUpdates(decision['updatedPermissions']),
  };
}

/** The top-level `decision` of the older form. */
function topDecision(fields: AnswerFields): Verdict | undefined {
  const { event, notices } = fields;
  const found = takeField(fields, 'decision', 'whole');
  const written = typeof found?.value === 'object' ? undefined : found?.value;
  const value =
    written ?? (typeof fields.specific?.['decision'] === 'string' ? fields.specific['decision'] : undefined);
  if (value === undefined) return undefined;
  const reason = plainReason(fields);
  if (value === 'block' || value === 'deny') return { decision: 'deny', reason };
  if (value === 'ask' && event === 'PreToolUse') return { decision: 'ask', reason };
  if (value === 'approve' && event === 'PreToolUse' && fields.mayGrant && value === written)
    return { decision: 'allow', reason };
  if (value !== 'approve' && value !== 'allow' && value !== 'ask')
    throw unknownDecision('decision', value, 'approve or block');
  if (event === 'PreToolUse' || event === 'PermissionRequest')
    notices.push(`decision: ${value} does not count here; use hookSpecificOutput of ${event}`);
  return undefined;
}

/** `{ "block": true, "message": … }`, which no reference knows and people write. */
function homeMade(fields: AnswerFields): Verdict | undefined {
  const found = takeField(fields, 'block', 'whole');
  if (found === undefined || found.value === false) return undefined;
  fields.notices.push('block is read as decision: "block"; write that');
  return { decision: 'deny', reason: plainReason(fields) };
}

function plainReason(fields: AnswerFields): string | undefined {
  const { whole } = fields;
  if (typeof whole['reason'] === 'string') return whole['reason'];
  if (typeof whole['message'] !== 'string') return undefined;
  fields.used.add('whole.message');
  return whole['message'];
}

/** The decision in the words of the event. */
function decisionOf({ event, notices }: AnswerFields, verdict: Verdict | undefined): HookAnswer {
  if (verdict === undefined) return {};
  const { power } = hookEventFacts[event];
  const refuses = verdict.decision === 'deny' || verdict.decision === 'block';
  if (refuses && power === 'tells') {
    notices.push(`nothing can be blocked at ${event}`);
    return {};
  }
  return {
    decision: refuses ? (power === 'guards' ? 'deny' : 'block') : verdict.decision,
    ...(verdict.reason === undefined ? {} : { reason: verdict.reason }),
    ...(verdict.interrupt === true && event === 'PermissionRequest' ? { interrupt: true } : {}),
  };
}

/** Other arguments. A rewrite that cannot be applied is a failure, not left out: it may have been what made the call safe. */
function rewriteOf(fields: AnswerFields, verdict: Verdict | undefined): HookAnswer {
  const { event, notices } = fields;
  const found = takeField(fields, 'updatedInput', 'specific');
  const stops = verdict !== undefined && verdict.decision !== 'allow' && verdict.decision !== 'ask';
  if (event === 'PermissionRequest') {
    if (found !== undefined && verdict?.decision === 'allow') throw unusableRewrite();
    return {
      ...(verdict?.updatedInput === undefined ? {} : { updatedInput: verdict.updatedInput }),
      ...(verdict?.updatedPermissions === undefined ? {} : { updatedPermissions: verdict.updatedPermissions }),
    };
  }
  if (found === undefined || found.value === null || stops) return {};
  if (event !== 'PreToolUse') {
    notices.push(`updatedInput has no effect at ${event}`);
    return {};
  }
  if (!found.mayGrant) throw unusableRewrite();
  return { updatedInput: jsonObject('updatedInput', found.value) };
}

function continuationOf(fields: AnswerFields): HookAnswer {
  const found = takeField(fields, 'continue', 'whole');
  const stopReason = takeText(fields, 'stopReason', 'whole');
  if (found === undefined || found.value === null || found.value === true) return {};
  if (found.value !== false) throw new TypeError(`continue is ${JSON.stringify(found.value)}, not true or false`);
  return { continue: false, ...(stopReason === undefined ? {} : { stopReason }) };
}

function toolOutputOf(fields: AnswerFields): HookAnswer {
  const { event, notices } = fields;
  const former = takeField(fields, 'updatedMCPToolOutput', 'specific');
  const found = takeField(fields, 'updatedToolOutput', 'specific') ?? former;
  if (found === undefined) return {};
  if (event !== 'PostToolUse') {
    notices.push(`updatedToolOutput has no effect at ${event}`);
    return {};
  }
  return { updatedToolOutput: jsonValue('updatedToolOutput', found.value) };
}

function contextOf(fields: AnswerFields): HookAnswer {
  const { event, notices } = fields;
  const additionalContext = takeText(fields, 'additionalContext', 'specific');
  if (additionalContext === undefined || additionalContext === '') return {};
  if (hookEventFacts[event].context === true) return { additionalContext };
  notices.push(`additionalContext has no effect at ${event}`);
  return {};
}

function messageOf(fields: AnswerFields, verdict: Verdict | undefined): HookAnswer {
  const said = takeText(fields, 'systemMessage', 'whole');
  // Where nothing can be blocked, the person is at least told why the hook wanted to.
  const wanted = hookEventFacts[fields.event].power === 'tells' ? verdict?.reason : undefined;
  const systemMessage = said ?? wanted;
  const suppress = takeField(fields, 'suppressOutput', 'whole');
  return {
    ...(systemMessage === undefined || systemMessage === '' ? {} : { systemMessage }),
    ...(suppress?.value === true ? { suppressOutput: true } : {}),
  };
}

function unknownDecision(field: string, value: unknown, known: string): TypeError {
  return new TypeError(`${field} is ${JSON.stringify(value) ?? kindOf(value)}, not ${known}`);
}

function unusableRewrite(): TypeError {
  return new TypeError(
    'it gives other arguments (updatedInput), but not as its whole output in the documented form, so they cannot be used',
  );
}

/** What a program gives back may hold what no log can carry; what runs is exactly what is stored. */
function jsonValue(field: string, value: unknown): JsonValue {
  let text: string | undefined;
  try {
    text = JSON.stringify(value);
  } catch (cause) {
    throw new TypeError(`${field} cannot be written as JSON`, { cause });
  }
  if (text === undefined) throw new TypeError(`${field} is ${kindOf(value)}, which JSON cannot carry`);
  return JSON.parse(text) as JsonValue;
}

function jsonObject(field: string, value: unknown): JsonObject {
  const copy: unknown = jsonValue(field, value);
  if (isRecord(copy)) return copy as JsonObject;
  throw new TypeError(`${field} is ${kindOf(value)}, not an object`);
}

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'string') return 'a text';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}
