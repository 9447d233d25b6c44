import type { PermissionBehavior, PermissionMode } from '@rondo/protocol';
import { canonicalJson, RondoError } from '@rondo/protocol/values';
import type { Tool } from '../tool/tool.ts';
import { type ArgumentMatchers, checkArgumentMatchers } from './argument-matcher.ts';
import { isDescribed } from './judged-call.ts';
import { parsePermissionRule, parsePermissionRules } from './permission-rule.ts';
import type { Policy, PolicyRule, PolicySandbox, PolicySource } from './policy.ts';
import { isRuleForTool } from './rule-path.ts';
import { todaysName } from './rule-kind.ts';

/** The first face's mode: `auto` lets the policy decide, `ask` asks for every call, `deny` denies every call. */
export type AgentPermissionMode = 'auto' | 'ask' | 'deny';

/** The first face's policy: the first rule that names the tool decides, else the default. */
export interface AgentPermissionRule {
  readonly tools: readonly string[];
  readonly decision: PermissionBehavior;
  /**
   * The rule is about calls with these arguments alone, as `{ amount: { atMost: 100 } }`. Commands, paths and addresses
   * are not told apart so, but by a rule's own words: `tools: ['Bash(git status)']`.
   */
  readonly arguments?: ArgumentMatchers;
}

export interface AgentPermissionPolicy {
  readonly default: PermissionBehavior;
  readonly rules: readonly AgentPermissionRule[];
}

export interface CompilePolicyOptions {
  /** The session's folder first, then the additional ones. Absolute. */
  readonly directories: readonly [string, ...string[]];
  readonly home?: string;
  readonly mode?: PermissionMode;
  /** Rules as text: `Read`, `Bash(git commit:*)`, `Edit(//abs/folder/**)`, `WebFetch(domain:example.com)`. */
  readonly allowedTools?: readonly string[];
  readonly disallowedTools?: readonly string[];
  readonly askTools?: readonly string[];
  /** Whoever starts the session takes `bypassPermissions` on himself. */
  readonly allowDangerouslySkipPermissions?: boolean;
  /** The process runs as root; bypassing is then refused unless `isSandbox` (`IS_SANDBOX=1`). */
  readonly isRoot?: boolean;
  readonly isSandbox?: boolean;
  /** The session has a classifier, which the mode `auto` needs. */
  readonly hasClassifier?: boolean;
  readonly sandbox?: PolicySandbox;
  /** Paths that are protected beside the known ones. Absolute. */
  readonly protected?: readonly string[];
  readonly agentMode?: AgentPermissionMode;
  readonly agentPolicy?: AgentPermissionPolicy;
  /** Tools of the session whose calls are compared with rule content; the built-in ones are known. */
  readonly tools?: readonly Pick<Tool, 'name' | 'ruleContent'>[];
}

/**
 * One policy value from what either face states.
 * @throws RondoError `permission.rule_unsupported` for a rule or mode that this version would have to bend,
 * `permission.bypass_refused` for bypassing that nobody allowed.
 */
export function compilePolicy(options: CompilePolicyOptions): Policy {
  const { directories, home, mode = 'default', tools = [] } = options;
  for (const directory of directories) {
    if (!directory.startsWith('/'))
      throw new TypeError(`policy directory ${JSON.stringify(directory)} must be an absolute path`);
  }
  if (mode === 'auto' && options.hasClassifier !== true) throw noClassifier();
  const allowsBypass = options.allowDangerouslySkipPermissions === true && bypassProblem(options) === undefined;
  if (mode === 'bypassPermissions' && !allowsBypass) {
    throw new RondoError('permission.bypass_refused', bypassProblem(options) ?? 'bypassPermissions is refused', {
      details: { mode },
    });
  }
  const sources = [
    ruleSource('disallowedTools', 'deny', options.disallowedTools, tools),
    ruleSource('askTools', 'ask', options.askTools, tools),
    ruleSource('allowedTools', 'allow', options.allowedTools, tools),
    agentModeSource(options.agentMode),
    agentPolicySource(options.agentPolicy, tools),
  ];
  return {
    sources: sources.filter((source) => source !== undefined),
    mode,
    directories,
    ...(home === undefined ? {} : { home }),
    ...(options.sandbox === undefined ? {} : { sandbox: options.sandbox }),
    ...(options.protected === undefined ? {} : { protected: options.protected }),
    ...(allowsBypass ? { allowsBypass } : {}),
    ...(options.hasClassifier === true ? { allowsAuto: true as const } : {}),
  };
}

