import type { SessionState } from '../event/session-state.ts';
import { applyPermissionUpdates } from '../permission/apply-permission-updates.ts';
import { policyInForce } from '../permission/live-policy.ts';
import type { Policy } from '../permission/policy.ts';
import type { Binding } from '../turn/binding.ts';

/** The policy in force with what the session has been allowed or told since; made anew only when that has changed. */
export function createSessionPolicy(state: SessionState): (binding: Binding) => Policy {
  let made: { readonly base: Policy; readonly updates: number; readonly policy: Policy } | undefined;
  return (binding) => {
    const updates = state.permissions.length;
    const base = policyInForce(binding);
    if (made?.base !== base || made.updates !== updates) {
      const policy = updates === 0 ? base : applyPermissionUpdates(base, state.permissions);
      made = { base, updates, policy };
    }
    return made.policy;
  };
}
