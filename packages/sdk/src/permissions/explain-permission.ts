import { createHash } from 'node:crypto';
import type { JsonObject, PermissionMode } from '@rondo/protocol';
import { RondoError } from '@rondo/protocol/values';
import { classifiedInput, classifierQuestion, type CallExplanation, explainCall, policyHash } from '@rondo/runtime';
import { resolvePath } from '@rondo/runtime/node';
import { effectivePolicy, type PermissionOptions } from './effective-policy.ts';
import { mainArgument, permissionTool } from './permission-tool.ts';

export interface PermissionExplanation {
  readonly tool: string;
  readonly input: JsonObject;
  /** What the call is about: its command, path or address. */
  readonly subject: string;
  readonly explanation: CallExplanation;
  /** What the classifier would be shown, where the call is left to it, and by which model it would be judged. */
  readonly classifier?: { readonly question: string; readonly model?: string };
  readonly policy: { readonly mode: PermissionMode; readonly hash: string };
}

/** The arguments of a call that is about this, where its tool has an argument for that: `Bash` and a shell line. */
export function permissionInput(tool: string, subject: string): JsonObject {
  const argument = mainArgument(tool);
  return argument === undefined ? {} : { [argument]: subject };
}

/**
 * How a call would be judged in a session with these options, step by step, by the code that judges it. Hooks are not run:
 * nobody knows what they would say.
 * @throws RondoError `tool.input_invalid` when the arguments do not fit the tool.
 */
export async function explainPermission(
  toolName: string,
  input: JsonObject,
  options: PermissionOptions = {},
): Promise<PermissionExplanation> {
  const tool = await permissionTool(toolName);
  const validated = tool.validate(completed(toolName, input));
  if (!validated.ok) {
    const problems = validated.problems
      .map(({ path, message }) => `${path === '' ? '' : `${path}: `}${message}`)
      .join('; ');
    throw new RondoError('tool.input_invalid', `These are no arguments of ${toolName}: ${problems}.`);
  }
  const { policy, classifierModel } = await effectivePolicy(options);
  const explanation = await explainCall({
    tool,
    input: validated.input,
    policy,
    resolvePath,
    foldCase: process.platform === 'darwin' || process.platform === 'win32',
  });
  const { classify, reason } = explanation.decision;
  const question = (): string =>
    classifierQuestion({
      tool: tool.name,
      description: tool.description,
      input: classifiedInput(validated.input, (json) => json),
      cwd: policy.directories[0] ?? '/',
      reason,
    });
  const argument = mainArgument(toolName);
  const value = argument === undefined ? undefined : input[argument];
  return {
    tool: toolName,
    input: validated.input,
    subject: typeof value === 'string' ? value : JSON.stringify(input),
    explanation,
    ...(classify === true && {
      classifier: { question: question(), ...(classifierModel === undefined ? {} : { model: classifierModel }) },
    }),
    policy: { mode: policy.mode, hash: policyHash(policy, sha256) },
  };
}

/** Arguments without which no call is complete, and that nothing is judged by. */
function completed(tool: string, input: JsonObject): JsonObject {
  const needed: Readonly<Record<string, JsonObject>> = {
    Write: { content: '' },
    Edit: { old_string: 'a', new_string: 'b' },
    Glob: { pattern: '*' },
    Grep: { pattern: '.' },
  };
  return { ...needed[tool], ...input };
}

export function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
