import { hash } from 'node:crypto';
import { headOf, readFlag, readParent, readServer, settingsOf } from './load-settings.ts';
import { createFolderLooks, type FolderLook } from './look-at-folders.ts';
import { mergeSettings } from './merge-settings.ts';
import { narrowingPart } from './narrowing-part.ts';
import { nothing, type PlaceReading, readFilePlace, signatureOf } from './read-place.ts';
import type { Settings } from './settings.ts';
import type { LoadedSettings, LoadSettingsOptions, SettingsLayer, SettingsProblem } from './settings-layer.ts';
import { createSettingsPlaces, type SettingsPlace } from './settings-places.ts';

/** What became of one source while sessions were at work. */
export interface SettingsChange {
  /** `held`: nothing that it says now counts but what narrows, and what it said before still does. */
  readonly kind: 'changed' | 'held';
  readonly file: string;
  readonly source: SettingsLayer['source'];
  /** Why it is held, the worst first; of one that changed, what else is to be said about it. */
  readonly problems: readonly SettingsProblem[];
}

/** Settings that are looked at again while sessions are at work. */
export interface OpenSettings {
  /** The same value until something changes. */
  current(): LoadedSettings;
  /** Every file that is looked at, whether it is there or not: what nobody but their owner should write. Absolute. */
  files(): readonly string[];
  /**
   * Looks at every file; reads those that changed. A file that is broken, emptied or gone takes nothing back: what it said
   * last stays. Undefined when nothing has changed; never rejects.
   * @param judge is asked about each change, and may have it narrow only (`blocked`) or wait for the next look (undefined).
   */
  refresh(judge?: JudgeSettingsChange): Promise<readonly SettingsChange[]> | undefined;
  /**
   * Puts keys into the layer of `options.settings`, as `applyFlagSettings` does: each replaces the whole of what the key
   * was, and null takes it out.
   */
  setFlag(change: Readonly<Record<string, unknown>>): Promise<readonly SettingsChange[]>;
  /** The same settings as they are now, for a session that goes its own way from here. */
  another(): OpenSettings;
}

/** What somebody has against what a file says now. */
export type JudgeSettingsChange = (change: {
  readonly source: SettingsLayer['source'];
  readonly file: string;
  /** The same for the same content. */
  readonly id: string;
}) => Promise<{ readonly blocked?: string } | undefined>;

interface Watched {
  readonly place: SettingsPlace;
  signature: string | undefined;
  /** What was read last that can be relied on. */
  good: PlaceReading;
  /** What counts: the good reading, or that and what the file says since which narrows. */
  counted: PlaceReading;
  /** What the last change was told about. */
  told: string;
}

/** Reads all sources, and keeps an eye on their files. Nothing is watched between two looks. */
export async function openSettings(options: LoadSettingsOptions): Promise<OpenSettings> {
  const watched = new Map<string, Watched>();
  const places = createSettingsPlaces(options);
  const beginLook = createFolderLooks();
  const firstLook = beginLook();
  const flag = await readFlag(options);
  const [parent, server] = await Promise.all([readParent(options), readServer(options)]);
  await Promise.all(
    places().map(async (place) => {
      const signature = seenAt(place, firstLook);
      const reading = signature === undefined ? nothing : await readFilePlace(place.path, headOf(place, options));
      watched.set(place.path, { place, signature, good: reading, counted: reading, told: '' });
    }),
  );
  return keepOpen({ options, places, beginLook, watched, flag, parent, server });
}

interface SettingsParts {
  readonly options: LoadSettingsOptions;
  readonly places: ReturnType<typeof createSettingsPlaces>;
  readonly beginLook: ReturnType<typeof createFolderLooks>;
  readonly watched: Map<string, Watched>;
  readonly flag: PlaceReading | undefined;
  readonly parent: PlaceReading | undefined;
  readonly server: PlaceReading | undefined;
}

