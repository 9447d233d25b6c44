import type { SettingsFinding } from './read-settings.ts';

/** What JSON text says; of text that is none, what it says all the same, or the fault. */
export interface ParsedText {
  /** Undefined where the text cannot be read. */
  readonly value: unknown;
  readonly findings: readonly SettingsFinding[];
  /** Where the text stops being JSON, of a fault. */
  readonly faultPlace?: string;
}

/**
 * Plain JSON at once. Comments, trailing commas and keys that stand twice are read by a tolerant parser, which is loaded
 * only then: hence maybe a promise.
 */
export function parseSettingsText(written: string): ParsedText | Promise<ParsedText> {
  const text = written.replace(/^\uFEFF/, '');
  const marked: SettingsFinding[] =
    text === written
      ? []
      : [{ path: [], problem: 'begins with a byte order mark, which is skipped', severity: 'notice' }];
  if (text.trim() === '') return { value: undefined, findings: [...marked, empty('is empty, which says nothing')] };
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return parseTolerantly(text, marked);
  }
  // The tolerant parser also leaves out the key by which objects are made, however it is spelled.
  if (/__proto__|\\u/.test(text) || countMembers(value) !== countColons(text)) return parseTolerantly(text, marked);
  return { value, findings: marked };
}

function empty(problem: string): SettingsFinding {
  return { path: [], problem, severity: 'notice', doubt: true };
}

async function parseTolerantly(text: string, marked: readonly SettingsFinding[]): Promise<ParsedText> {
  const { readTolerantJson, tolerantFault } = await import('./tolerant-json.ts');
  const tolerant = readTolerantJson(text);
  if (tolerant !== undefined) return { value: tolerant.value, findings: [...marked, ...tolerant.findings] };
  const { place, expected } = tolerantFault(text);
  const problem = `is no JSON: expected ${expected} here`;
  return {
    value: undefined,
    findings: [{ path: [], problem, severity: 'broken', doubt: true }],
    faultPlace: place,
  };
}

/** Each member has one colon outside texts; a value with fewer members than that had a key twice. */
function countColons(text: string): number {
  return text.replace(/"(?:[^"\\]|\\.)*"/g, '').split(':').length - 1;
}

function countMembers(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  const entries = Object.values(value);
  return entries.reduce<number>(
    (count, entry) => count + countMembers(entry),
    Array.isArray(value) ? 0 : entries.length,
  );
}
