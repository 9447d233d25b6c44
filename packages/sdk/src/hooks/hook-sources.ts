import { basename } from 'node:path';
import type { SettingsLayer } from '../settings/settings-layer.ts';
import type { HookSource } from './hook-entry.ts';

/** The hooks of settings that count, the lowest first. */
export function hookSources(layers: readonly SettingsLayer[]): readonly HookSource[] {
  const times = new Map<string, number>();
  return layers
    .filter(({ settings }) => settings.hooks !== undefined)
    .map((layer) => {
      const name = nameOf(layer);
      const time = (times.get(name) ?? 0) + 1;
      times.set(name, time);
      // What one hook said is never taken for what another one of its name has to say.
      return { name: time === 1 ? name : `${name} (${time})`, file: layer.name, hooks: layer.settings.hooks };
    });
}

/** Without a folder of this machine: the project may lie elsewhere when its session is gone on with. */
function nameOf({ source, folder, path, policyOrigin }: SettingsLayer): string {
  if (source === 'managed') return `managed ${path === undefined ? (policyOrigin ?? 'settings') : basename(path)}`;
  return folder === undefined ? source : `${source} .${folder}`;
}
