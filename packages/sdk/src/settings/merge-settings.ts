import type { ModelSettings } from '@rondo/providers';
import { isRecord } from '../is-record.ts';
import { mergeModelSettings } from './merge-model-settings.ts';
import type { Settings } from './settings.ts';
import type { SettingKey, SettingTable } from './settings-key.ts';
import type { SettingsLayer } from './settings-layer.ts';
import { settingsTable } from './settings-table.ts';

/** A key that holds no further known keys, and which layers its value comes from. */
export interface SettingOrigin {
  /** With dots: `permissions.deny`. */
  readonly key: string;
  /** The lowest first; of a value that higher layers replace, the one that said it last. */
  readonly layers: readonly SettingsLayer[];
}

export interface MergedSettings {
  readonly settings: Settings;
  readonly origins: ReadonlyMap<string, SettingOrigin>;
}

/** All layers as one: the highest wins, lists are joined, variables and servers go by name. */
export function mergeSettings(layers: readonly SettingsLayer[]): MergedSettings {
  const origins = new Map<string, SettingOrigin>();
  let settings: Readonly<Record<string, unknown>> = {};
  for (const layer of layers) settings = merged(settings, layer.settings, settingsTable, { layer, origins, under: '' });
  return { settings, origins };
}

interface Merging {
  readonly layer: SettingsLayer;
  readonly origins: Map<string, SettingOrigin>;
  readonly under: string;
}

type Values = Readonly<Record<string, unknown>>;

function merged(under: Values, over: Values, table: SettingTable, merging: Merging): Values {
  const result = new Map(Object.entries(under));
  for (const [name, value] of Object.entries(over)) {
    const spec = Object.hasOwn(table, name) ? table[name] : undefined;
    const before = result.get(name);
    const key = `${merging.under}${name}`;
    if (spec?.keys !== undefined && isRecord(value)) {
      const below = isRecord(before) ? before : {};
      result.set(name, merged(below, value, spec.keys, { ...merging, under: `${key}.` }));
      continue;
    }
    const known = merging.origins.get(key)?.layers ?? [];
    const joins = before !== undefined && spec !== undefined && spec.merge !== 'replace';
    merging.origins.set(key, { key, layers: joins ? [...known, merging.layer] : [merging.layer] });
    result.set(name, joins ? joined(before, value, spec) : value);
  }
  return Object.fromEntries(result);
}

function joined(before: unknown, value: unknown, spec: SettingKey): unknown {
  if (spec.merge === 'any') return before === true || value === true;
  if (spec.merge === 'union')
    return Array.isArray(before) && Array.isArray(value) ? [...new Set([...before, ...value])] : value;
  if (!isRecord(before) || !isRecord(value)) return value;
  if (spec.is === 'model settings') return mergeModelSettings(before as ModelSettings, value as ModelSettings);
  if (spec.is !== 'hooks') return { ...before, ...value };
  const events = Object.entries(value).map(([event, groups]): [string, unknown] => {
    const others = before[event];
    return [event, Array.isArray(others) && Array.isArray(groups) ? [...others, ...groups] : groups];
  });
  return Object.fromEntries([...Object.entries(before), ...events]);
}
