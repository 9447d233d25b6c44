import type { JsonObject, PermissionRuleValue } from '@rondo/protocol';
import { canonicalJson } from '@rondo/protocol/values';
import type { Tool } from '../tool/tool.ts';

/**
 * The rule that "allow for the session" stores: this command, this path, or else these exact arguments as canonical
 * JSON. Of a call with several paths it is the first one's, so that it never allows more than the person saw. `cwd` makes
 * a relative path one that still means the same later.
 */
export function sessionRuleFor(tool: Tool, input: JsonObject, cwd?: string): PermissionRuleValue {
  const { command, writes = [], reads = [] } = tool.access(input);
  if (tool.ruleContent === 'command' && command !== undefined) return exactRule(tool.name, command.trim());
  const path = writes[0] ?? reads[0];
  if (tool.ruleContent === 'path' && path !== undefined) return exactRule(tool.name, spellPath(path, cwd));
  return { toolName: tool.name, ruleContent: canonicalJson(input), literal: true };
}

/** Marked where a character of the content would read as a pattern, or a blank around it as a slip. */
export function exactRule(toolName: string, ruleContent: string): PermissionRuleValue {
  return /[*?[\]{}!\\]/.test(ruleContent) || ruleContent !== ruleContent.trim()
    ? { toolName, ruleContent, literal: true }
    : { toolName, ruleContent };
}

/** A path in a rule's spelling: from the disk's root, or from the session's folder and never a bare name. */
export function spellPath(path: string, cwd?: string): string {
  if (path.startsWith('/')) return `/${path}`;
  if (cwd !== undefined) return `/${cwd}/${path}`;
  return path.startsWith('./') || path.startsWith('../') || path.startsWith('~/') ? path : `./${path}`;
}
