import { isRondoError, nearestNames } from '@rondo/protocol/values';
import { isRecord } from '../is-record.ts';
import { checkModelSettings } from './check-model-settings.ts';
import type { Settings } from './settings.ts';
import type { SettingKey, SettingTable } from './settings-key.ts';
import type { SettingsSeverity } from './settings-layer.ts';
import { settingsTable } from './settings-table.ts';
import { keyElsewhere, mayNarrow } from './settings-table-index.ts';

/** Something wrong, before anybody knows the line it stands on. */
export interface SettingsFinding {
  readonly path: readonly (string | number)[];
  /** Said in place of the path. */
  readonly key?: string;
  readonly problem: string;
  readonly suggestion?: string;
  readonly severity: SettingsSeverity;
  /** A restriction may have been lost by it: a session at work keeps to what the source said before. */
  readonly doubt?: true;
}

export interface ReadOptions {
  /** Keys that only managed settings may set count. */
  readonly managed: boolean;
  /** The user's own, in files or words of Rondo: a model that cannot be understood breaks it. */
  readonly strict: boolean;
}

export interface ReadSettings {
  readonly settings: Settings;
  readonly findings: readonly SettingsFinding[];
}

/**
 * The settings of one source, without a schema library. Wrong entries are left out, each with a finding; what restricts is
 * read in its widest sense, what grants only as documented. Never throws.
 */
export function readSettings(value: Readonly<Record<string, unknown>>, options: ReadOptions): ReadSettings {
  const findings: SettingsFinding[] = [];
  const settings = readObject(value, settingsTable, [], { ...options, findings });
  return { settings, findings };
}

interface Reading extends ReadOptions {
  readonly findings: SettingsFinding[];
}

type Path = readonly (string | number)[];

function readObject(
  value: Readonly<Record<string, unknown>>,
  table: SettingTable,
  path: Path,
  reading: Reading,
): Record<string, unknown> {
  const kept: [string, unknown][] = [];
  for (const [key, entry] of Object.entries(value)) {
    if (entry === undefined) continue;
    const spec = Object.hasOwn(table, key) ? table[key] : undefined;
    const place = [...path, key];
    if (spec === undefined) {
      unknownKey(key, table, place, reading);
      kept.push([key, entry]);
    } else if (spec.managedOnly === true && !reading.managed) {
      find(reading, place, 'counts only in managed settings', { severity: 'warning' });
    } else {
      const read = readValue(entry, spec, place, reading);
      if (read !== undefined) kept.push([key, read]);
    }
  }
  return Object.fromEntries(kept);
}

function unknownKey(key: string, table: SettingTable, path: Path, reading: Reading): void {
  const elsewhere = keyElsewhere(key, path.slice(0, -1));
  const [nearest] = elsewhere === undefined ? nearestNames(key, Object.keys(table), 1) : [];
  const meant = elsewhere?.spec ?? (nearest === undefined ? undefined : table[nearest]);
  if (meant === undefined) return;
  find(reading, path, elsewhere === undefined ? 'is no key that this version knows' : `stands ${elsewhere.where}`, {
    severity: meant.strict === true && reading.strict ? 'broken' : 'warning',
    doubt: mayNarrow(meant),
    ...(nearest === undefined ? {} : { suggestion: `did you mean ${nearest}?` }),
  });
}

function readValue(value: unknown, spec: SettingKey, path: Path, reading: Reading): unknown {
  if (value === null) {
    find(reading, path, 'is null, which says nothing', { severity: 'warning', doubt: mayNarrow(spec) });
    return undefined;
  }
  switch (spec.is) {
    case 'anything':
      return value;
    case 'boolean':
      return readBoolean(value, spec, path, reading);
    case 'number':
      return typeof value === 'number' && Number.isFinite(value)
        ? value
        : wrong(value, 'a number', spec, path, reading);
    case 'text':
      return typeof value === 'string' && value.trim() !== '' ? value : wrong(value, 'a text', spec, path, reading);
    case 'choice':
      return readChoice(value, spec, path, reading);
    case 'texts':
      return readTexts(value, spec, path, reading);
    case 'texts by name':
      return readRecord(value, spec, path, reading, (entry, place) => readTexts(entry, spec, place, reading));
    case 'variables':
      return readRecord(value, spec, path, reading, (entry, place) => readVariable(entry, spec, place, reading));
    case 'model settings':
      return readModels(value, spec, path, reading);
    case 'object':
      if (isRecord(value)) return readObject(value, spec.keys ?? {}, path, reading);
      return wrong(value, 'an object', spec, path, reading);
    case 'record':
    case 'hooks':
      return isRecord(value) ? value : wrong(value, 'an object', spec, path, reading);
  }
}

function readBoolean(value: unknown, spec: SettingKey, path: Path, reading: Reading): boolean | undefined {
  if (typeof value === 'boolean') return value;
  const meant = value === 'true' || value === 1 ? true : value === 'false' || value === 0 ? false : undefined;
  if (meant !== undefined && spec.effect === `narrows if ${meant}`) {
    find(reading, path, `takes true or false, not ${shown(value)}; it is read as ${meant}`, { severity: 'warning' });
    return meant;
  }
  return wrong(value, 'true or false', spec, path, reading);
}

