import type { JsonObject } from '@rondo/protocol';
import type { Tool, ToolAccess } from '../tool/tool.ts';
import type { JudgedPath, JudgedPaths } from './judged-paths.ts';
import { isWithin } from './lexical-path.ts';
import type { Policy, PolicyRule, PolicySource } from './policy.ts';
import { isProtectedPlace } from './protected-place.ts';
import { isRuleForTool, lentAccess } from './rule-path.ts';
import type { ShellLine } from './shell/shell-line.ts';

/** A call as the rules see it. */
export interface JudgedCall {
  readonly tool: Tool;
  readonly input: JsonObject;
  readonly access: ToolAccess;
  readonly paths: JudgedPaths;
  /** The call's command, taken apart. Absent for a call without one. */
  readonly shell?: ShellLine | undefined;
  readonly policy: Policy;
  /** The file system does not tell upper from lower case. */
  readonly foldCase: boolean;
  /** The call writes where only a rule that names the path allows it. */
  readonly isProtected: boolean;
}

/** A rule, and the source that states it. */
export interface SourcedRule {
  readonly rule: PolicyRule;
  readonly source: PolicySource;
}

/** Rules say in their content what its calls are about, and see through how it is written. */
export function isDescribed({ tool: { ruleContent } }: { readonly tool: Pick<Tool, 'ruleContent'> }): boolean {
  return ruleContent === 'command' || ruleContent === 'path' || ruleContent === 'url';
}

/** True when the path in all its forms is in the session's folders. */
export function isInDirectories(path: JudgedPath, call: Pick<JudgedCall, 'paths' | 'policy' | 'foldCase'>): boolean {
  return path.forms.every((form) => form !== undefined && isFormInDirectories(form, call));
}

export function isFormInDirectories(
  form: string,
  { paths, policy, foldCase }: Pick<JudgedCall, 'paths' | 'policy' | 'foldCase'>,
): boolean {
  return policy.directories.some((directory) => {
    if (isWithin(directory, form, foldCase)) return true;
    const resolved = paths.resolved(directory);
    return resolved !== undefined && isWithin(resolved, form, foldCase);
  });
}

/** True for a write where a change could widen what the agent may do, or run something later. */
export function isProtectedWrite(path: JudgedPath, policy: Policy): boolean {
  if (path.access !== 'write' || path.maybe === true) return false;
  return path.forms.some((form) => form !== undefined && isProtectedForm(form, path, policy));
}

function isProtectedForm(form: string, { tree }: JudgedPath, policy: Policy): boolean {
  if (isProtectedPlace(form)) return true;
  const places = policy.protected ?? [];
  if (places.some((place) => isWithin(place, form, true))) return true;
  if (tree !== true) return false;
  // Whoever removes or moves a whole folder takes along what is protected in it.
  const kept = [...places, ...policy.directories, ...(policy.home === undefined ? [] : [policy.home])];
  return kept.some((place) => isWithin(form, place, true));
}

const byTool = new WeakMap<Policy, Map<string, readonly SourcedRule[]>>();

/** The rules of the policy that can be about calls of the tool; looked up once for a policy and a tool. */
export function rulesFor(policy: Policy, tool: Pick<Tool, 'name' | 'ruleContent'>): readonly SourcedRule[] {
  let tools = byTool.get(policy);
  if (tools === undefined) byTool.set(policy, (tools = new Map()));
  const key = `${tool.ruleContent} ${tool.name}`;
  let rules = tools.get(key);
  if (rules === undefined) {
    rules = policy.sources.flatMap((source) =>
      source.rules
        .filter((rule) => isRuleForTool(rule, tool.name) || lentAccess(rule, tool) !== undefined)
        .map((rule) => ({ rule, source })),
    );
    tools.set(key, rules);
  }
  return rules;
}
