import type { JsonObject } from '@rondo/protocol';
import { judgeCall, readPermissionRule, type Policy, type Tool } from '@rondo/runtime';
import { resolvePath } from '@rondo/runtime/node';
import type { MatchesRule } from './hook-options.ts';

export interface RuleMatcherOptions {
  readonly tools: readonly Tool[];
  /** The session's folder first. */
  readonly directories: readonly string[];
  readonly home?: string | undefined;
}

/**
 * Tells by the policy's own code whether a rule is about a call: whether it would deny it. A call of which that cannot be
 * told counts as one.
 */
export function ruleMatcher({ tools, directories, home }: RuleMatcherOptions): MatchesRule {
  return async (rule, { toolName, input }) => {
    const tool = tools.find(({ name }) => name === toolName);
    if (tool === undefined) throw new Error(`there is no tool ${toolName} to compare the rule ${rule} with`);
    const { rules, notices } = readPermissionRule(rule, 'deny', { tools });
    const wrong = notices.find(({ severity }) => severity === 'error');
    if (wrong !== undefined) throw new Error(`${rule}: ${wrong.problem}`);
    const policy: Policy = {
      sources: [{ name: 'if', evaluation: 'strictest', rules }],
      // All else is allowed, so that anything but an allowance comes of the rule.
      mode: 'bypassPermissions',
      directories,
      ...(home === undefined ? {} : { home }),
    };
    const foldCase = process.platform === 'darwin' || process.platform === 'win32';
    const { decision } = await judgeCall({ tool, input: input as JsonObject, policy, resolvePath, foldCase });
    return decision !== 'allow';
  };
}