function keepOpen(parts: SettingsParts, settings?: LoadedSettings): OpenSettings {
  const { options, places, beginLook, watched, parent, server } = parts;
  let { flag } = parts;
  let current = settings ?? allOf(places());
  let refreshing: Promise<readonly SettingsChange[]> | undefined;

  function allOf(now: readonly SettingsPlace[]): LoadedSettings {
    const gone = [...watched.keys()].filter((path) => !now.some((place) => place.path === path));
    const paths = [...now.map(({ path }) => path), ...gone];
    return settingsOf([...paths.map((path) => watched.get(path)?.counted), flag, parent, server]);
  }

  async function look(
    now: readonly SettingsPlace[],
    judge: JudgeSettingsChange | undefined,
  ): Promise<readonly SettingsChange[]> {
    const changes: SettingsChange[] = [];
    for (const place of now) {
      const known = watched.get(place.path) ?? unread(place);
      const signature = signatureOf(place.path);
      if (signature === known.signature) continue;
      const reading = signature === undefined ? nothing : await readFilePlace(place.path, headOf(place, options));
      watched.set(place.path, known);
      const judged = await judgedReading(known, reading, judge);
      if (judged === undefined) continue;
      known.signature = signature;
      const change = take(known, judged, signature !== undefined);
      if (change !== undefined) changes.push(change);
    }
    if (changes.length > 0) current = allOf(now);
    return changes;
  }

  return {
    current: () => current,
    files() {
      const flagPath = flag?.layer?.path;
      return [...watched.keys(), ...(flagPath === undefined ? [] : [flagPath])];
    },
    refresh(judge) {
      if (refreshing !== undefined) return refreshing;
      const folders = beginLook();
      const now = withKnown(places(folders.isAbsent), watched);
      if (now.every((place) => seenAt(place, folders) === watched.get(place.path)?.signature)) return undefined;
      refreshing = look(now, judge).finally(() => {
        refreshing = undefined;
      });
      return refreshing;
    },
    another() {
      const same = new Map([...watched].map(([path, one]) => [path, { ...one }]));
      return keepOpen({ ...parts, watched: same, flag }, current);
    },
    async setFlag(change) {
      const before = flag?.layer?.settings ?? {};
      const next = Object.entries({ ...before, ...change }).filter(
        ([, value]) => value !== null && value !== undefined,
      );
      const reading = await readFlag({ ...options, flag: Object.fromEntries(next) as Settings });
      if (reading === undefined) return [];
      const isHeld = reading.doubt || reading.layer === undefined;
      if (!isHeld) flag = reading;
      current = allOf(places());
      const file = options.flagName ?? 'options.settings';
      return [{ kind: isHeld ? 'held' : 'changed', file, source: 'flag', problems: reading.problems }];
    },
  };
}

/** The file's signature, without a look at it where its folder is known not to be there. */
function seenAt({ path, directory }: SettingsPlace, folders: FolderLook): string | undefined {
  if (folders.isAbsent(directory)) return undefined;
  const signature = signatureOf(path);
  if (signature === undefined) folders.missed(directory);
  return signature;
}

function unread(place: SettingsPlace): Watched {
  return { place, signature: undefined, good: nothing, counted: nothing, told: '' };
}

/** A part of managed settings that was there before stays, wherever its file is now. */
function withKnown(places: readonly SettingsPlace[], watched: ReadonlyMap<string, Watched>): readonly SettingsPlace[] {
  // Nearly always every file is still where it was: then there is nothing to put together.
  const known = places.reduce((count, { path }) => (watched.has(path) ? count + 1 : count), 0);
  if (known === watched.size) return places;
  const now = new Set(places.map(({ path }) => path));
  const gone = [...watched.values()].filter(({ place }) => !now.has(place.path)).map(({ place }) => place);
  return gone.length === 0 ? places : [...places, ...gone];
}

/**
 * What is to be taken: what was read, or the same with the doubt that somebody has against it. Undefined: nothing now. What
 * an administrator says is told to hooks, and none of them blocks it.
 */
async function judgedReading(
  { place, good, counted }: Watched,
  reading: PlaceReading,
  judge: JudgeSettingsChange | undefined,
): Promise<PlaceReading | undefined> {
  const { source, path: file } = place;
  const isSame = !reading.doubt && reading.layer?.hash === good.layer?.hash && counted === good;
  if (judge === undefined || isSame) return reading;
  const id = hash('sha256', `${file}\n${reading.layer?.hash ?? JSON.stringify(reading.problems)}`).slice(0, 32);
  const verdict = await judge({ source, file, id });
  if (verdict === undefined) return undefined;
  if (verdict.blocked === undefined || source === 'managed') return reading;
  const blocked = {
    file,
    problem: `has changed, and a hook blocks that: ${verdict.blocked}`,
    severity: 'error',
  } as const;
  return { ...reading, problems: [blocked, ...reading.problems], doubt: true };
}

/** Takes what a file says now for what counts, as far as that takes nothing back by mistake. */
function take(known: Watched, reading: PlaceReading, isThere: boolean): SettingsChange | undefined {
  const { place, good } = known;
  const { source, path: file } = place;
  const before = good.layer;
  if (reading.layer !== undefined && !reading.doubt) {
    const isSame = reading.layer.hash === before?.hash && known.counted === good;
    known.good = reading;
    known.counted = reading;
    known.told = '';
    return isSame ? undefined : { kind: 'changed', file, source, problems: reading.problems };
  }
  const problems = isThere ? reading.problems : [goneProblem(file)];
  const narrowed = reading.layer === undefined ? [] : [withNarrowing(reading.layer)];
  const layers = [...(before === undefined ? [] : [before]), ...narrowed];
  const [top] = layers;
  if (!isThere && before === undefined) {
    known.counted = nothing;
    return undefined;
  }
  const layer = top === undefined ? undefined : { ...top, settings: mergeSettings(layers).settings };
  known.counted = { ...(layer === undefined ? {} : { layer }), problems, doubt: true };
  const told = JSON.stringify(problems);
  if (told === known.told) return undefined;
  known.told = told;
  return { kind: 'held', file, source, problems };
}

function withNarrowing(layer: SettingsLayer): SettingsLayer {
  return { ...layer, settings: narrowingPart(layer.settings).kept };
}

function goneProblem(file: string): SettingsProblem {
  return { file, problem: 'is gone', severity: 'warning' };
}
