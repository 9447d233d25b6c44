import { resolve } from 'node:path';
import { resolveHome } from '@rondo/runtime/node';
import { isTrustedIn } from '../trust/is-trusted.ts';
import { judgeFolder } from '../trust/judge-folder.ts';
import { applyTrust, type WithheldSettings } from './apply-trust.ts';
import { loadSettings } from './load-settings.ts';
import { withinManaged } from './managed-only.ts';
import { problemsOfHooks, problemsOfRules } from './problems-of-layers.ts';
import { mergeSettings } from './merge-settings.ts';
import type { Settings } from './settings.ts';
import type { LayerSource, LoadedSettings, PolicyOrigin, SettingSource, SettingsProblem } from './settings-layer.ts';

export interface ResolveSettingsOptions {
  /** `process.cwd()` unless given. */
  readonly cwd?: string;
  /** All unless given; managed settings count in any case. */
  readonly settingSources?: readonly SettingSource[];
  /** An embedding program's policy; of it only keys that restrict count. */
  readonly managedSettings?: Settings;
  /** A server's policy, every key of it. */
  readonly serverManagedSettings?: Settings;
  /** As `options.settings` of `query()`: an object, or a path or JSON as text. Rondo's own. */
  readonly settings?: Settings | string;
  /** `process.env` unless given. Rondo's own. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** `RONDO_HOME` or `~/.rondo` unless given. Rondo's own. */
  readonly home?: string;
}

export interface ResolvedSource {
  readonly source: LayerSource;
  readonly path?: string;
  readonly policyOrigin?: PolicyOrigin;
}

export interface ResolvedSettings {
  readonly effective: Settings;
  /** By top-level key, the highest source that has a part in it. */
  readonly provenance: Readonly<Record<string, ResolvedSource>>;
  /** What each source says, the lowest first. */
  readonly sources: readonly (ResolvedSource & { readonly settings: Settings })[];
  /** What is wrong in them, the worst first. Rondo's own. */
  readonly problems: readonly SettingsProblem[];
  /** What is to be said of rules: those that do not count as they are written, and those that grant much. Rondo's own. */
  readonly ruleProblems: readonly SettingsProblem[];
  /** What is to be said of hooks: those that never run, or otherwise than was meant. Rondo's own. */
  readonly hookProblems: readonly SettingsProblem[];
  /** Where each part comes from, by key with dots: `permissions.deny`. Rondo's own. */
  readonly origins: Readonly<Record<string, readonly string[]>>;
  /** What of a folder does not count in a session before the folder is trusted. Rondo's own. */
  readonly untrusted: readonly { readonly path: string; readonly keys: readonly string[] }[];
}

/**
 * The settings that a `query()` of that folder would find, without working by them. What a folder brings stands in
 * `effective` whether it is trusted or not; `untrusted` says what of it does not count yet. A broken file is a problem,
 * no error.
 */
export async function resolveSettings(options: ResolveSettingsOptions = {}): Promise<ResolvedSettings> {
  const { env = process.env, settingSources, settings, managedSettings, serverManagedSettings } = options;
  const cwd = resolve(options.cwd ?? process.cwd());
  const home = options.home === undefined ? resolveHome(env) : resolve(options.home);
  const loaded = await loadSettings({
    cwd,
    home,
    env,
    settingSources,
    flag: settings,
    managed: managedSettings,
    serverManaged: serverManagedSettings,
  });
  const layers = withinManaged(loaded.layers);
  const { settings: effective, origins } = mergeSettings(layers);
  const ruleProblems = problemsOfRules(layers);
  const hookProblems = await problemsOfHooks(layers, { cwd, env: { ...env, ...effective.env } });
  const provenance = new Map<string, ResolvedSource>();
  const rank = (source: ResolvedSource) =>
    loaded.layers.findIndex((layer) => layer.source === source.source && layer.path === source.path);
  for (const { key, layers } of origins.values()) {
    const name = key.split('.', 1)[0] ?? key;
    const highest = layers.at(-1);
    const known = provenance.get(name);
    if (highest !== undefined && (known === undefined || rank(known) < rank(highest)))
      provenance.set(name, sourceOf(highest));
  }
  return {
    effective,
    provenance: Object.fromEntries(provenance),
    sources: loaded.layers.map((layer) => ({ ...sourceOf(layer), settings: layer.settings })),
    problems: loaded.problems,
    ruleProblems,
    hookProblems,
    origins: Object.fromEntries([...origins].map(([key, { layers }]) => [key, layers.map(({ name }) => name)])),
    untrusted: (await withheldOf(loaded, cwd, home)).map(({ layer, keys }) => ({ path: layer.name, keys })),
  };
}

function sourceOf({ source, path, policyOrigin }: ResolvedSource): ResolvedSource {
  return {
    source,
    ...(path === undefined ? {} : { path }),
    ...(policyOrigin === undefined ? {} : { policyOrigin }),
  };
}

async function withheldOf(loaded: LoadedSettings, cwd: string, home: string): Promise<readonly WithheldSettings[]> {
  const isOfFolder = loaded.layers.some(({ source }) => source === 'project' || source === 'local');
  if (!isOfFolder) return [];
  const judged = await judgeFolder({ cwd, home, layers: loaded.layers });
  return applyTrust(loaded, isTrustedIn(judged)).withheld;
}
