import type { PermissionBehavior } from '@rondo/protocol';
import { seededChoices } from './choices.ts';
import { judgeCase } from './judge-case.ts';
import type { PermissionCase } from './permission-case.ts';
import { spelledCanary, wrapped } from './wrapped-command.ts';

export type WidePolicy = Pick<PermissionCase, 'policy' | 'hook' | 'classifier'>;

export const deniedCanary = ['Bash(canary:*)'];

/** Whoever may do most, where one program is denied. */
export const widestPolicies: readonly WidePolicy[] = [
  { policy: { mode: 'bypassPermissions', deny: deniedCanary } },
  { policy: { mode: 'default', deny: deniedCanary, allow: ['Bash'] } },
  { policy: { mode: 'acceptEdits', deny: deniedCanary, allow: ['Bash(*)'] } },
  { policy: { mode: 'auto', deny: deniedCanary }, classifier: 'allow' },
  { policy: { mode: 'default', deny: deniedCanary }, hook: { decision: 'allow' } },
  { policy: { mode: 'default', deny: deniedCanary, sandbox: { enabled: true, autoAllowBashIfSandboxed: true } } },
  {
    policy: {
      mode: 'default',
      deny: deniedCanary,
      agentPolicy: { default: 'allow', rules: [{ tools: ['Bash'], decision: 'allow' }] },
    },
  },
  {
    policy: {
      mode: 'default',
      sources: [{ name: 'managed', deny: deniedCanary }],
      allow: ['Bash(canary)', 'Bash(canary:*)', 'Bash(*)'],
    },
  },
];

/** A case of one command under a policy, which says of itself no more than it must. */
export function caseOfLine(command: string, given: WidePolicy, attended = true): PermissionCase {
  return { id: 'generated', ...given, attended, call: { tool: 'Bash', input: { command } }, expected: 'ask', why: '' };
}

export interface JudgedLines {
  readonly counts: Readonly<Record<PermissionBehavior, number>>;
  /** The lines that were allowed, with what said so: none should be. */
  readonly allowed: readonly { readonly line: string; readonly policy: string; readonly reason: string }[];
}

/** Puts whatever starts or holds commands around a denied one and judges the lines by the widest policies. The same for the same seed. */
export async function judgeWrappedCommands({
  seed,
  lines,
  layers = 4,
  attended = true,
}: {
  readonly seed: number;
  readonly lines: number;
  readonly layers?: number;
  readonly attended?: boolean;
}): Promise<JudgedLines> {
  const choices = seededChoices(seed);
  const counts = { allow: 0, ask: 0, deny: 0 };
  const allowed: { line: string; policy: string; reason: string }[] = [];
  for (let made = 0; made < lines; made += 1) {
    const line = wrapped(choices, spelledCanary(choices), layers);
    const given = choices.pick(widestPolicies);
    const { decision, reason } = await judgeCase(caseOfLine(line, given, attended));
    counts[decision] += 1;
    if (decision === 'allow') allowed.push({ line, policy: JSON.stringify(given), reason });
  }
  return { counts, allowed };
}
