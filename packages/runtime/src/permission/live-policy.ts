import type { Policy } from './policy.ts';

/** What a person should know of a policy that changed while sessions were at work. */
export interface PolicyNotice {
  readonly level: 'info' | 'warning' | 'error';
  readonly message: string;
  readonly details?: { readonly [name: string]: string };
}

/** One file of settings that says something else than it did. */
export interface PolicyChange {
  readonly source: 'user_settings' | 'project_settings' | 'local_settings' | 'policy_settings';
  readonly file: string;
  /** The same for the same change. */
  readonly id: string;
}

/** What somebody has against a change: `blocked` says why. Undefined where that cannot be told now, such as in a turn that is stopped. */
export type JudgeChange = (change: PolicyChange) => Promise<{ readonly blocked?: string } | undefined>;

/** A policy that others may change while sessions are at work: the settings files of a person. */
export interface LivePolicy {
  /** What is in force; the same value until it changes. Read at every decision. */
  current(): Policy;
  /**
   * Looks whether it has changed, before every decision. Undefined when there is nothing to wait for. Never rejects: what
   * cannot be read leaves the last policy in force, and a notice.
   * @param judge is asked about each change before it counts. Absent: what nobody here has written waits for who is asked,
   * where somebody is.
   */
  refresh(judge?: JudgeChange): Promise<void> | undefined;
  /** What happened since the tree of sessions took it last. */
  takeNotices(rootId: string): readonly PolicyNotice[];
}

/** What a binding's sessions may do now, without what they were allowed since. */
export function policyInForce(binding: { readonly policy: Policy; readonly livePolicy?: LivePolicy }): Policy {
  return binding.livePolicy?.current() ?? binding.policy;
}
