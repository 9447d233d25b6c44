import type { Tool } from '../tool/tool.ts';
import { isWithin, normalPath } from './lexical-path.ts';
import type { Policy, PolicyRule, PolicySource } from './policy.ts';

/** Where the content of a path rule points, and the trusted folder its spelling starts from. */
export interface RulePath {
  readonly base: string;
  readonly path: string;
  /** A bare name: as a deny or ask rule it counts at any depth below the session's folder. */
  readonly name?: string;
}

/**
 * `//abs` is the disk's root, `~/x` the home folder, `/x` the folder of the rule's source, anything else the session's
 * folder. Undefined for `~/x` where the home folder is not known.
 */
export function rulePath(content: string, source: PolicySource, policy: Policy): RulePath | undefined {
  const [cwd = '/'] = policy.directories;
  if (content.startsWith('//')) return { base: '/', path: normalPath('/', content) };
  if (content.startsWith('/')) return below(source.root ?? cwd, content.slice(1));
  if (content === '~' || content.startsWith('~/')) {
    return policy.home === undefined ? undefined : below(policy.home, content.slice(2));
  }
  const place = below(cwd, content);
  return content.includes('/') || content === '.' || content === '..' ? place : { ...place, name: content };
}

/** True when the rule is about the tool at all. A rule for editing or reading a path is one for every tool that does. */
export function isRuleForTool(rule: PolicyRule, toolName: string): boolean {
  if (rule.toolName === '*' || rule.toolName === toolName) return true;
  if (/^mcp__(?:(?!__).)+$/.test(rule.toolName)) return toolName.startsWith(`${rule.toolName}__`);
  if (rule.content === undefined) return false;
  if (rule.toolName === 'Edit') return toolName === 'Write' || toolName === 'NotebookEdit';
  return rule.toolName === 'Read' && (toolName === 'Glob' || toolName === 'Grep');
}

/**
 * The access by which a rule for another tool counts for a call all the same: who may not read a path may not read it by
 * editing, and who may not edit it may not write it by any tool. Allow rules lend nothing.
 */
export function lentAccess(rule: PolicyRule, { ruleContent }: Pick<Tool, 'ruleContent'>): 'read' | 'write' | undefined {
  if (rule.behavior === 'allow' || rule.content === undefined || ruleContent !== 'path') return undefined;
  return rule.toolName === 'Read' ? 'read' : rule.toolName === 'Edit' ? 'write' : undefined;
}

/** True when one of the path's segments below the folder is the name. */
export function hasSegmentBelow(folder: string, path: string, name: string, foldCase: boolean): boolean {
  if (!isWithin(folder, path, foldCase)) return false;
  const segments = path.slice(folder.length).split('/');
  return segments.some((segment) => (foldCase ? segment.toLowerCase() === name.toLowerCase() : segment === name));
}

function below(base: string, content: string): RulePath {
  return { base, path: normalPath(base, `./${content}`) };
}
