import type { JsonObject } from '@rondo/protocol';
import { canonicalJson } from '@rondo/protocol/values';
import type { Tool, ToolAccess } from '../tool/tool.ts';
import type { JudgedPath, JudgedPaths } from './judged-paths.ts';
import { isWithin } from './lexical-path.ts';
import type { Policy, PolicyRule, PolicySource } from './policy.ts';
import { isProtectedPlace } from './protected-place.ts';
import { hasSegmentBelow, isRuleForTool, lentAccess, type RulePath, rulePath } from './rule-path.ts';

/** A call as the rules see it. */
export interface JudgedCall {
  readonly tool: Tool;
  readonly input: JsonObject;
  readonly access: ToolAccess;
  readonly paths: JudgedPaths;
  readonly policy: Policy;
  /** The file system does not tell upper from lower case. */
  readonly foldCase: boolean;
  /** The call writes where only a rule that names the path allows it. */
  readonly isProtected: boolean;
}

/** The rule by which a source speaks. */
export interface Verdict {
  readonly rule: PolicyRule;
  readonly source: PolicySource;
}

/** What a source says about a call; undefined when it abstains. A deny or ask rule matches by any form of any path, an allow only by all. */
export function judgeSource(source: PolicySource, call: JudgedCall): Verdict | undefined {
  const rules = source.rules.filter((rule) => isRuleForTool(rule, call.tool.name) || isLent(rule, call));
  if (rules.length === 0) return undefined;
  if (source.evaluation === 'ordered') {
    const first = rules.find((rule) =>
      rule.behavior === 'allow' ? coveringRule([rule], source, call) !== undefined : touches(rule, source, call),
    );
    return first && { rule: first, source };
  }
  const strictest =
    rules.find((rule) => rule.behavior === 'deny' && touches(rule, source, call)) ??
    rules.find((rule) => rule.behavior === 'ask' && touches(rule, source, call)) ??
    coveringRule(
      rules.filter((rule) => rule.behavior === 'allow'),
      source,
      call,
    );
  return strictest && { rule: strictest, source };
}

function isLent(rule: PolicyRule, { tool, paths }: JudgedCall): boolean {
  const lent = lentAccess(rule, tool);
  return lent !== undefined && paths.paths.some(({ access }) => access === lent);
}

/** True when the path in all its forms is in the session's folders. */
export function isInDirectories(path: JudgedPath, call: Pick<JudgedCall, 'paths' | 'policy' | 'foldCase'>): boolean {
  return path.forms.every((form) => form !== undefined && isFormInDirectories(form, call));
}

function isFormInDirectories(
  form: string,
  { paths, policy, foldCase }: Pick<JudgedCall, 'paths' | 'policy' | 'foldCase'>,
): boolean {
  return policy.directories.some((directory) => {
    if (isWithin(directory, form, foldCase)) return true;
    const resolved = paths.resolved(directory);
    return resolved !== undefined && isWithin(resolved, form, foldCase);
  });
}

/** What cannot be compared is taken to match: a deny must not be lost to a tool that says nothing about itself. */
function touches(rule: PolicyRule, source: PolicySource, call: JudgedCall): boolean {
  const { tool, access, paths, policy, foldCase } = call;
  if (rule.content === undefined) return true;
  if (tool.ruleContent === 'none') return rule.literal !== true || rule.content === canonicalJson(call.input);
  if (tool.ruleContent === 'command') {
    return access.command === undefined || rule.content.trim() === access.command.trim();
  }
  const place = rulePath(rule.content, source, policy);
  if (place === undefined || paths.paths.length === 0) return true;
  const rulePlaces = [place.path, paths.resolved(place.path), resolvedByBase(place, paths)];
  const lent = isRuleForTool(rule, tool.name) ? undefined : lentAccess(rule, tool);
  const touched = paths.paths.filter((path) => lent === undefined || path.access === lent);
  return touched.some(({ forms }) =>
    forms.some((form) => {
      if (form === undefined) return false;
      if (rulePlaces.some((folder) => folder !== undefined && isWithin(folder, form, foldCase))) return true;
      const bases = [place.base, paths.resolved(place.base)];
      return place.name !== undefined && bases.some((base) => isNamedBelow(base, form, place.name, foldCase));
    }),
  );
}

/** The rule that allows the call, or one of those that do together. */
function coveringRule(rules: readonly PolicyRule[], source: PolicySource, call: JudgedCall): PolicyRule | undefined {
  const { tool, access, paths, isProtected } = call;
  const whole = rules.find((rule) => rule.content === undefined);
  if (whole !== undefined && !isProtected) return whole;
  const named = rules.filter((rule) => rule.content !== undefined);
  if (tool.ruleContent === 'command') {
    const { command } = access;
    return command === undefined ? undefined : named.find((rule) => bareLine(rule.content ?? '') === bareLine(command));
  }
  if (tool.ruleContent === 'none' && named.length > 0) {
    const exact = canonicalJson(call.input);
    return named.find((rule) => rule.literal === true && rule.content === exact);
  }
  if (tool.ruleContent !== 'path' || paths.paths.length === 0 || touchesMore(access)) return undefined;
  let covering: PolicyRule | undefined;
  for (const path of paths.paths) {
    for (const form of path.forms) {
      if (form === undefined) return undefined;
      const rule = named.find((each) => covers(each, form, source, call));
      covering ??= rule;
      if (rule === undefined && (path.access === 'write' || !isFormInDirectories(form, call))) return undefined;
    }
  }
  return covering;
}

/**
 * An allow rule counts where it is spelled, its trusted base resolved: a link laid at its path does not carry it along.
 * For a protected place only one that names it does, not one for a folder that it happens to be in.
 */
function covers(
  rule: PolicyRule,
  form: string,
  source: PolicySource,
  { policy, paths, foldCase, isProtected }: JudgedCall,
): boolean {
  const place = rulePath(rule.content ?? '', source, policy);
  if (place === undefined) return false;
  if (isProtected && isProtectedPlace(form) && !isProtectedPlace(place.path)) return false;
  const resolved = resolvedByBase(place, paths);
  return isWithin(place.path, form, foldCase) || (resolved !== undefined && isWithin(resolved, form, foldCase));
}

function resolvedByBase({ base, path }: RulePath, paths: JudgedPaths): string | undefined {
  const resolved = paths.resolved(base);
  if (resolved === undefined || !isWithin(base, path, false)) return undefined;
  const rest = base === '/' ? path : path.slice(base.length);
  return resolved === '/' ? rest || '/' : resolved + rest;
}

function isNamedBelow(base: string | undefined, form: string, name: string | undefined, foldCase: boolean): boolean {
  return base !== undefined && name !== undefined && hasSegmentBelow(base, form, name, foldCase);
}

function touchesMore({ command, urls }: ToolAccess): boolean {
  return command !== undefined || (urls !== undefined && urls.length > 0);
}

/** Without the blanks around it, as a shell knows blanks: others are part of a word, as is one after a backslash. */
function bareLine(line: string): string {
  let start = 0;
  let end = line.length;
  while (start < end && ' \t\n'.includes(line.charAt(start))) start += 1;
  while (end > start && ' \t\n'.includes(line.charAt(end - 1))) end -= 1;
  return line.charAt(end - 1) === '\\' ? line : line.slice(start, end);
}
