import { canonicalJson } from '@rondo/protocol/values';
import { matchArguments } from './argument-matcher.ts';
import { isDescribed, type JudgedCall, type SourcedRule } from './judged-call.ts';
import type { PolicyRule } from './policy.ts';
import { isRuleForTool, lentAccess, rulePath } from './rule-path.ts';
import { touchesLine } from './shell-rule.ts';
import type { Touch } from './touch.ts';
import { matchesStars } from './star-pattern.ts';
import { touchesPath } from './touch-path.ts';
import { matchesDomain, urlHost } from './url-host.ts';

/**
 * Whether a rule that denies or asks is about the call. What cannot be compared is taken to match: a deny must not be lost
 * to a tool that says nothing about itself. `maybe`: only running the call would tell.
 */
export function touchesCall(sourced: SourcedRule, call: JudgedCall): Touch {
  const { arguments: matchers } = sourced.rule;
  const fit = matchers === undefined ? 'yes' : matchArguments(matchers, call.input);
  if (fit === 'no') return 'no';
  const touch = touchesAnyInput(sourced, call);
  // By its arguments alone nobody can tell what a command or a path comes to.
  return touch === 'yes' && (fit === 'maybe' || (matchers !== undefined && isDescribed(call))) ? 'maybe' : touch;
}

function touchesAnyInput({ rule, source }: SourcedRule, call: JudgedCall): Touch {
  const { tool, paths, policy, foldCase } = call;
  const own = isRuleForTool(rule, tool.name);
  if (own && rule.content === undefined) return 'yes';
  if (own && tool.ruleContent !== 'path') return touchesContent(rule, call);
  const lent = own ? undefined : lentAccess(rule, tool);
  if (!own && lent === undefined) return 'no';
  const touched = paths.paths.filter((path) => lent === undefined || path.access === lent);
  if (touched.length === 0) return own ? 'yes' : 'no';
  const place = rulePath(rule, source, policy);
  if (place === undefined) return 'yes';
  return strongest(touched.map((path) => touchesPath(place, path, paths, foldCase)));
}

function touchesContent(rule: PolicyRule, { tool, input, access, shell, foldCase }: JudgedCall): Touch {
  const { content = '', literal } = rule;
  if (tool.ruleContent === 'command') {
    return access.command === undefined || shell === undefined ? 'yes' : touchesLine(rule, shell, foldCase);
  }
  if (literal === true) return content === canonicalJson(input) ? 'yes' : 'no';
  switch (tool.ruleContent) {
    case 'url':
      return access.urls === undefined || access.urls.length === 0
        ? 'yes'
        : strongest(access.urls.map((url) => touchesUrl(content, url)));
    case 'name': {
      const names = access.names ?? [];
      return names.length === 0 || names.some((name) => matchesName(content, name, true)) ? 'yes' : 'no';
    }
    default:
      return 'yes';
  }
}

function touchesUrl(content: string, url: string): Touch {
  const host = urlHost(url);
  // What is no URL with a host leads nobody knows where.
  if (host === undefined) return /^file:/i.test(url.trim()) ? 'no' : 'yes';
  return matchesDomain(content, host, true) ? 'yes' : 'no';
}

/** `a, b` is either name; `name:*` and `name *` are the name with any arguments; a star stands for any text. */
export function matchesName(content: string, name: string, foldCase: boolean): boolean {
  const fold = (text: string): string => (foldCase ? text.toLowerCase() : text);
  const wanted = fold(name.trim().replace(/^\//, ''));
  return content.split(',').some((each) => {
    const pattern = fold(each.trim());
    const prefix = /^(.*?)(?::\*| \*)$/.exec(pattern)?.[1];
    if (prefix !== undefined && !prefix.includes('*')) return wanted === prefix || wanted.startsWith(`${prefix} `);
    return matchesStars(pattern, wanted);
  });
}

export function strongest(touches: readonly Touch[]): Touch {
  return touches.includes('yes') ? 'yes' : touches.includes('maybe') ? 'maybe' : 'no';
}