/** True when the model is not even shown the tool: a deny rule without content names it. */
export function isToolRemoved(policy: Policy, toolName: string): boolean {
  return policy.sources.some(
    ({ evaluation, rules }) =>
      evaluation === 'strictest' &&
      rules.some(
        (rule) =>
          rule.behavior === 'deny' &&
          rule.content === undefined &&
          rule.arguments === undefined &&
          rule.toolName !== '*' &&
          isRuleForTool(rule, toolName),
      ),
  );
}

function bypassProblem({
  allowDangerouslySkipPermissions,
  isRoot,
  isSandbox,
}: CompilePolicyOptions): string | undefined {
  if (allowDangerouslySkipPermissions !== true) {
    return 'bypassPermissions must be allowed by whoever starts the session: set allowDangerouslySkipPermissions (--dangerously-skip-permissions)';
  }
  if (isRoot === true && isSandbox !== true) {
    return 'bypassPermissions is refused when running as root; run as another user, or set IS_SANDBOX=1 where the machine is a throw-away';
  }
  return undefined;
}

/** Why `auto` cannot be. */
export function noClassifier(): RondoError {
  return new RondoError(
    'permission.rule_unsupported',
    'permission mode "auto" needs a classifier, and this session has none; use "default", "acceptEdits", "plan" or "dontAsk", or name a model for it',
    { details: { mode: 'auto' } },
  );
}

function ruleSource(
  name: string,
  behavior: PermissionBehavior,
  texts: readonly string[] | undefined,
  tools: readonly Pick<Tool, 'name' | 'ruleContent'>[],
): PolicySource | undefined {
  if (texts === undefined || texts.length === 0) return undefined;
  const rules = parsePermissionRules(texts, behavior, { tools });
  return { name, evaluation: 'strictest', rules };
}

function agentModeSource(mode: AgentPermissionMode | undefined): PolicySource | undefined {
  if (mode === undefined || mode === 'auto') return undefined;
  return { name: 'permissionMode', evaluation: 'strictest', rules: [{ behavior: mode, toolName: '*' }] };
}

/** The tool's rules have words for what its calls are about. */
function describes(toolName: string, tools: readonly Pick<Tool, 'name' | 'ruleContent'>[]): boolean {
  const tool = tools.find(({ name }) => name === toolName);
  if (tool !== undefined) return isDescribed({ tool });
  return /^(?:Bash|PowerShell|Read|Write|Edit|NotebookEdit|Glob|Grep|WebFetch)$/.test(todaysName(toolName));
}

function agentPolicySource(
  policy: AgentPermissionPolicy | undefined,
  tools: readonly Pick<Tool, 'name' | 'ruleContent'>[],
): PolicySource | undefined {
  if (policy === undefined) return undefined;
  const rules = policy.rules.flatMap((rule): PolicyRule[] => {
    const { tools: named, decision, arguments: matchers } = rule;
    const parsed = named.map((tool) => parsePermissionRule(tool, decision));
    if (matchers === undefined) return parsed;
    checkArgumentMatchers(matchers, named);
    const described = parsed.find(({ toolName, content }) => content !== undefined || describes(toolName, tools));
    if (described !== undefined) {
      throw new RondoError(
        'permission.rule_unsupported',
        `permission policy rule for ${named.join(', ')}: calls of ${described.toolName} are told apart by the rule's own words, as in "Bash(git status)" or "Read(./docs/**)", and not by arguments`,
        { details: { tools: [...named] } },
      );
    }
    return parsed.map((each) => ({
      ...each,
      arguments: matchers,
      written: `${each.toolName} ${canonicalJson({ ...matchers })}`,
    }));
  });
  return { name: 'permissionPolicy', evaluation: 'ordered', rules, fallback: policy.default };
}
