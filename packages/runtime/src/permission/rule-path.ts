import type { Tool } from '../tool/tool.ts';
import { normalPath } from './lexical-path.ts';
import { isPathPattern, splitPathPattern } from './path-pattern.ts';
import type { Policy, PolicyRule, PolicySource } from './policy.ts';
import { todaysName } from './rule-kind.ts';
import { matchesStars } from './star-pattern.ts';

/** Where the content of a path rule points, and the trusted folder its spelling starts from. */
export interface RulePath {
  readonly base: string;
  /** Of a pattern, the folder in front of it. */
  readonly path: string;
  /** A bare name: as a deny or ask rule it counts at any depth below the session's folder. */
  readonly name?: string;
  /** As gitignore reads it in `path`. */
  readonly pattern?: string;
  /** The content taken by its letters, in case its signs are part of a name. */
  readonly plain?: string;
}

/**
 * `//abs` is the disk's root, `~/x` the home folder, `/x` the folder of the rule's source, anything else the session's
 * folder. Undefined for `~/x` where the home folder is not known.
 */
export function rulePath(rule: PolicyRule, source: PolicySource, policy: Policy): RulePath | undefined {
  let places = known.get(policy);
  if (places === undefined) known.set(policy, (places = new WeakMap()));
  const place = places.get(rule);
  if (place !== undefined && place.source === source) return place.path;
  const path = readRulePath(rule, source, policy);
  places.set(rule, { source, path });
  return path;
}

/** A policy never changes, and every call is compared with the same places. */
const known = new WeakMap<Policy, WeakMap<PolicyRule, { source: PolicySource; path: RulePath | undefined }>>();

function readRulePath(rule: PolicyRule, source: PolicySource, policy: Policy): RulePath | undefined {
  const { content = '', literal } = rule;
  const start = startOf(content, source, policy);
  if (start === undefined) return undefined;
  const { base, rest } = start;
  if (literal !== true && isPathPattern(rest)) {
    const { folder, pattern } = splitPathPattern(rest);
    return { base, path: below(base, folder), pattern, plain: below(base, rest) };
  }
  const place = { base, path: below(base, rest) };
  const isName = rest === content && !content.includes('/') && content !== '.' && content !== '..' && content !== '~';
  return isName ? { ...place, name: content } : place;
}

function startOf(content: string, source: PolicySource, policy: Policy): { base: string; rest: string } | undefined {
  const [cwd = '/'] = policy.directories;
  if (content.startsWith('//')) return { base: '/', rest: content.slice(2) };
  if (content.startsWith('/')) return { base: source.root ?? cwd, rest: content.slice(1) };
  if (content === '~' || content.startsWith('~/')) {
    return policy.home === undefined ? undefined : { base: policy.home, rest: content.slice(2) };
  }
  return { base: cwd, rest: content };
}

/** True when the rule is about the tool at all. A rule for editing or reading a path is one for every tool that does. */
export function isRuleForTool(rule: PolicyRule, toolName: string): boolean {
  const { toolName: named } = rule;
  if (named === '*' || named === toolName) return true;
  if (named.startsWith('mcp__')) return isForServer(named, toolName);
  if (named.includes('*')) return matchesStars(named, toolName);
  const today = todaysName(named);
  if (today === toolName || (today === 'Agent' && toolName === 'agents.spawn')) return true;
  if (rule.content === undefined) return false;
  if (today === 'Edit') return toolName === 'Write' || toolName === 'NotebookEdit';
  return today === 'Read' && (toolName === 'Glob' || toolName === 'Grep');
}

/** `mcp__server` is every tool of the server; stars count in the tool's part, and in the server's where nothing is allowed. */
function isForServer(named: string, toolName: string): boolean {
  if (!named.includes('*')) return /^mcp__(?:(?!__).)+$/.test(named) && toolName.startsWith(`${named}__`);
  return matchesStars(named, toolName);
}

/**
 * The access by which a rule for another tool counts for a call all the same: who may not read a path may not read it by
 * editing or by a command, and who may not edit it may not write it by any tool. Allow rules lend nothing.
 */
export function lentAccess(rule: PolicyRule, { ruleContent }: Pick<Tool, 'ruleContent'>): 'read' | 'write' | undefined {
  if (rule.behavior === 'allow' || rule.content === undefined) return undefined;
  if (ruleContent !== 'path' && ruleContent !== 'command') return undefined;
  const today = todaysName(rule.toolName);
  if (today === 'Read') return 'read';
  if (today === 'Edit') return 'write';
  return ruleContent === 'command' && (today === 'Write' || today === 'NotebookEdit') ? 'write' : undefined;
}

function below(base: string, content: string): string {
  return normalPath(base, `./${content}`);
}
