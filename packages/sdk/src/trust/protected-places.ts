import { delimiter, join } from 'node:path';
import type { Settings } from '../settings/settings.ts';
import type { SettingsLayer } from '../settings/settings-layer.ts';
import { isBelow, realPathOr } from './find-repository.ts';
import { mainFiles } from './local-scripts.ts';
import { isFolder, isThere, namedPaths } from './named-paths.ts';
import { wideningPart } from './widening-part.ts';

export interface ProtectedPlacesOptions {
  /** Of every source, whoever is trusted: what waits for trust today runs tomorrow. */
  readonly layers: readonly SettingsLayer[];
  /** The session's folder, absolute. */
  readonly folder: string;
  /** The person's own folder, which `~` is. */
  readonly userHome: string;
  /** Rondo's home: settings, what is trusted, and what was said in sessions. */
  readonly home: string;
}

/**
 * What decides what runs beside an agent: Rondo's home, and every file that hooks, helpers and variables of the settings name,
 * whether it is there yet or not. An agent that could write it would run by it. Absolute, as named and as they really are.
 */
export function protectedPlaces({ layers, folder, userHome, home }: ProtectedPlacesOptions): readonly string[] {
  const named = layers.flatMap(({ settings }) => placesOf(settings, { folder, userHome }));
  const places = [home, ...named];
  return [...new Set([...places, ...places.map(realPathOr)])];
}

interface Folders {
  readonly folder: string;
  readonly userHome: string;
}

function placesOf(settings: Settings, { folder, userHome }: Folders): readonly string[] {
  const running = runningPart(settings);
  if (running === undefined) return [];
  const { env, ...others } = running;
  const options = { folder, home: userHome };
  // Whatever holds the session's folder is none that could be meant whole.
  const isHolding = (path: string) => [folder, userHome].some((held) => isBelow(held, path));
  const files = [...namedPaths(others, options)].flatMap(({ path, pattern }) => {
    if (isHolding(path)) return [];
    if (pattern === true) return [path];
    if (isFolder(path)) return mainFiles.map((name) => join(path, name)).filter(isThere);
    return isThere(path) || mayBecomeFile(path, folder) ? [path] : [];
  });
  const ofVariables = [...namedPaths(env, options)].flatMap(({ path }) =>
    isHolding(path) || !(isThere(path) || mayBecomeFile(path, folder)) ? [] : [path],
  );
  return [...files, ...ofVariables];
}

/** What of the settings has something run: all that waits for trust, but for what only decides about calls and models. */
function runningPart(settings: Settings): Settings | undefined {
  const { permissions: _permissions, models: _models, model: _model, sandbox: _sandbox, ...running } = settings;
  const part = wideningPart(running);
  return Object.keys(part).length === 0 ? undefined : part;
}

/** Of words that name nothing yet, those that look like a path rather than a flag, an address or a sentence. */
function mayBecomeFile(path: string, folder: string): boolean {
  const isInside = isBelow(path, folder);
  const [, top = ''] = path.split('/');
  // The end of a word that a quote or a variable took apart.
  if (!isInside && !isFolder(`/${top}`)) return false;
  const name = isInside ? path.slice(folder.length + 1) : path;
  return name.includes('/') && !/[\s$"'\\|;&<>(){}#]|:\/|^-/.test(name) && !name.includes(delimiter);
}
