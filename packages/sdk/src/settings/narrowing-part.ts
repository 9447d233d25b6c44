import { isRecord } from '../is-record.ts';
import type { Settings } from './settings.ts';
import type { SettingKey, SettingTable } from './settings-key.ts';
import { settingsTable } from './settings-table.ts';

export interface NarrowingPart {
  /** What only takes away, and what neither takes nor gives. */
  readonly kept: Settings;
  /** With dots, what else was said: `permissions.allow`, `env`. */
  readonly leftOut: readonly string[];
}

/**
 * Of settings what may count although whoever wrote them is not trusted to widen anything. Keys that nobody here knows
 * are left out without a word.
 * @param neutral whether keys that neither take nor give are kept.
 */
export function narrowingPart(settings: Settings, { neutral = false } = {}): NarrowingPart {
  const leftOut: string[] = [];
  return { kept: narrowed(settings, settingsTable, { neutral, leftOut, under: '' }), leftOut };
}

interface Narrowing {
  readonly neutral: boolean;
  readonly leftOut: string[];
  readonly under: string;
}

function narrowed(value: Settings, table: SettingTable, narrowing: Narrowing): Settings {
  const { leftOut, neutral, under } = narrowing;
  const kept = Object.entries(value).flatMap(([key, entry]): [string, unknown][] => {
    const spec = Object.hasOwn(table, key) ? table[key] : undefined;
    if (spec === undefined || entry === undefined) return [];
    if (spec.keys !== undefined && isRecord(entry)) {
      const part = narrowed(entry, spec.keys, { ...narrowing, under: `${under}${key}.` });
      return Object.keys(part).length === 0 ? [] : [[key, part]];
    }
    if (spec.effect === 'neutral' ? neutral : narrows(spec, entry)) return [[key, entry]];
    if (spec.effect !== 'neutral' && !saysNothing(entry)) leftOut.push(`${under}${key}`);
    return [];
  });
  return Object.fromEntries(kept);
}

function narrows({ effect }: SettingKey, value: unknown): boolean {
  return effect === 'narrows' || effect === `narrows if ${String(value)}`;
}

function saysNothing(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}
