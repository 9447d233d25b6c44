import type { PermissionMode } from '@rondo/protocol';
import { RondoError } from '@rondo/protocol/values';
import { checkPermissionUpdates, type Policy } from '@rondo/runtime';

const modes = ['default', 'acceptEdits', 'bypassPermissions', 'plan', 'dontAsk', 'auto'];

/**
 * Whether a session that works by this policy may change to the mode.
 * @throws RondoError `permission.bypass_refused`, or `input.invalid` for what is no mode.
 */
export function checkPermissionMode(policy: Policy, mode: PermissionMode): void {
  if (!modes.includes(mode)) {
    const message = `query.setPermissionMode() takes one of ${modes.join(', ')}, not ${JSON.stringify(mode)}.`;
    throw new RondoError('input.invalid', message, { details: { method: 'setPermissionMode' } });
  }
  checkPermissionUpdates(policy, [{ type: 'setMode', mode, destination: 'session' }]);
}
