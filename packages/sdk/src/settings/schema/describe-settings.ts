import type { SettingKey, SettingTable } from '../settings-key.ts';
import { settingsTable } from '../settings-table.ts';

const effects: Readonly<Record<SettingKey['effect'], string>> = {
  neutral: 'at once',
  narrows: 'at once',
  'narrows if true': '`true` at once',
  'narrows if false': '`false` at once',
  widens: 'when trusted',
  runs: 'when trusted',
};
const merges: Readonly<Record<SettingKey['merge'], string>> = {
  replace: 'highest wins',
  union: 'joined',
  'by key': 'by name',
  any: 'true in any',
};

/** Every key as a table for the guide: what it is, how sources meet, and when it counts of a folder that was cloned. */
export function describeSettings(): string {
  const rows = rowsOf(settingsTable, '').map(({ key, spec }) => {
    const counts = spec.managedOnly === true ? 'managed only' : effects[spec.effect];
    return `| \`${key}\` | ${spec.about} | ${merges[spec.merge]} | ${counts} |`;
  });
  return ['| key | | sources | of a folder |', '| --- | --- | --- | --- |', ...rows].join('\n');
}

function rowsOf(table: SettingTable, under: string): { readonly key: string; readonly spec: SettingKey }[] {
  return Object.entries(table).flatMap(([name, spec]) => {
    const key = `${under}${name}`;
    return spec.keys === undefined ? [{ key, spec }] : rowsOf(spec.keys, `${key}.`);
  });
}
