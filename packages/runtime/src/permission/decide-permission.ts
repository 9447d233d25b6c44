import type { JsonObject, PermissionUpdate } from '@rondo/protocol';
import type { Tool, ToolAccess } from '../tool/tool.ts';
import { isInDirectories, type JudgedCall, judgeSource, type Verdict } from './judge-source.ts';
import type { JudgedPath, JudgedPaths } from './judged-paths.ts';
import type { PermissionStep } from './permission-order.ts';
import { formatPermissionRule } from './permission-rule.ts';
import type { Policy } from './policy.ts';
import { isProtectedPlace } from './protected-place.ts';
import { suggestUpdates } from './suggest-updates.ts';

export interface PermissionQuestion {
  readonly tool: Tool;
  /** Validated. */
  readonly input: JsonObject;
  /** What `tool.access(input)` says. */
  readonly access: ToolAccess;
  /** What `judgedPaths` found of that access. */
  readonly paths: JudgedPaths;
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
}

export interface PermissionDecision {
  readonly decision: 'allow' | 'deny' | 'ask';
  readonly step: PermissionStep;
  /** `rule`, `mode`, `workingDir`, `safetyCheck`, `tool`, `hook`, `fallback`, `unattended`, `callback`, `default`. */
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
}

/** Judges one call by `permissionOrder`, hooks and the answer aside. Pure: the same question has the same decision. */
export function decidePermission(question: PermissionQuestion): PermissionDecision {
  const { policy, tool, answered = false } = question;
  const call = judgedCall(question);
  const verdicts = policy.sources.map((source) => judgeSource(source, call)).filter((verdict) => verdict !== undefined);

  const denied = verdicts.find(({ rule }) => rule.behavior === 'deny');
  if (denied !== undefined) return byRule('deny', 'deny rules', denied);
  if (policy.mode === 'plan' && !isWithoutEffect(question)) {
    return { decision: 'deny', step: 'mode', reasonType: 'mode', reason: 'plan mode runs nothing that writes' };
  }
  if (answered) return { decision: 'allow', step: 'question', reasonType: 'callback', reason: 'allowed by the answer' };

  if (question.hookAsk !== undefined) {
    const { hook, reason } = question.hookAsk;
    return askOrDeny(question, { decision: 'ask', step: 'ask rules', reasonType: 'hook', reason, source: hook });
  }
  const asked = verdicts.find(({ rule }) => rule.behavior === 'ask');
  if (asked !== undefined) return askOrDeny(question, byRule('ask', 'ask rules', asked));
  if (tool.requiresPerson === true) {
    const reason = `${tool.name} needs a person`;
    return askOrDeny(question, { decision: 'ask', step: 'ask rules', reasonType: 'tool', reason });
  }
  const byMode = allowedByMode(question, call);
  if (byMode !== undefined) return byMode;
  const allowed = verdicts[0];
  if (allowed !== undefined) return byRule('allow', 'allow rules', allowed);
  if (question.hookAllow !== undefined) {
    const { hook, reason } = question.hookAllow;
    return { decision: 'allow', step: 'allow rules', reasonType: 'hook', reason, source: hook };
  }
  return byFallback(question, call) ?? byDelegation(question) ?? askOrDeny(question, openQuestion(question, call));
}

/** What a call has others do is judged when they do it. */
function byDelegation({ tool, policy }: PermissionQuestion): PermissionDecision | undefined {
  if (tool.delegates !== true || policy.sources.some(({ fallback }) => fallback === 'ask')) return undefined;
  const reason = 'each call of the work that it starts is judged by itself';
  return { decision: 'allow', step: 'instead of the question', reasonType: 'tool', reason };
}

function judgedCall({ tool, input, access, paths, policy, foldCase = false }: PermissionQuestion): JudgedCall {
  const isProtected = policy.mode !== 'bypassPermissions' && paths.paths.some(isProtectedWrite);
  return { tool, input, access, paths, policy, foldCase, isProtected };
}

function isProtectedWrite({ access, forms }: JudgedPath): boolean {
  return access === 'write' && forms.some((form) => form !== undefined && isProtectedPlace(form));
}

/** A call without effect that says what it reads, and does nothing else, as far as its tool knows. */
function readsOnly(question: PermissionQuestion): boolean {
  const { access, paths } = question;
  return (
    paths.paths.length > 0 &&
    paths.paths.every((path) => path.access === 'read') &&
    access.command === undefined &&
    (access.urls ?? []).length === 0 &&
    isWithoutEffect(question)
  );
}

function isWithoutEffect({ tool, input }: PermissionQuestion): boolean {
  return tool.delegates === true || tool.effect(input) === 'none';
}

function allowedByMode(question: PermissionQuestion, call: JudgedCall): PermissionDecision | undefined {
  const { mode } = question.policy;
  const { paths } = call.paths;
  const allow = (reasonType: string, reason: string): PermissionDecision => ({
    decision: 'allow',
    step: 'mode',
    reasonType,
    reason,
  });
  if (mode === 'bypassPermissions') return allow('mode', 'bypassPermissions allows every call that no rule stops');
  const inDirectories = paths.length > 0 && paths.every((path) => isInDirectories(path, call));
  if (readsOnly(question)) {
    if (inDirectories) return allow('workingDir', 'it only reads inside the session directories');
    if (mode === 'plan') return allow('mode', 'plan mode may read');
  }
  const { command, urls = [] } = question.access;
  const editsFiles = paths.some(({ access }) => access === 'write') && command === undefined && urls.length === 0;
  if (
    mode === 'acceptEdits' &&
    editsFiles &&
    question.tool.ruleContent === 'path' &&
    inDirectories &&
    !call.isProtected
  ) {
    return allow('mode', 'acceptEdits allows file edits inside the session directories');
  }
  return undefined;
}

/** Counts only when no source spoke. A protected place is never allowed by what does not name it. */
function byFallback({ policy }: PermissionQuestion, call: JudgedCall): PermissionDecision | undefined {
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

function openQuestion(question: PermissionQuestion, call: JudgedCall): PermissionDecision {
  const { tool, paths } = question;
  const base = { decision: 'ask', step: 'question' } as const;
  const guarded = paths.paths.find(isProtectedWrite);
  if (guarded !== undefined) {
    const reason = `${guarded.written} may decide what the agent can do or what runs later`;
    return { ...base, reasonType: 'safetyCheck', reason, blockedPath: guarded.written };
  }
  const suggestions = suggestUpdates(call);
  const outside = paths.paths.find((path) => !isInDirectories(path, call));
  if (outside !== undefined) {
    const reason = `${outside.written} is outside the session directories`;
    return { ...base, reasonType: 'workingDir', reason, suggestions, blockedPath: outside.written };
  }
  return { ...base, reasonType: 'default', reason: `no rule allows this call of ${tool.name}`, suggestions };
}

/** The mode's second place. */
function askOrDeny({ policy, unattended }: PermissionQuestion, question: PermissionDecision): PermissionDecision {
  const silent = policy.mode === 'dontAsk' ? 'dontAsk' : unattended ? 'unattended' : undefined;
  if (silent === undefined) return question;
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
  { rule, source }: Verdict,
): PermissionDecision {
  const written = rule.toolName === '*' ? 'every call' : formatPermissionRule(rule);
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
