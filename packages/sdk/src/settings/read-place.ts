import { hash } from 'node:crypto';
import { statSync } from 'node:fs';
import { isRecord } from '../is-record.ts';
import { parseSettingsText, type ParsedText } from './parse-settings-text.ts';
import { readSettings, type SettingsFinding } from './read-settings.ts';
import { readRegularFile } from './regular-file.ts';
import type { SettingsLayer, SettingsProblem } from './settings-layer.ts';

/** What one source says now. */
export interface PlaceReading {
  /** Absent where the source says nothing, or nothing of it can be relied on. */
  readonly layer?: SettingsLayer;
  readonly problems: readonly SettingsProblem[];
  /** A restriction may have been lost: a session at work keeps to what the source said before. */
  readonly doubt: boolean;
}

/** All of a layer but what is read. */
export type LayerHead = Omit<SettingsLayer, 'settings' | 'hash'>;

export const nothing: PlaceReading = { problems: [], doubt: false };

const largest = 4 * 1024 * 1024;

/** Changes when the file does; undefined where there is none. A file that cannot even be looked at has one too. */
export function signatureOf(path: string): string | undefined {
  try {
    const stats = statSync(path, { throwIfNoEntry: false });
    if (stats === undefined) return undefined;
    const { dev, ino, mode, size, mtimeMs, ctimeMs } = stats;
    // Two writes within one tick of the disk's clock look alike: such a file is looked into again.
    const isFresh = Math.abs(Date.now() - Math.max(mtimeMs, ctimeMs)) < 100;
    return `${dev}:${ino}:${mode}:${size}:${mtimeMs}:${ctimeMs}${isFresh ? `:${Date.now()}:${Math.random()}` : ''}`;
  } catch (error) {
    return String((error as NodeJS.ErrnoException).code);
  }
}

/** The file's settings. One that is missing says nothing; never throws. */
export function readFilePlace(path: string, head: LayerHead): PlaceReading | Promise<PlaceReading> {
  let written: string | undefined;
  try {
    written = readRegularFile(path, largest)?.toString('utf8');
  } catch (error) {
    return broken(head, `cannot be read: ${(error as Error).message}`);
  }
  return written === undefined ? nothing : readTextPlace(written, head);
}

export function readTextPlace(written: string, head: LayerHead): PlaceReading | Promise<PlaceReading> {
  try {
    const parsed = parseSettingsText(written);
    if (parsed instanceof Promise) return parsed.then((each) => readParsed(written, each, head), tooDeep(head));
    return readParsed(written, parsed, head);
  } catch (error) {
    return tooDeep(head)(error);
  }
}

/** An object that a program gave. */
export function readObjectPlace(value: unknown, head: LayerHead): PlaceReading | Promise<PlaceReading> {
  return readParsed(JSON.stringify(value) ?? '', { value, findings: [] }, head);
}

function tooDeep(head: LayerHead): (error: unknown) => PlaceReading {
  return (error) => {
    if (!(error instanceof RangeError)) throw error;
    return broken(head, 'is nested too deeply to be read');
  };
}

function broken(head: LayerHead, problem: string): PlaceReading {
  return { problems: [{ file: head.name, problem, severity: 'broken' }], doubt: true };
}

function readParsed(written: string, parsed: ParsedText, head: LayerHead): PlaceReading | Promise<PlaceReading> {
  const { value, faultPlace } = parsed;
  const managed = head.source === 'managed';
  const findings = [...parsed.findings];
  let settings: SettingsLayer['settings'] = {};
  if (isRecord(value)) {
    const strict = head.source === 'flag' || (head.source === 'user' && head.folder === 'rondo');
    const read = readSettings(value, { managed, strict });
    settings = read.settings;
    findings.push(...read.findings);
  } else if (value !== undefined) {
    findings.push({
      path: [],
      problem: `is ${nameOf(value)} at its top, not an object`,
      severity: 'notice',
      doubt: true,
    });
  }
  const doubt = findings.some((finding) => finding.doubt === true);
  // An administrator's file that says nothing was cut short, or is being written.
  const worst = managed && doubt && !isRecord(value) ? findings.map(asBroken) : findings;
  const layer = { ...head, settings, hash: hash('sha256', written) };
  const isBroken = worst.some(({ severity }) => severity === 'broken');
  const reading = (places: readonly (string | undefined)[]): PlaceReading => ({
    ...(isBroken ? {} : { layer }),
    problems: worst.map((finding, index) => problemOf(finding, head.name, places[index])),
    doubt,
  });
  if (faultPlace !== undefined) return reading(worst.map(() => faultPlace));
  if (worst.length === 0 || head.path === undefined) return reading([]);
  return placed(written, worst).then(reading);
}

function asBroken(finding: SettingsFinding): SettingsFinding {
  return finding.doubt === true ? { ...finding, severity: 'broken' } : finding;
}

async function placed(written: string, findings: readonly SettingsFinding[]): Promise<readonly (string | undefined)[]> {
  const { placesIn } = await import('./tolerant-json.ts');
  const places = placesIn(
    written.replace(/^\uFEFF/, ''),
    findings.map(({ path }) => path),
  );
  return findings.map(({ path }, index) => (path.length === 0 ? undefined : places[index]));
}

function problemOf(finding: SettingsFinding, file: string, place: string | undefined): SettingsProblem {
  const { path, key = path.join('.'), problem, suggestion, severity } = finding;
  return {
    file,
    ...(place === undefined ? {} : { place }),
    ...(key === '' ? {} : { key }),
    problem,
    ...(suggestion === undefined ? {} : { suggestion }),
    severity,
  };
}

function nameOf(value: unknown): string {
  return value === null ? 'null' : Array.isArray(value) ? 'a list' : `a ${typeof value}`;
}
