import { basename } from 'node:path';
import type { SettingsLayer } from '../settings/settings-layer.ts';
import type { HookSource } from './hook-entry.ts';

/** The hooks of settings that count, the lowest first. */
export function hookSources(layers: readonly SettingsLayer[]): readonly HookSource[] {
  return layers
    .filter(({ settings }) => settings.hooks !== undefined)
    .map((layer) => ({ name: nameOf(layer), file: layer.name, hooks: layer.settings.hooks }));
}

/** Without a folder of this machine: the project may lie elsewhere when its session is gone on with. */
function nameOf({ source, folder, path, policyOrigin }: SettingsLayer): string {
  if (source === 'managed') return `managed ${path === undefined ? (policyOrigin ?? 'settings') : basename(path)}`;
  return folder === undefined ? source : `${source} .${folder}`;
}
