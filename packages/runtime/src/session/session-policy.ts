import type { SessionState } from '../event/session-state.ts';
import { applyPermissionUpdates } from '../permission/apply-permission-updates.ts';
import type { Policy } from '../permission/policy.ts';
import type { Binding } from '../turn/binding.ts';

/** The binding's policy with what the session has been allowed or told since; made anew only when that has changed. */
export function createSessionPolicy(state: SessionState): (binding: Binding) => Policy {
  let made: { readonly binding: Binding; readonly updates: number; readonly policy: Policy } | undefined;
  return (binding) => {
    const updates = state.permissions.length;
    if (made?.binding !== binding || made.updates !== updates) {
      const policy = updates === 0 ? binding.policy : applyPermissionUpdates(binding.policy, state.permissions);
      made = { binding, updates, policy };
    }
    return made.policy;
  };
}
