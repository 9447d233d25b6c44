import { RondoError } from '@rondo/protocol/values';
import type { JsonObject } from '@rondo/protocol';
import { explainPermission, type PermissionOptions } from '@rondo/sdk';

export interface CaseOutcome {
  readonly id: string;
  readonly passed: boolean;
  readonly expected: string;
  readonly decision: string;
  /** What is to be known of one that failed. */
  readonly said: string;
}

interface Case {
  readonly id: string;
  readonly tool: string;
  readonly input: JsonObject;
  readonly expected: 'allow' | 'ask' | 'deny';
  readonly policy: Pick<PermissionOptions, 'permissionMode' | 'allowedTools' | 'disallowedTools'> & {
    readonly askTools?: readonly string[];
  };
}

/**
 * Judges the calls of a file, `{ "cases": [{ "call": { "tool", "input" }, "expected" }] }` or the list alone, by what may run
 * in the folder. A case with a `policy` of its own (`mode`, `allow`, `ask`, `deny`) has that on top.
 * @throws RondoError `input.invalid` naming the case that is none.
 */
export async function testPermissions(text: string, file: string, options: PermissionOptions): Promise<CaseOutcome[]> {
  const outcomes: CaseOutcome[] = [];
  for (const { id, tool, input, expected, policy } of readCases(text, file)) {
    const { explanation } = await explainPermission(tool, input, {
      ...options,
      ...(policy.permissionMode === undefined
        ? {}
        : { permissionMode: policy.permissionMode, allowDangerouslySkipPermissions: true }),
      allowedTools: [...(options.allowedTools ?? []), ...(policy.allowedTools ?? [])],
      disallowedTools: [...(options.disallowedTools ?? []), ...(policy.disallowedTools ?? [])],
      askTools: [...(policy.askTools ?? [])],
    });
    const { decision, reason } = explanation.decision;
    const said = `${tool} ${JSON.stringify(input)} is to be ${expected}, and is ${decision}: ${reason}`;
    outcomes.push({ id, passed: decision === expected, expected, decision, said });
  }
  return outcomes;
}

function readCases(text: string, file: string): Case[] {
  let value: unknown;
  try {
    value = JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch (cause) {
    throw new RondoError('input.invalid', `${file} is no JSON: ${(cause as Error).message}`, { cause });
  }
  const cases = Array.isArray(value) ? value : isFields(value) ? value['cases'] : undefined;
  if (!Array.isArray(cases))
    throw new RondoError(
      'input.invalid',
      `${file} has no list of cases: {"cases": [{"call": {"tool", "input"}, "expected"}]}.`,
    );
  return cases.map((entry: unknown, index) => readCase(entry, `${file}: case ${index + 1}`));
}

function readCase(entry: unknown, where: string): Case {
  const refuse = (problem: string): never => {
    throw new RondoError('input.invalid', `${where} ${problem}`);
  };
  if (!isFields(entry)) return refuse('is no object.');
  const { id, call, expected, policy = {} } = entry;
  if (!isFields(call) || typeof call['tool'] !== 'string' || !isFields(call['input']))
    return refuse('has no call: {"tool": "Bash", "input": {…}}.');
  if (expected !== 'allow' && expected !== 'ask' && expected !== 'deny')
    return refuse('has no expected: allow, ask or deny.');
  if (!isFields(policy)) return refuse('has a policy that is no object.');
  const unknown = Object.keys(policy).find((key) => !['mode', 'allow', 'ask', 'deny'].includes(key));
  if (unknown !== undefined)
    return refuse(
      `has ${unknown} in its policy, which cannot be laid over that of a folder; it takes mode, allow, ask and deny.`,
    );
  const { mode, allow, ask, deny } = policy as Readonly<Record<string, unknown>>;
  return {
    id: typeof id === 'string' ? id : where,
    tool: call['tool'],
    input: call['input'] as JsonObject,
    expected,
    policy: {
      ...(mode === undefined ? {} : { permissionMode: mode as NonNullable<PermissionOptions['permissionMode']> }),
      allowedTools: texts(allow),
      askTools: texts(ask),
      disallowedTools: texts(deny),
    },
  };
}

function texts(value: unknown): string[] {
  return Array.isArray(value) ? value.map(String) : [];
}

function isFields(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
