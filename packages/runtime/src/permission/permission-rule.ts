import type { PermissionBehavior } from '@rondo/protocol';
import { RondoError } from '@rondo/protocol/values';
import { isToolName } from '../tool/tool-name.ts';
import type { Tool } from '../tool/tool.ts';
import type { PolicyRule } from './policy.ts';

/** What the content of a rule is compared with, where no tool is at hand to say so. */
const knownContent: Readonly<Record<string, Tool['ruleContent']>> = {
  Bash: 'command',
  PowerShell: 'command',
  Read: 'path',
  Edit: 'path',
  Write: 'path',
  NotebookEdit: 'path',
  Glob: 'path',
  Grep: 'path',
};

/**
 * Reads `Tool` or `Tool(content)`. The content runs from the first `(` to the last `)`; `\\`, `\(` and `\)` in it are
 * escapes, no other backslash is.
 * @throws RondoError `permission.rule_unsupported` naming the rule and the way on.
 */
export function parsePermissionRule(text: string, behavior: PermissionBehavior = 'allow'): PolicyRule {
  const trimmed = text.trim();
  const open = trimmed.indexOf('(');
  if (open < 0) return { behavior, toolName: checkedName(trimmed, trimmed) };
  if (!trimmed.endsWith(')')) throw unsupported(text, 'the parenthesis is not closed at its end; write Tool(content)');
  const content = trimmed.slice(open + 1, -1).replace(/\\([\\()])/g, '$1');
  if (content.trim() === '') throw unsupported(text, `write ${trimmed.slice(0, open)} for every call of the tool`);
  return { behavior, toolName: checkedName(trimmed.slice(0, open), trimmed), content };
}

/** The rule as it is written, with what `parsePermissionRule` needs escaped. */
export function formatPermissionRule({ toolName, content }: Pick<PolicyRule, 'toolName' | 'content'>): string {
  return content === undefined ? toolName : `${toolName}(${content.replace(/[\\()]/g, '\\$&')})`;
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

/**
 * Refuses what this version would have to narrow or widen: patterns, and content that the tool's calls are not compared
 * with. Where the session's tools are not given, a tool that is not built in is taken to compare content.
 * @throws RondoError `permission.rule_unsupported` naming the rule and the way on.
 */
export function checkRuleSupported(rule: PolicyRule, tools?: readonly Pick<Tool, 'name' | 'ruleContent'>[]): void {
  const { toolName, content, literal } = rule;
  if (toolName === '*')
    throw unsupported(toolName, 'a rule for every call is not supported; write each tool by its name');
  if (content === undefined || literal === true) return;
  const written = formatPermissionRule(rule);
  const known = tools?.find((tool) => tool.name === toolName)?.ruleContent ?? knownContent[toolName];
  const kind = known ?? (tools === undefined ? 'command' : 'none');
  const whole = `write ${toolName} for every call of the tool`;
  if (kind === 'none') throw unsupported(written, `calls of ${toolName} are not compared with content; ${whole}`);
  if (kind === 'command' && content.includes('*')) {
    throw unsupported(written, `patterns of shell lines are not supported yet; write the exact line, or ${whole}`);
  }
  if (kind === 'path' && content !== content.trim()) {
    throw unsupported(written, 'there are blanks around the path, which it would begin or end with; write it without');
  }
  if (kind === 'path' && /[*?[\]{}!]/.test(content)) {
    throw unsupported(
      written,
      `patterns of paths are not supported yet; write a file, or a folder for everything below it, or ${whole}`,
    );
  }
}

function checkedName(toolName: string, rule: string): string {
  if (toolName.includes('*'))
    throw unsupported(rule, 'patterns of tool names are not supported; write each tool by its name');
  if (!isToolName(toolName)) throw unsupported(rule, 'it has no tool name; write Tool or Tool(content)');
  return toolName;
}

function unsupported(rule: string, way: string): RondoError {
  return new RondoError('permission.rule_unsupported', `permission rule ${JSON.stringify(rule)}: ${way}`, {
    details: { rule },
  });
}
