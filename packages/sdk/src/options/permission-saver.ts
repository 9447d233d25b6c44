import type { Binding } from '@rondo/runtime';
import type { SettingsPolicyFeed } from '../settings/live-policy.ts';

export interface PermissionSaverOptions {
  readonly cwd: string;
  readonly home: string;
  readonly livePolicy: SettingsPolicyFeed;
}

/** Writes what a person allows for good to Rondo's settings files. Loads nothing before that happens. */
export function permissionSaver({
  cwd,
  home,
  livePolicy,
}: PermissionSaverOptions): NonNullable<Binding['savePermissions']> {
  return async (updates) => {
    const [{ savePermissions }, { signingOwnWrites }] = await Promise.all([
      import('../settings/save-permissions.ts'),
      import('../settings/sign-own-writes.ts'),
    ]);
    const place = { cwd, home };
    const notices = await savePermissions(updates, { ...place, signing: signingOwnWrites(place) });
    for (const { level, details } of notices) {
      const file = details?.['file'];
      if (level === 'info' && file !== undefined) livePolicy.wrote(file);
    }
    return notices;
  };
}
