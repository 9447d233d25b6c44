import type { SettingKey, SettingTable } from './settings-key.ts';
import { settingsTable } from './settings-table.ts';

/** Whether the key can take something away that would be allowed without it. Hooks can. */
export function mayNarrow(spec: SettingKey): boolean {
  return spec.effect.startsWith('narrows') || spec.is === 'hooks' || Object.values(spec.keys ?? {}).some(mayNarrow);
}

export interface KeyElsewhere {
  readonly spec: SettingKey;
  /** `under permissions`, `at the top level`. */
  readonly where: string;
}

const ofModels: readonly string[] = ['aliases', 'defaultProvider', 'servers', 'facts'];

let index: ReadonlyMap<string, KeyElsewhere> | undefined;

/** Where a key of this name belongs, when that is not where it stands. */
export function keyElsewhere(key: string, under: readonly (string | number)[]): KeyElsewhere | undefined {
  index ??= new Map(entriesOf(settingsTable, []));
  return under.at(-1) === 'models' ? undefined : index.get(key);
}

function entriesOf(table: SettingTable, path: readonly string[]): [string, KeyElsewhere][] {
  const where = path.length === 0 ? 'at the top level' : `under ${path.join('.')}`;
  return Object.entries(table).flatMap(([key, spec]) => {
    // Words that a section of anybody's invention may use stand for nothing in particular.
    const isTelling = !['enabled', 'allow', 'network', 'filesystem', 'ripgrep'].includes(key) || path.length === 0;
    const below = key === 'models' ? modelKeys(spec) : entriesOf(spec.keys ?? {}, [...path, key]);
    return [...(isTelling ? [[key, { spec, where }] as [string, KeyElsewhere]] : []), ...below];
  });
}

function modelKeys(spec: SettingKey): [string, KeyElsewhere][] {
  return ofModels.map((key) => [key, { spec, where: 'under models' }]);
}
