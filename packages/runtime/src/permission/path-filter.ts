import type { JsonObject } from '@rondo/protocol';
import type { PathFilter, Tool } from '../tool/tool.ts';
import { type JudgedCall, judgeSource } from './judge-source.ts';
import { judgedPaths, type JudgedPath } from './judged-paths.ts';
import type { Policy, PolicyRule, PolicySource } from './policy.ts';
import { isRuleForTool, lentAccess } from './rule-path.ts';

export interface PathFilterOptions {
  readonly tool: Tool;
  /** Validated, and judged already: only what lies below its paths is left to judge. */
  readonly input: JsonObject;
  readonly policy: Policy;
  readonly resolvePath: (path: string) => Promise<string>;
  readonly foldCase: boolean;
}

/**
 * The test for what a permitted call comes upon by itself. A path is kept back when a deny rule matches it, or an ask
 * rule that the call's own paths did not match: nobody was asked about that. Undefined where no rule for the tool speaks of
 * paths, so that a search pays for rules only where there are some.
 */
export async function createPathFilter(options: PathFilterOptions): Promise<PathFilter | undefined> {
  const { tool, input, policy, resolvePath, foldCase } = options;
  if (!policy.sources.some(({ rules }) => rules.some((rule) => keepsBack(rule, tool)))) return undefined;

  const { reads = [], writes = [] } = tool.access(input);
  const [cwd = '/'] = policy.directories;
  const { paths, resolved } = await judgedPaths({ reads: [...reads, ...writes, cwd] }, { tool, policy, resolvePath });
  const callOn = (judged: readonly JudgedPath[]): JudgedCall => ({
    tool,
    input,
    access: { reads: judged.map(({ written }) => written) },
    paths: { paths: judged, resolved },
    policy,
    foldCase,
    isProtected: false,
  });

  const own = callOn(paths.slice(0, -1));
  const wasAsked = (rule: PolicyRule, source: PolicySource): boolean =>
    rule.behavior === 'ask' &&
    own.paths.paths.length > 0 &&
    judgeSource({ ...source, rules: [rule] }, own) !== undefined;
  const sources = policy.sources.map((source) => ({
    ...source,
    // In order, an allow rule before a deny rule shadows it; of the strictest it changes nothing.
    rules: source.rules.filter(
      (rule) => (source.evaluation === 'ordered' || keepsBack(rule, tool)) && !wasAsked(rule, source),
    ),
  }));
  return (path) => {
    const call = callOn([{ written: path, access: 'read', forms: [path] }]);
    return sources.every((source) => {
      const rule = source.rules.length === 0 ? undefined : judgeSource(source, call)?.rule;
      return rule === undefined || !keepsBack(rule, tool);
    });
  };
}

/** Rules for the whole tool spoke when the call was judged. */
function keepsBack(rule: PolicyRule, tool: Tool): boolean {
  if (rule.behavior === 'allow' || rule.content === undefined || tool.ruleContent !== 'path') return false;
  return isRuleForTool(rule, tool.name) || lentAccess(rule, tool) === 'read';
}
