import type { JsonObject, PermissionUpdate } from '@rondo/protocol';
import type { Tool, ToolAccess } from '../tool/tool.ts';
import { callKindOf } from './call-kind.ts';
import type { ClassifierVerdict } from './classifier.ts';
import type { CommandReport } from './cover-line.ts';
import { isInDirectories, isProtectedWrite, type JudgedCall, rulesFor, type SourcedRule } from './judged-call.ts';
import type { JudgedPaths } from './judged-paths.ts';
import { judgeRules, type RuleVerdicts } from './judge-rules.ts';
import { bypasses, type CallKind, callKinds, modesOf, modeTable, modeVerdict } from './mode-table.ts';
import type { PermissionStep } from './permission-order.ts';
import type { Policy } from './policy.ts';
import { printRule } from './print-rule.ts';
import type { ShellLine } from './shell/shell-line.ts';
import { suggestUpdates } from './suggest-updates.ts';
import { unclearPart, unseenPart } from './unseen-part.ts';

export interface PermissionQuestion {
  readonly tool: Tool;
  /** Validated. */
  readonly input: JsonObject;
  /** What `tool.access(input)` says. */
  readonly access: ToolAccess;
  /** What `judgedPaths` found of that access. */
  readonly paths: JudgedPaths;
  /** The call's command, taken apart. A command that is not given so is one that nobody understands. */
  readonly shell?: ShellLine | undefined;
  readonly policy: Policy;
  /** Nobody is bound to answer, and a question that nobody answers is a deny. */
  readonly unattended: boolean;
  /** A person has just allowed this input: only deny rules and plan are left to judge it. */
  readonly answered?: boolean;
  /** The file system does not tell upper from lower case, as on macOS and Windows. */
  readonly foldCase?: boolean;
  /** A hook that wants a person asked, and why. No allow rule and no mode answers in the person's place. */
  readonly hookAsk?: { readonly hook: string; readonly reason: string } | undefined;
  /** A hook that allows these very arguments, and why. It counts like an allow rule: no rule, and no mode, is lifted. */
  readonly hookAllow?: { readonly hook: string; readonly reason: string } | undefined;
  /** What the classifier said, once it was asked. */
  readonly verdict?: ClassifierVerdict | undefined;
}

export interface PermissionDecision {
  readonly decision: 'allow' | 'deny' | 'ask';
  readonly step: PermissionStep;
  /**
   * `rule`, `mode`, `workingDir`, `sandbox`, `safetyCheck`, `unclear`, `tool`, `hook`, `classifier`, `fallback`,
   * `unattended`, `callback`, `default`.
   */
  readonly reasonType: string;
  /** Why, for people; no sentence's end. */
  readonly reason: string;
  /** The rule as written, and its source. */
  readonly rule?: string;
  readonly source?: string;
  /** What a person may want to allow beside this once. Of a question alone. */
  readonly suggestions?: readonly PermissionUpdate[];
  /** The path that keeps the call from being allowed. */
  readonly blockedPath?: string;
  /** The mode wants the classifier asked before anybody else. Of a question alone. */
  readonly classify?: true;
}

/** What is known of a call once the rules have been looked at. */
export interface Judging {
  readonly question: PermissionQuestion;
  readonly call: JudgedCall;
  readonly rules: RuleVerdicts;
  readonly kind: CallKind;
  /** Of a shell line, what was found of each command. */
  readonly commands?: readonly CommandReport[] | undefined;
}

export interface StepOfOrder {
  readonly name: PermissionStep;
  /** Undefined: the step says nothing, and the next one is asked. */
  readonly decide: (judging: Judging) => PermissionDecision | undefined;
}

/** The order, hooks and the answer aside, as it is followed: the first that speaks decides. */
export const stepsOfOrder: readonly StepOfOrder[] = [
  { name: 'deny rules', decide: byDenyRule },
  { name: 'mode', decide: byRefusal },
  { name: 'question', decide: byAnswer },
  { name: 'ask rules', decide: byAskRule },
  { name: 'mode', decide: byMode },
  { name: 'allow rules', decide: byAllowRule },
  { name: 'allow rules', decide: byHook },
  { name: 'instead of the question', decide: byFallback },
  { name: 'instead of the question', decide: byDelegation },
  { name: 'instead of the question', decide: byVerdict },
  { name: 'question', decide: (judging) => askOrDeny(judging.question, openQuestion(judging)) },
];

/** Judges one call by `permissionOrder`, hooks and the answer aside. Pure: the same question has the same decision. */
export function decidePermission(question: PermissionQuestion): PermissionDecision {
  const judging = startJudging(question);
  for (const { decide } of stepsOfOrder) {
    const decision = decide(judging);
    if (decision !== undefined) return decision;
  }
  return { decision: 'deny', step: 'question', reasonType: 'default', reason: 'nothing allows it' };
}

