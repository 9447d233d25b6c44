import { canonicalJson } from '@rondo/protocol/values';
import { matchArguments } from './argument-matcher.ts';
import { type CommandReport, type CoverOptions, coverLine } from './cover-line.ts';
import { coverPath } from './covers-path.ts';
import { isDescribed, type JudgedCall, type SourcedRule } from './judged-call.ts';
import type { PolicyRule } from './policy.ts';
import { isRuleForTool } from './rule-path.ts';
import { matchesName } from './touches-call.ts';
import { matchesDomain, urlHost } from './url-host.ts';

export interface Coverage {
  /** The rule that allows the call, or the first of those that do together. Absent: they do not. */
  readonly by?: SourcedRule;
  /** Of a shell line, what was found of each command. */
  readonly commands?: readonly CommandReport[];
}

/** Whether allow rules cover everything that the call does. A protected place is covered by a rule alone that names it. */
export function coverCall(given: readonly SourcedRule[], call: JudgedCall, options: CoverOptions = {}): Coverage {
  const { tool, access, paths, isProtected } = call;
  const rules = given.filter(
    ({ rule }) => rule.behavior === 'allow' && isRuleForTool(rule, tool.name) && fitsArguments(rule, call),
  );
  const whole = rules.find(({ rule }) => rule.content === undefined);
  if (whole !== undefined && !isProtected) return { by: whole };
  const named = rules.filter(({ rule }) => rule.content !== undefined);
  if (tool.ruleContent === 'command') {
    if (access.command === undefined) return {};
    const { covered, by, commands } = coverLine(named, call, options);
    return { commands, ...(covered && by !== undefined ? { by } : {}) };
  }
  if (named.length === 0) return {};
  if (tool.ruleContent === 'path') return coverPaths(named, call);
  const exact = canonicalJson(call.input);
  const literal = named.find(({ rule }) => rule.literal === true && rule.content === exact);
  if (literal !== undefined) return { by: literal };
  const { urls = [], names = [], command } = access;
  if (command !== undefined || paths.paths.length > 0) return {};
  if (tool.ruleContent === 'url' && names.length === 0) return everyOf(urls, (url) => urlRule(named, url));
  if (tool.ruleContent === 'name' && urls.length === 0) {
    return everyOf(names, (name) =>
      named.find(({ rule }) => rule.literal !== true && matchesName(rule.content ?? '', name, false)),
    );
  }
  return {};
}

function fitsArguments({ arguments: matchers }: PolicyRule, call: JudgedCall): boolean {
  return matchers === undefined || (!isDescribed(call) && matchArguments(matchers, call.input) === 'yes');
}

function coverPaths(rules: readonly SourcedRule[], call: JudgedCall): Coverage {
  const { access, paths } = call;
  if (paths.paths.length === 0 || access.command !== undefined || (access.urls ?? []).length > 0) return {};
  let by: SourcedRule | undefined;
  for (const path of paths.paths) {
    const covering = coverPath(rules, path, call);
    if (covering === undefined) return {};
    if (covering !== true) by ??= covering;
  }
  return by === undefined ? {} : { by };
}

function urlRule(rules: readonly SourcedRule[], url: string): SourcedRule | undefined {
  const host = urlHost(url);
  if (host === undefined || !host.isWeb) return undefined;
  return rules.find(({ rule }) => rule.literal !== true && matchesDomain(rule.content ?? '', host));
}

function everyOf(all: readonly string[], find: (each: string) => SourcedRule | undefined): Coverage {
  const found = all.map(find);
  const [by] = found;
  return by === undefined || found.includes(undefined) ? {} : { by };
}
