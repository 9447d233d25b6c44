import type { JsonObject } from '@rondo/protocol';
import type { PathFilter, Tool } from '../tool/tool.ts';
import { coverCall } from './cover-call.ts';
import { type JudgedCall, rulesFor, type SourcedRule } from './judged-call.ts';
import { guardedFolders, judgedPaths, type JudgedPath } from './judged-paths.ts';
import type { Policy, PolicyRule, PolicySource } from './policy.ts';
import { isRuleForTool, lentAccess } from './rule-path.ts';
import { touchesCall } from './touches-call.ts';
import type { PathResolver } from './path-resolver.ts';

export interface PathFilterOptions {
  readonly tool: Tool;
  /** Validated, and judged already: only what lies below its paths is left to judge. */
  readonly input: JsonObject;
  readonly policy: Policy;
  readonly resolvePath: PathResolver;
  readonly foldCase: boolean;
}

/**
 * The test for what a permitted call comes upon by itself. A path is kept back when a deny rule matches it, or an ask
 * rule that the call's own paths did not match: nobody was asked about that. Undefined where no rule for the tool speaks of
 * paths, so that a search pays for rules only where there are some.
 */
export async function createPathFilter(options: PathFilterOptions): Promise<PathFilter | undefined> {
  const { tool, input, policy, resolvePath, foldCase } = options;
  const rules = rulesFor(policy, tool);
  if (!rules.some(({ rule }) => keepsBack(rule, tool))) return undefined;

  const { reads = [], writes = [] } = tool.access(input);
  const [cwd = '/'] = policy.directories;
  const judged = await judgedPaths({ reads: [...reads, ...writes, cwd] }, { tool, policy, resolvePath });
  const callOn = (paths: readonly JudgedPath[]): JudgedCall => ({
    tool,
    input,
    access: { reads: paths.map(({ written }) => written) },
    paths: { ...judged, paths },
    policy,
    foldCase,
    isProtected: false,
  });

  const own = callOn(judged.paths.slice(0, -1));
  const wasAsked = (rule: SourcedRule): boolean =>
    rule.rule.behavior === 'ask' && own.paths.paths.length > 0 && touchesCall(rule, own) !== 'no';
  const left = rules.filter((rule) => !wasAsked(rule));
  const strictest = left.filter(({ rule, source }) => source.evaluation === 'strictest' && keepsBack(rule, tool));
  const ordered = [...new Set(left.map(({ source }) => source))].filter(({ evaluation }) => evaluation === 'ordered');
  const otherNames = await namesOfShared(left, options, judged.resolved);
  return (path) => {
    const call = callOn([{ written: path, access: 'read', forms: [path, ...otherNames(path)] }]);
    if (strictest.some((rule) => touchesCall(rule, call) !== 'no')) return false;
    return ordered.every((source) => {
      const speaking = firstOf(source, left, call);
      return speaking === undefined || !keepsBack(speaking, tool);
    });
  };
}

/** What else the file of a path is called where the rules point: hard links, which no path tells. */
async function namesOfShared(
  rules: readonly SourcedRule[],
  { tool, policy, resolvePath }: PathFilterOptions,
  resolved: (path: string) => string | undefined,
): Promise<(path: string) => readonly (string | undefined)[]> {
  const { sharedFiles, identityOf } = resolvePath;
  if (sharedFiles === undefined || identityOf === undefined) return () => [];
  const guards = rules.filter(({ rule }) => keepsBack(rule, tool));
  const shared = await sharedFiles(guardedFolders(guards, policy, resolved)).catch(() => undefined);
  if (shared?.size === 0) return () => [];
  return (path) => {
    const identity = identityOf(path);
    if (identity === undefined) return [];
    // Not all could be looked at: then a file with several names may be any.
    return shared === undefined ? [undefined] : (shared.get(identity) ?? []);
  };
}

/** In order, an allow rule before a deny rule shadows it. */
function firstOf(source: PolicySource, rules: readonly SourcedRule[], call: JudgedCall): PolicyRule | undefined {
  const speaking = rules.find(
    (rule) =>
      rule.source === source &&
      (rule.rule.behavior === 'allow' ? coverCall([rule], call).by !== undefined : touchesCall(rule, call) !== 'no'),
  );
  return speaking?.rule;
}

/** Rules for the whole tool spoke when the call was judged. */
function keepsBack(rule: PolicyRule, tool: Tool): boolean {
  if (rule.behavior === 'allow' || rule.content === undefined || tool.ruleContent !== 'path') return false;
  return isRuleForTool(rule, tool.name) || lentAccess(rule, tool) === 'read';
}