/** What the deny and the ask rules alone say of a call; undefined where none of them speaks. */
export function decideRestriction(question: PermissionQuestion): PermissionDecision | undefined {
  const judging = startJudging(question);
  return byDenyRule(judging) ?? (question.answered === true ? undefined : byAskRule(judging));
}

/** Looks at the call by the rules, once for all steps. */
export function startJudging(question: PermissionQuestion): Judging {
  const { tool, input, access, paths, policy, foldCase = false } = question;
  const isProtected = !bypasses(policy) && paths.paths.some((path) => isProtectedWrite(path, policy));
  const shell = question.shell ?? notUnderstood(access);
  const call: JudgedCall = { tool, input, access, paths, shell, policy, foldCase, isProtected };
  const rules = judgeRules(call);
  return { question, call, rules, kind: callKindOf(call), commands: rules.coverage?.commands };
}

function notUnderstood({ command }: ToolAccess): ShellLine | undefined {
  if (command === undefined) return undefined;
  return { text: command, commands: [], unclear: 'the line was not taken apart' };
}

function byDenyRule({ rules }: Judging): PermissionDecision | undefined {
  return rules.deny && byRule('deny', 'deny rules', rules.deny);
}

function byRefusal({ question, kind }: Judging): PermissionDecision | undefined {
  const mode = modesOf(question.policy).find((each) => modeTable[each][kind] === 'refuse');
  if (mode === undefined) return undefined;
  return { decision: 'deny', step: 'mode', reasonType: 'mode', reason: `${mode} mode runs nothing that writes` };
}

function byAnswer({ question }: Judging): PermissionDecision | undefined {
  if (question.answered !== true) return undefined;
  return { decision: 'allow', step: 'question', reasonType: 'callback', reason: 'allowed by the answer' };
}

function byAskRule(judging: Judging): PermissionDecision | undefined {
  const { question, call, rules } = judging;
  const ask = (reasonType: string, reason: string, more: Partial<PermissionDecision> = {}): PermissionDecision =>
    askOrDeny(question, { decision: 'ask', step: 'ask rules', reasonType, reason, ...more });
  if (question.hookAsk !== undefined) {
    return ask('hook', question.hookAsk.reason, { source: question.hookAsk.hook });
  }
  if (rules.ask !== undefined) return askOrDeny(question, byRule('ask', 'ask rules', rules.ask));
  if (question.tool.requiresPerson === true) return ask('tool', `${question.tool.name} needs a person`);
  if (rules.maybe !== undefined) {
    const { rule, source } = rules.maybe;
    const verb = rule.behavior === 'deny' ? 'denies' : 'wants asked';
    const written = printRule(rule);
    return ask('rule', `only running it tells whether it is what ${source.name} ${verb}: ${written}`, {
      rule: written,
      source: source.name,
    });
  }
  const unclear = call.shell === undefined ? undefined : (unclearPart(call.shell) ?? unseenCode(call.shell, judging));
  const guarded = unclear === undefined ? undefined : guardOf(call);
  if (guarded === undefined) return undefined;
  const { rule, source } = guarded;
  const reason = `the line is not understood (${unclear}), and ${source.name} has rules for what it may be: ${printRule(rule)}`;
  return ask('unclear', reason, { rule: printRule(rule), source: source.name });
}

/** Code that the line does not show may be what a rule is about, unless the sandbox holds it or a rule names its program. */
function unseenCode(line: ShellLine, { call, kind }: Judging): string | undefined {
  return kind === 'sandboxed' ? undefined : unseenPart(rulesFor(call.policy, call.tool), line);
}

/** A rule that would be lost where a line is not understood. */
function guardOf({ policy, tool }: JudgedCall): SourcedRule | undefined {
  return rulesFor(policy, tool).find(({ rule }) => rule.behavior !== 'allow' && rule.content !== undefined);
}

function byMode({ question, kind }: Judging): PermissionDecision | undefined {
  const { mode } = question.policy;
  if (modeVerdict(question.policy, kind) !== 'run') return undefined;
  const allow = (reasonType: string, reason: string): PermissionDecision => ({
    decision: 'allow',
    step: 'mode',
    reasonType,
    reason,
  });
  if (bypasses(question.policy)) return allow('mode', 'bypassPermissions allows every call that no rule stops');
  switch (kind) {
    case 'read':
      return allow('workingDir', 'it only reads inside the session directories');
    case 'readElsewhere':
      return allow('mode', `${mode} mode may read`);
    case 'sandboxed':
      return allow('sandbox', 'it runs in the sandbox');
    default:
      return allow('mode', `${mode} allows what ${callKinds[kind].replace(/^a command that /, '')}`);
  }
}

function byAllowRule({ rules }: Judging): PermissionDecision | undefined {
  return rules.allow && byRule('allow', 'allow rules', rules.allow);
}

function byHook({ question: { hookAllow } }: Judging): PermissionDecision | undefined {
  if (hookAllow === undefined) return undefined;
  const { hook, reason } = hookAllow;
  return { decision: 'allow', step: 'allow rules', reasonType: 'hook', reason, source: hook };
}

