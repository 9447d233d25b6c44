import type { Policy } from './policy.ts';

/** What a person should know of a policy that changed while sessions were at work. */
export interface PolicyNotice {
  readonly level: 'info' | 'warning' | 'error';
  readonly message: string;
  readonly details?: { readonly [name: string]: string };
}

/** A policy that others may change while sessions are at work: the settings files of a person. */
export interface LivePolicy {
  /** What is in force; the same value until it changes. Read at every decision. */
  current(): Policy;
  /**
   * Looks whether it has changed, before every decision. Undefined when there is nothing to wait for. Never rejects: what
   * cannot be read leaves the last policy in force, and a notice.
   */
  refresh(): Promise<void> | undefined;
  /** What happened since the tree of sessions took it last. */
  takeNotices(rootId: string): readonly PolicyNotice[];
}

/** What a binding's sessions may do now, without what they were allowed since. */
export function policyInForce(binding: { readonly policy: Policy; readonly livePolicy?: LivePolicy }): Policy {
  return binding.livePolicy?.current() ?? binding.policy;
}
