import { judgeFolder } from '../trust/judge-folder.ts';
import { isTrustedIn, untrustedMessage } from '../trust/is-trusted.ts';
import { applyTrust } from './apply-trust.ts';
import { withinManaged } from './managed-only.ts';
import { mergeSettings, type SettingOrigin } from './merge-settings.ts';
import { narrowingPart } from './narrowing-part.ts';
import type { Settings } from './settings.ts';
import type { LoadedSettings, SettingsLayer } from './settings-layer.ts';

/** What of the settings counts in a session. */
export interface CountedSettings {
  /** The session's folder, where links lead. */
  readonly folder: string;
  /** The lowest first: without what a folder brings that nobody trusts, and without what managed settings shut out. */
  readonly layers: readonly SettingsLayer[];
  /** All of them as one. */
  readonly settings: Settings;
  readonly origins: ReadonlyMap<string, SettingOrigin>;
  /** What is left out for want of trust, in a sentence. */
  readonly untrusted?: string;
  /** What commands get in their environment, so that git runs nothing that is not trusted. */
  readonly gitEnvironment: Readonly<Record<string, string>>;
  /** What each source said last of which all counted, by its name. */
  readonly lastTrusted: ReadonlyMap<string, SettingsLayer>;
}

export interface CountOptions {
  readonly cwd: string;
  readonly home: string;
  /** Who embeds the runtime answers for the folder. */
  readonly trusted?: boolean | undefined;
  /** What counted in the session before: what guarded then stays in force while what its file says now waits for trust. */
  readonly before?: CountedSettings | undefined;
}

export async function countSettings(loaded: LoadedSettings, options: CountOptions): Promise<CountedSettings> {
  const judged = await judgeFolder({ ...options, layers: loaded.layers });
  const trusted = applyTrust(loaded, isTrustedIn(judged));
  const waiting = new Set(trusted.withheld.map(({ layer }) => layer.name));
  const lastTrusted = new Map(options.before?.lastTrusted);
  for (const layer of trusted.layers) if (!waiting.has(layer.name)) lastTrusted.set(layer.name, layer);
  const layers = withinManaged(
    trusted.layers.map((layer) => (waiting.has(layer.name) ? withGuardsOf(lastTrusted.get(layer.name), layer) : layer)),
  );
  const { settings, origins } = mergeSettings(layers);
  const untrusted = untrustedMessage(judged);
  return {
    folder: judged.folder,
    layers,
    settings,
    origins,
    gitEnvironment: judged.environment,
    lastTrusted,
    ...(untrusted === undefined ? {} : { untrusted }),
  };
}

/** A guard does not vanish because somebody writes beside it, or in its place, what nobody has looked at. */
function withGuardsOf(before: SettingsLayer | undefined, layer: SettingsLayer): SettingsLayer {
  if (before === undefined) return layer;
  const { disableAllHooks, hooks } = before.settings;
  const guards = {
    ...narrowingPart(before.settings).kept,
    ...(hooks === undefined ? {} : { hooks }),
    ...(disableAllHooks === undefined ? {} : { disableAllHooks }),
  };
  return { ...layer, settings: mergeSettings([{ ...before, settings: guards }, layer]).settings };
}
