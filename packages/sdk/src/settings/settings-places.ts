import { readdirSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import type { LayerSource, LoadSettingsOptions, PolicyOrigin, SettingSource } from './settings-layer.ts';

/** A file that may hold settings. */
export interface SettingsPlace {
  readonly source: LayerSource;
  readonly path: string;
  /** Of the path. */
  readonly directory: string;
  readonly folder?: 'rondo' | 'claude';
  readonly policyOrigin?: PolicyOrigin;
}

export const settingSources: readonly SettingSource[] = ['user', 'project', 'local'];

/**
 * Where an administrator's policy is. No variable of the environment moves it, or whoever an agent runs as could leave it.
 * A test moves it within its own process, by the symbol.
 */
export function managedFolder(): string {
  const moved: unknown = Reflect.get(globalThis, Symbol.for('rondo.managed-folder'));
  if (typeof moved === 'string') return moved;
  return process.platform === 'win32' ? 'C:\\ProgramData\\rondo' : '/etc/rondo';
}

/** The files of the sources that were chosen, the lowest first; managed ones whatever was chosen. */
export function settingsPlaces(options: LoadSettingsOptions): readonly SettingsPlace[] {
  return createSettingsPlaces(options)();
}

/** The same, to be asked again: an administrator's files come and go, all others are where they were. */
export function createSettingsPlaces(
  options: LoadSettingsOptions,
): (isAbsent?: (folder: string) => boolean) => readonly SettingsPlace[] {
  const { cwd, home, env, settingSources: chosen = settingSources } = options;
  const claudeHome = resolve(env['CLAUDE_CONFIG_DIR'] || join(env['HOME'] || homedir(), '.claude'));
  const files: readonly (readonly [SettingSource, 'rondo' | 'claude', string])[] = [
    ['user', 'claude', join(claudeHome, 'settings.json')],
    ['user', 'rondo', join(home, 'settings.json')],
    ['project', 'claude', join(cwd, '.claude', 'settings.json')],
    ['project', 'rondo', join(cwd, '.rondo', 'settings.json')],
    ['local', 'claude', join(cwd, '.claude', 'settings.local.json')],
    ['local', 'rondo', join(cwd, '.rondo', 'settings.local.json')],
  ];
  // In the home folder the project's files are the user's own, which count as such whatever was chosen.
  const own = files.filter(([source]) => source === 'user').map(([, , path]) => path);
  const places = files
    .filter(([source, , path]) => chosen.includes(source) && (source === 'user' || !own.includes(path)))
    .map(([source, folder, path]): SettingsPlace => ({ source, folder, path, directory: dirname(path) }));
  const managed = options.managedFolder ?? managedFolder();
  const [main, parts] = [join(managed, 'managed-settings.json'), join(managed, 'managed-settings.d')];
  const always = [...places, managedPlace(main)];
  return (isAbsent) => {
    const further = isAbsent?.(managed) === true ? [] : filesIn(parts);
    return further.length === 0 ? always : [...always, ...further.map(managedPlace)];
  };
}

function managedPlace(path: string): SettingsPlace {
  return { source: 'managed', policyOrigin: 'file', path, directory: dirname(path) };
}

function filesIn(folder: string): readonly string[] {
  try {
    // Nearly everywhere there is none, and an error costs more than a look.
    if (statSync(folder, { throwIfNoEntry: false }) === undefined) return [];
    return readdirSync(folder)
      .filter((name) => name.endsWith('.json') && !name.startsWith('.'))
      .sort()
      .map((name) => join(folder, name));
  } catch {
    // Reading it as a file fails in the same way, and says so.
    return [folder];
  }
}
