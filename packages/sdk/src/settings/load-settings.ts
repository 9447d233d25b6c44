import { resolve } from 'node:path';
import { narrowingPart } from './narrowing-part.ts';
import { type LayerHead, type PlaceReading, readFilePlace, readObjectPlace, readTextPlace } from './read-place.ts';
import type { LoadedSettings, LoadSettingsOptions, SettingsLayer, SettingsProblem } from './settings-layer.ts';
import type { SettingsPlace } from './settings-places.ts';
import { settingsPlaces } from './settings-places.ts';
import { worstFirst } from './settings-problem.ts';

/**
 * What every source says, the lowest first. Never throws: who works by it refuses what is broken (`refuseBroken`), and
 * leaves out what a folder brings that nobody trusts (`applyTrust`).
 */
export async function loadSettings(options: LoadSettingsOptions): Promise<LoadedSettings> {
  const readings = await Promise.all([
    ...settingsPlaces(options).map((place) => readFilePlace(place.path, headOf(place, options))),
    readFlag(options),
    readParent(options),
    readServer(options),
  ]);
  return settingsOf(readings);
}

/** All readings as one. Managed policy comes last, and of it the machine's above an embedding program's, a server's above both. */
export function settingsOf(readings: readonly (PlaceReading | undefined)[]): LoadedSettings {
  const there = readings.filter((reading) => reading !== undefined);
  const layers = there.flatMap(({ layer }) => layer ?? []);
  const problems: SettingsProblem[] = there.flatMap((reading) => reading.problems);
  const counted = layers
    .filter((layer) => layer.policyOrigin !== 'parent' || parentCounts(layers))
    .toSorted((one, other) => rank(one) - rank(other));
  return { layers: counted, problems: worstFirst(problems) };
}

export function headOf({ source, path, folder, policyOrigin }: SettingsPlace, { cwd }: LoadSettingsOptions): LayerHead {
  return {
    source,
    name: path,
    path,
    root: cwd,
    ...(folder === undefined ? {} : { folder }),
    ...(policyOrigin === undefined ? {} : { policyOrigin }),
  };
}

export function readFlag(options: LoadSettingsOptions): PlaceReading | Promise<PlaceReading> | undefined {
  const { flag, flagName = 'options.settings', cwd } = options;
  if (flag === undefined) return undefined;
  const head: LayerHead = { source: 'flag', name: flagName, root: cwd };
  if (typeof flag !== 'string') return readObjectPlace(flag, head);
  if (flag.trim().startsWith('{')) return readTextPlace(flag, head);
  const path = resolve(cwd, flag);
  const reading = readFilePlace(path, { ...head, name: path, path });
  if (reading instanceof Promise || reading.layer !== undefined || reading.problems.length > 0) return reading;
  const problem = `names the settings file ${path}, which is not there; write a file or a JSON object`;
  return { problems: [{ file: flagName, problem, severity: 'broken' }], doubt: true };
}

/** Only what restricts, whatever else it says: an embedding program may tighten the machine's policy. */
export function readParent({ managed, cwd }: LoadSettingsOptions): PlaceReading | Promise<PlaceReading> | undefined {
  if (managed === undefined) return undefined;
  const head: LayerHead = { source: 'managed', policyOrigin: 'parent', name: 'options.managedSettings', root: cwd };
  return readObjectPlace(narrowingPart(managed).kept, head);
}

/** A server's policy counts whole. */
export function readServer({
  serverManaged,
  cwd,
}: LoadSettingsOptions): PlaceReading | Promise<PlaceReading> | undefined {
  if (serverManaged === undefined) return undefined;
  const head: LayerHead = { source: 'managed', policyOrigin: 'server', name: 'serverManagedSettings', root: cwd };
  return readObjectPlace(serverManaged, head);
}

function parentCounts(layers: readonly SettingsLayer[]): boolean {
  const admin = layers.filter(({ source, policyOrigin }) => source === 'managed' && policyOrigin !== 'parent');
  return admin.length === 0 || admin.some(({ settings }) => settings.parentSettingsBehavior === 'merge');
}

const ranks = { user: 0, project: 1, local: 2, flag: 3, managed: 4 } as const;
const origins = { parent: 0, file: 1, server: 2 } as const;

function rank({ source, policyOrigin = 'parent' }: SettingsLayer): number {
  return ranks[source] * 3 + (source === 'managed' ? origins[policyOrigin] : 0);
}
