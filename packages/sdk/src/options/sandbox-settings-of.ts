import type { CountedSettings } from '../settings/counted-settings.ts';
import { withinManaged } from '../settings/managed-only.ts';
import { mergeSettings } from '../settings/merge-settings.ts';
import type { SandboxSettings } from '../settings/settings.ts';
import type { SettingsLayer } from '../settings/settings-layer.ts';

/** What all sources together say of the sandbox: `options.sandbox` above the files, below what is managed. */
export function sandboxSettingsOf(
  counted: CountedSettings,
  option: SandboxSettings | undefined,
  cwd: string,
): SandboxSettings | undefined {
  if (option === undefined) return counted.settings.sandbox;
  const layer: SettingsLayer = {
    source: 'flag',
    name: 'options.sandbox',
    root: cwd,
    settings: { sandbox: option },
    hash: '',
  };
  const managed = counted.layers.filter(({ source }) => source === 'managed');
  const others = counted.layers.filter(({ source }) => source !== 'managed');
  return mergeSettings(withinManaged([...others, layer, ...managed])).settings.sandbox;
}
