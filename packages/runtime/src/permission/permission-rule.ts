import type { PermissionBehavior, PermissionRuleValue } from '@rondo/protocol';
import { RondoError } from '@rondo/protocol/values';
import type { PolicyRule } from './policy.ts';
import { formatPermissionRule } from './print-rule.ts';
import {
  readPermissionRule,
  readPermissionRules,
  type ReadRuleOptions,
  type ReadRules,
} from './read-permission-rule.ts';

/**
 * Reads `Tool` or `Tool(content)` strictly: what `readPermissionRule` would refuse, or honour at its widest, throws.
 * @throws RondoError `permission.rule_unsupported` naming the rule and the way on.
 */
export function parsePermissionRule(
  text: string,
  behavior: PermissionBehavior = 'allow',
  options: ReadRuleOptions = {},
): PolicyRule {
  const [rule] = withoutErrors(readPermissionRule(text, behavior, options));
  if (rule === undefined) throw unsupported(text, 'it is no rule');
  return rule;
}

/**
 * The rules of a list, read strictly. One text may come to several rules, all of them meant.
 * @throws RondoError `permission.rule_unsupported` naming the rule and the way on.
 */
export function parsePermissionRules(
  texts: readonly string[],
  behavior: PermissionBehavior,
  options: ReadRuleOptions = {},
): readonly PolicyRule[] {
  return withoutErrors(readPermissionRules(texts, behavior, options));
}

/**
 * The rules of a value, as an answer or an update has it.
 * @throws RondoError `permission.rule_unsupported` naming the rule and the way on.
 */
export function parseRuleValue(value: PermissionRuleValue, behavior: PermissionBehavior): readonly PolicyRule[] {
  return withoutErrors(readRuleValue(value, behavior));
}

/** The same, leniently, as `readPermissionRule` reads it. */
export function readRuleValue(
  { toolName, ruleContent, literal }: PermissionRuleValue,
  behavior: PermissionBehavior,
): ReadRules {
  if (literal === true && ruleContent !== undefined) {
    return { rules: [{ behavior, toolName, content: ruleContent, literal }], notices: [] };
  }
  const text = formatPermissionRule({ toolName, ...(ruleContent === undefined ? {} : { content: ruleContent }) });
  return readPermissionRule(text, behavior);
}

/** The rules of a list like `Read,Bash(git commit -m "a, b")`: commas and blanks inside parentheses do not separate. */
export function splitPermissionRules(list: string): string[] {
  const rules: string[] = [];
  let depth = 0;
  let rule = '';
  for (let index = 0; index < list.length; index += 1) {
    const character = list.charAt(index);
    if (character === '\\' && depth > 0) rule += list.charAt(index++);
    else if (character === '(') depth += 1;
    else if (character === ')') depth = Math.max(0, depth - 1);
    if (depth === 0 && (character === ',' || character.trim() === '')) {
      rules.push(rule);
      rule = '';
    } else rule += list.charAt(index);
  }
  return [...rules, rule].filter((each) => each !== '');
}

function withoutErrors({ rules, notices }: ReadRules): readonly PolicyRule[] {
  const error = notices.find(({ severity }) => severity === 'error');
  if (error !== undefined) throw unsupported(error.rule, [error.problem, error.suggestion].filter(Boolean).join('; '));
  return rules;
}

function unsupported(rule: string, way: string): RondoError {
  return new RondoError('permission.rule_unsupported', `permission rule ${JSON.stringify(rule)}: ${way}`, {
    details: { rule },
  });
}
