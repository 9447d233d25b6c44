import { isRecord } from '../is-record.ts';
import type { Settings } from './settings.ts';
import type { SettingsLayer } from './settings-layer.ts';

/**
 * The layers as managed settings let them count: without what is not managed, where those say so. Rules that deny or ask
 * stay, whoever says them: to drop one is never what a policy is for.
 */
export function withinManaged(layers: readonly SettingsLayer[]): readonly SettingsLayer[] {
  const managed = layers.filter(({ source }) => source === 'managed').map(({ settings }) => settings);
  const isOn = (says: (settings: Settings) => boolean | undefined) =>
    managed.some((settings) => says(settings) === true);
  const rules = isOn(({ allowManagedPermissionRulesOnly }) => allowManagedPermissionRulesOnly);
  const domains = isOn(({ sandbox }) => sandbox?.network?.allowManagedDomainsOnly);
  const managedHooksOnly = isOn(({ allowManagedHooksOnly }) => allowManagedHooksOnly);
  const noHooks = isOn(({ disableAllHooks }) => disableAllHooks);
  const noOwnHooks = managedHooksOnly || noHooks || layers.some(({ settings }) => settings.disableAllHooks === true);
  if (!rules && !domains && !noOwnHooks) return layers;
  return layers.map((layer) => {
    const isManaged = layer.source === 'managed';
    const dropped = [
      ...(rules && !isManaged ? ['permissions.allow'] : []),
      ...(domains && !isManaged ? ['sandbox.network.allowedDomains'] : []),
      ...(noHooks || (noOwnHooks && !isManaged) ? ['hooks'] : []),
    ];
    return dropped.length === 0 ? layer : { ...layer, settings: dropped.reduce(without, layer.settings) };
  });
}

function without(settings: Settings, key: string): Settings {
  const [first = '', ...rest] = key.split('.');
  if (!Object.hasOwn(settings, first)) return settings;
  const { [first]: value, ...others } = settings;
  if (rest.length === 0) return others;
  return isRecord(value) ? { ...others, [first]: without(value, rest.join('.')) } : settings;
}
