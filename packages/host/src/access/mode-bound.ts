import type { PermissionMode, PermissionUpdate } from '@rondo/protocol';
import { RondoError } from '@rondo/protocol/values';

/** From the mode that lets least happen unasked to the one that lets most. */
export const modesByReach: readonly PermissionMode[] = [
  'plan',
  'dontAsk',
  'default',
  'acceptEdits',
  'auto',
  'bypassPermissions',
];

/** Whether the mode goes no farther than the highest. */
export function isWithin(mode: PermissionMode, highestMode: PermissionMode): boolean {
  return modesByReach.indexOf(mode) <= modesByReach.indexOf(highestMode);
}

/** @throws RondoError `access.denied` when the mode goes farther than the highest. */
export function requireMode(mode: PermissionMode, highestMode: PermissionMode): void {
  if (isWithin(mode, highestMode)) return;
  throw new RondoError('access.denied', `permission mode "${mode}" goes farther than "${highestMode}"`, {
    details: { mode, highestMode },
  });
}

/**
 * What one with a highest mode may change: the mode up to it, and rules that only tighten, for the session alone. A rule
 * that lets more happen unasked could go farther than any mode; the question's own rule is had with `scope: "session"`.
 * @throws RondoError `access.denied`.
 */
export function requireBoundUpdates(updates: readonly PermissionUpdate[], highestMode: PermissionMode): void {
  for (const update of updates) {
    if (update.destination !== 'session') {
      throw denied(update, `permission updates for "${update.destination}" outlast the session`, highestMode);
    }
    if (update.type === 'setMode') requireMode(update.mode, highestMode);
    else if (update.type !== 'addRules' || update.behavior === 'allow') {
      throw denied(
        update,
        `the permission update "${update.type}" may let more happen unasked; answer with scope "session" to allow what was asked`,
        highestMode,
      );
    }
  }
}

function denied({ type, destination }: PermissionUpdate, why: string, highestMode: PermissionMode): RondoError {
  return new RondoError('access.denied', `${why}; the caller's highest mode is "${highestMode}"`, {
    details: { update: type, destination, highestMode },
  });
}
