import type { JsonObject } from '@rondo/protocol';
import type { Tool, ToolAccess } from '../tool/tool.ts';
import {
  decidePermission,
  decideRestriction,
  type PermissionDecision,
  type PermissionQuestion,
} from './decide-permission.ts';
import { rulesFor } from './judged-call.ts';
import { judgedPaths } from './judged-paths.ts';
import { bypasses, modesOf } from './mode-table.ts';
import type { Policy } from './policy.ts';
import { runsSandboxed } from './runs-sandboxed.ts';
import { loadShellAnalyzer } from './shell/load-shell-analyzer.ts';
import type { ShellLine } from './shell/shell-line.ts';
import { pathsOfLine } from './shell-paths.ts';
import { onlyReadsLine } from './unseen-part.ts';
import type { PathResolver } from './path-resolver.ts';
import { printRule } from './print-rule.ts';

export interface JudgeCallOptions
  extends Pick<PermissionQuestion, 'answered' | 'foldCase' | 'hookAsk' | 'hookAllow' | 'verdict'> {
  readonly tool: Tool;
  /** Validated. */
  readonly input: JsonObject;
  readonly policy: Policy;
  /** Follows links, of the nearest existing folder for what does not exist. Rejects where it cannot tell. */
  readonly resolvePath: PathResolver;
  readonly unattended?: boolean;
}

export interface JudgedQuestion {
  readonly question: PermissionQuestion;
  /** Where the call's paths lead. */
  readonly places: ReadonlySet<string>;
  /** The policy wants its command run in the sandbox. */
  readonly sandboxed: boolean;
}

/** What was decided of a call, and where its paths led when it was. */
export type CallJudgement = PermissionDecision &
  Pick<JudgedQuestion, 'places' | 'sandboxed'> & {
    /** Its command was taken apart and is known to change nothing. */
    readonly readsOnly?: true;
  };

/** Judges one call by its policy, up to the question: takes its shell line apart, asks the file system, decides. Never rejects. */
export async function judgeCall(options: JudgeCallOptions): Promise<CallJudgement> {
  const asked = await questionOfCall(options);
  if ('decision' in asked) return { ...asked, places: new Set(), sandboxed: options.policy.sandbox !== undefined };
  const { question, places, sandboxed } = asked;
  const reads = question.shell !== undefined && onlyReadsLine(question.shell);
  const decided = stricterOf(decidePermission(question), await restrictionOfReplaced(options));
  return { ...decided, places, sandboxed, ...(reads && { readsOnly: true }) };
}

const strictness = ['deny', 'ask', 'allow'] as const;

function stricterOf(decided: PermissionDecision, other: PermissionDecision | undefined): PermissionDecision {
  if (other === undefined) return decided;
  return strictness.indexOf(other.decision) < strictness.indexOf(decided.decision) ? other : decided;
}

/** What the rules deny or ask of the tool in whose place this one runs. */
async function restrictionOfReplaced(options: JudgeCallOptions): Promise<PermissionDecision | undefined> {
  const { standsFor } = options.tool;
  if (standsFor === undefined) return undefined;
  const { tool } = standsFor;
  const validated = tool?.validate(options.input);
  if (tool === undefined || validated?.ok !== true) return restrictionOfUnread(options, standsFor);
  const asked = await questionOfCall({ ...options, tool, input: validated.input, hookAsk: undefined });
  return 'decision' in asked ? asked : decideRestriction(asked.question);
}

/** Arguments that are not the built-in tool's: what a rule says of their content, nobody can tell. */
function restrictionOfUnread(
  { tool, policy, unattended = false, answered = false }: JudgeCallOptions,
  { name, tool: replaced }: NonNullable<Tool['standsFor']>,
): PermissionDecision | undefined {
  const restricting = rulesFor(policy, { name, ruleContent: replaced?.ruleContent ?? 'none' }).filter(
    ({ rule }) => rule.behavior !== 'allow',
  );
  const found =
    restricting.find(({ rule }) => rule.behavior === 'deny' && rule.content === undefined) ?? restricting[0];
  if (found === undefined) return undefined;
  const { rule, source } = found;
  const written = { rule: printRule(rule), source: source.name };
  if (rule.behavior === 'deny' && rule.content === undefined) {
    const reason = `denied by ${source.name}: ${written.rule}, which ${tool.name} stands for`;
    return { decision: 'deny', step: 'deny rules', reasonType: 'rule', reason, ...written };
  }
  if (answered) return undefined;
  const reason = `${tool.name} stands for ${name}, of which ${source.name} has rules: ${written.rule}`;
  const silent = unattended || modesOf(policy).includes('dontAsk');
  return silent
    ? { decision: 'deny', step: 'instead of the question', reasonType: 'unattended', reason, ...written }
    : { decision: 'ask', step: 'ask rules', reasonType: 'unclear', reason, ...written };
}

/** Everything that deciding needs to know of the call; a decision where its tool cannot say what it does. */
export async function questionOfCall(options: JudgeCallOptions): Promise<JudgedQuestion | PermissionDecision> {
  const { tool, input, policy, resolvePath, unattended = false, ...rest } = options;
  let access: ToolAccess;
  try {
    access = tool.access(input);
  } catch (error) {
    const reason = `${tool.name} could not say what this call touches (${error instanceof Error ? error.message : String(error)})`;
    return { decision: 'deny', step: 'deny rules', reasonType: 'tool', reason };
  }
  const shell = await shellLineOf(access, tool, policy);
  const touched = shell === undefined ? [] : pathsOfLine(shell, policy);
  const paths = await judgedPaths(access, { tool, policy, resolvePath, touched });
  const forms = paths.paths.flatMap((path) => path.forms);
  return {
    question: { tool, input, access, paths, shell, policy, unattended, ...rest },
    places: new Set(forms.filter((form) => form !== undefined)),
    sandboxed: runsSandboxed(policy, access, shell),
  };
}

/** Undefined where there is no command, or where nothing depends on what it is. */
async function shellLineOf({ command }: ToolAccess, tool: Tool, policy: Policy): Promise<ShellLine | undefined> {
  if (command === undefined || tool.ruleContent !== 'command') return undefined;
  const isOpen =
    bypasses(policy) &&
    (policy.sandbox?.excludedCommands ?? []).length === 0 &&
    rulesFor(policy, tool).every(({ rule }) => rule.behavior === 'allow' || rule.content === undefined);
  if (isOpen) return undefined;
  if (tool.name === 'PowerShell') {
    return { text: command, commands: [], isForeign: true, unclear: 'lines of PowerShell are not taken apart' };
  }
  try {
    const analyze = await loadShellAnalyzer();
    return analyze(command);
  } catch (error) {
    return { text: command, commands: [], unclear: error instanceof Error ? error.message : String(error) };
  }
}