/** Counts only when no source spoke. A protected place is never allowed by what does not name it. */
function byFallback({ question: { policy }, call }: Judging): PermissionDecision | undefined {
  const fallbacks = policy.sources.filter(({ fallback }) => fallback !== undefined);
  const strictest =
    fallbacks.find(({ fallback }) => fallback === 'deny') ??
    fallbacks.find(({ fallback }) => fallback === 'ask') ??
    fallbacks.find(({ fallback }) => fallback === 'allow');
  const decision = strictest?.fallback;
  if (strictest === undefined || decision === undefined || decision === 'ask') return undefined;
  if (decision === 'allow' && call.isProtected) return undefined;
  return {
    decision,
    step: 'instead of the question',
    reasonType: 'fallback',
    reason: `no rule matches, and ${strictest.name} says ${decision} then`,
    source: strictest.name,
  };
}

/** What a call has others do is judged when they do it. */
function byDelegation({ question: { tool, policy } }: Judging): PermissionDecision | undefined {
  if (tool.delegates !== true || policy.sources.some(({ fallback }) => fallback === 'ask')) return undefined;
  const reason = 'each call of the work that it starts is judged by itself';
  return { decision: 'allow', step: 'instead of the question', reasonType: 'tool', reason };
}

/** What the classifier said. Of `ask`, and of anything that it did not say, the question is left. */
function byVerdict({ question, call, kind }: Judging): PermissionDecision | undefined {
  const { verdict, policy } = question;
  if (call.shell !== undefined && unclearPart(call.shell) !== undefined) return undefined;
  if (verdict === undefined || verdict.decision === 'ask' || modeVerdict(policy, kind) !== 'classify') return undefined;
  const { decision, reason } = verdict;
  return { decision, step: 'instead of the question', reasonType: 'classifier', reason };
}

function openQuestion(judging: Judging): PermissionDecision {
  const { question, call, kind, commands } = judging;
  const { tool, paths, policy, verdict } = question;
  // What nobody understands, no model does.
  const isUnderstood = call.shell === undefined || unclearPart(call.shell) === undefined;
  const isClassified = modeVerdict(policy, kind) === 'classify' && isUnderstood;
  const base = {
    decision: 'ask',
    step: 'question',
    ...(isClassified && verdict === undefined ? { classify: true as const } : {}),
  } as const;
  const guarded = paths.paths.find((path) => call.isProtected && isProtectedWrite(path, policy));
  if (guarded !== undefined) {
    const reason = `${guarded.written} may decide what the agent can do or what runs later`;
    return { ...base, reasonType: 'safetyCheck', reason, blockedPath: guarded.written };
  }
  const suggestions = suggestUpdates(call, commands);
  if (isClassified && verdict !== undefined) {
    return { ...base, reasonType: 'classifier', reason: verdict.reason, suggestions };
  }
  if (kind === 'unsandboxed') {
    return { ...base, reasonType: 'sandbox', reason: 'it asks to run outside the sandbox' };
  }
  const outside = paths.paths.find((path) => path.maybe !== true && !isInDirectories(path, call));
  const missing = commands?.find(({ covered }) => !covered);
  if (outside !== undefined && (missing === undefined || missing.text === '')) {
    const reason = `${outside.written} is outside the session directories`;
    return { ...base, reasonType: 'workingDir', reason, suggestions, blockedPath: outside.written };
  }
  if (missing !== undefined) {
    const blocked = outside === undefined ? {} : { blockedPath: outside.written };
    return { ...base, reasonType: 'default', reason: `${missing.text}: ${missing.why}`, suggestions, ...blocked };
  }
  return { ...base, reasonType: 'default', reason: `no rule allows this call of ${tool.name}`, suggestions };
}

/** The mode's second place. */
function askOrDeny({ policy, unattended }: PermissionQuestion, question: PermissionDecision): PermissionDecision {
  const silent = modesOf(policy).includes('dontAsk') ? 'dontAsk' : unattended ? 'unattended' : undefined;
  // The classifier answers in a person's place, before it is found that nobody is there.
  if (silent === undefined || question.classify === true) return question;
  const { suggestions: _suggestions, reason, ...rest } = question;
  const because = silent === 'dontAsk' ? 'the mode dontAsk asks nobody' : 'nobody is there to ask';
  return {
    ...rest,
    decision: 'deny',
    step: 'instead of the question',
    reasonType: silent === 'dontAsk' ? 'mode' : 'unattended',
    reason: `${reason}, and ${because}`,
  };
}

function byRule(
  decision: PermissionDecision['decision'],
  step: PermissionStep,
  { rule, source }: SourcedRule,
): PermissionDecision {
  const written = printRule(rule);
  const verb = { allow: 'allowed', deny: 'denied', ask: 'to be asked' }[decision];
  return {
    decision,
    step,
    reasonType: 'rule',
    reason: `${verb} by ${source.name}: ${written}`,
    rule: written,
    source: source.name,
  };
}
