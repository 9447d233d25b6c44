import type { PermissionBehavior, PermissionMode } from '@rondo/protocol';
import { grantedCode, policyHash, printRule } from '@rondo/runtime';
import { effectivePolicy, type PermissionOptions } from './effective-policy.ts';
import { sha256 } from './explain-permission.ts';

export interface ListedRule {
  readonly behavior: PermissionBehavior;
  /** As it is written, without what looks like a secret. */
  readonly rule: string;
  /** The file or the option that says it. */
  readonly source: string;
  /** Of an allow rule that lets any code run: why. */
  readonly grants?: string;
}

export interface PermissionList {
  readonly mode: PermissionMode;
  /** The session's folder first. */
  readonly directories: readonly string[];
  readonly rules: readonly ListedRule[];
  /** What is wrong in the settings, and what of them counts otherwise than it is written. */
  readonly notices: readonly string[];
  /** What is left out for want of trust. */
  readonly untrusted?: string;
  /** By which the log names this policy. */
  readonly hash: string;
}

/** What may run in a session with these options. */
export async function listPermissions(options: PermissionOptions = {}): Promise<PermissionList> {
  const { policy, notices, untrusted } = await effectivePolicy(options);
  const { mode, directories, sources } = policy;
  return {
    mode,
    directories,
    rules: sources.flatMap(({ name, rules }) =>
      rules.map((rule): ListedRule => {
        const grants = rule.behavior === 'allow' ? grantedCode(rule) : undefined;
        return {
          behavior: rule.behavior,
          rule: printRule(rule),
          source: name,
          ...(grants === undefined ? {} : { grants }),
        };
      }),
    ),
    notices,
    ...(untrusted === undefined ? {} : { untrusted }),
    hash: policyHash(policy, sha256),
  };
}
