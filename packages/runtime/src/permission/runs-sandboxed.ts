import type { ToolAccess } from '../tool/tool.ts';
import type { Policy, PolicyRule, PolicySandbox } from './policy.ts';
import type { ShellCommand, ShellLine } from './shell/shell-line.ts';
import { allowsCommand } from './shell-rule.ts';
import { unclearPart } from './unseen-part.ts';

/**
 * Whether the policy wants the call's command run in the sandbox. It runs outside when it asks for that and may, or when
 * every command of the line is one that is excluded; what is not understood stays inside.
 */
export function runsSandboxed(
  { sandbox }: Pick<Policy, 'sandbox'>,
  { command, unsandboxed }: ToolAccess,
  line: ShellLine | undefined,
): boolean {
  if (sandbox === undefined || command === undefined) return false;
  if (unsandboxed === true && sandbox.allowUnsandboxed) return false;
  if (line === undefined || line.commands.length === 0 || sandbox.excludedCommands.length === 0) return true;
  if (unclearPart(line) !== undefined) return true;
  const excluded = excludedRules(sandbox);
  return !line.commands.every((each) => isExcluded(each, excluded));
}

/** Whether a command of the line is excluded, though not all are: what is made to run outside may not do its work inside. */
export function hasExcluded({ sandbox }: Pick<Policy, 'sandbox'>, line: ShellLine | undefined): boolean {
  if (sandbox === undefined || line === undefined) return false;
  const excluded = excludedRules(sandbox);
  return line.commands.some((each) => isExcluded(each, excluded));
}

/** With all that it runs; a wrapper that does nothing else is what it runs. */
function isExcluded(command: ShellCommand, excluded: readonly PolicyRule[]): boolean {
  const { passesThrough, runs, risky } = command;
  if (risky !== undefined || !runs.every((each) => isExcluded(each, excluded))) return false;
  return (passesThrough && runs.length > 0) || excluded.some((rule) => allowsCommand(rule, command));
}

const rules = new WeakMap<PolicySandbox, readonly PolicyRule[]>();

function excludedRules(sandbox: PolicySandbox): readonly PolicyRule[] {
  let made = rules.get(sandbox);
  if (made === undefined) {
    made = sandbox.excludedCommands.map((written) => ({
      behavior: 'allow',
      toolName: 'Bash',
      content: written.includes('*') ? written.trim() : `${written.trim()}:*`,
    }));
    rules.set(sandbox, made);
  }
  return made;
}