/** Names that people write for a mode, too far from its own to be taken for slips. */
const modeSlips: Readonly<Record<string, string>> = {
  allowEdits: 'acceptEdits',
  manual: 'default',
  yolo: 'bypassPermissions',
};

function readChoice(value: unknown, spec: SettingKey, path: Path, reading: Reading): string | undefined {
  const choices = spec.choices ?? [];
  if (typeof value === 'string' && choices.includes(value)) return value;
  const name = typeof value === 'string' ? value : '';
  const nearest = Object.hasOwn(modeSlips, name) ? modeSlips[name] : nearestNames(name, choices, 1)[0];
  const suggestion =
    nearest !== undefined && choices.includes(nearest) ? `did you mean ${nearest}?` : `there are ${choices.join(', ')}`;
  // `disable` of what can only be disabled, and the mode that asks: never something wider.
  const instead = value === false || (name.trim() === '' && typeof value === 'string') ? undefined : spec.instead;
  const is = instead === undefined ? 'and does not count' : `and is read as ${instead}`;
  find(reading, path, `cannot be ${shown(value)}, ${is}`, {
    severity: instead === undefined || spec.effect === 'widens' ? 'error' : 'warning',
    suggestion,
  });
  return instead;
}

function readTexts(value: unknown, spec: SettingKey, path: Path, reading: Reading): readonly string[] | undefined {
  if (typeof value === 'string') {
    if (!mayNarrow(spec) || value.trim() === '')
      return wrong(value, 'a list of texts', spec, path, reading, `write [${JSON.stringify(value)}]`);
    find(reading, path, `takes a list; ${shown(value)} is read as a list of one`, { severity: 'warning' });
    return [value];
  }
  if (!Array.isArray(value)) return wrong(value, 'a list of texts', spec, path, reading);
  return value.flatMap((entry: unknown, index) => {
    if (typeof entry === 'string' && entry.trim() !== '') return [entry];
    find(reading, [...path, index], `takes a text, not ${shown(entry)}; the other entries count`, {
      severity: 'error',
      doubt: mayNarrow(spec),
    });
    return [];
  });
}

function readRecord(
  value: unknown,
  spec: SettingKey,
  path: Path,
  reading: Reading,
  readEntry: (entry: unknown, path: Path) => unknown,
): unknown {
  if (!isRecord(value)) return wrong(value, 'an object', spec, path, reading);
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, entry]) => {
      const read = readEntry(entry, [...path, name]);
      return read === undefined ? [] : [[name, read]];
    }),
  );
}

function readVariable(value: unknown, spec: SettingKey, path: Path, reading: Reading): string | undefined {
  if (typeof value === 'string') return value;
  if (typeof value !== 'number' && typeof value !== 'boolean') return wrong(value, 'a text', spec, path, reading);
  find(reading, path, `takes a text; ${shown(value)} is read as "${value}"`, { severity: 'warning' });
  return String(value);
}

function readModels(value: unknown, spec: SettingKey, path: Path, reading: Reading): unknown {
  try {
    return checkModelSettings(value, path.join('.'));
  } catch (error) {
    if (!isRondoError(error)) throw error;
    // Its message begins with the place that it is about.
    const key = /^\S+/.exec(error.message)?.[0] ?? '';
    const problem = error.message.slice(key.length + 1).replace(/\.$/, '');
    const named = key.replace(/:$/, '');
    find(reading, named.split('.'), problem, { key: named, severity: severityOf(spec, reading) });
    return undefined;
  }
}

/** A value that cannot be read at all: where it may restrict, nothing of its source can be relied on. */
function wrong(
  value: unknown,
  takes: string,
  spec: SettingKey,
  path: Path,
  reading: Reading,
  suggestion?: string,
): undefined {
  find(reading, path, `takes ${takes}, not ${shown(value)}`, {
    severity: severityOf(spec, reading),
    doubt: mayNarrow(spec),
    ...(suggestion === undefined ? {} : { suggestion }),
  });
  return undefined;
}

function severityOf(spec: SettingKey, reading: Reading): SettingsSeverity {
  const breaks = spec.effect === 'narrows' || (spec.keys !== undefined && mayNarrow(spec));
  return breaks || (spec.strict === true && reading.strict) ? 'broken' : 'error';
}

function find(
  { findings }: Reading,
  path: Path,
  problem: string,
  { doubt, ...more }: Omit<SettingsFinding, 'path' | 'problem' | 'doubt'> & { readonly doubt?: boolean },
): void {
  findings.push({ path, problem, ...more, ...(doubt === true ? { doubt } : {}) });
}

/** Short, since what stands in a wrong place may be a secret. */
function shown(value: unknown): string {
  if (typeof value === 'function') return 'a function';
  if (Array.isArray(value)) return value.length === 0 ? '[]' : 'a list';
  const json = JSON.stringify(value) ?? String(value);
  return json.length > 40 ? `${json.slice(0, 40)}…` : json;
}
