import { judgeFolder } from '../trust/judge-folder.ts';
import { isTrustedIn, untrustedMessage } from '../trust/is-trusted.ts';
import { applyTrust } from './apply-trust.ts';
import { withinManaged } from './managed-only.ts';
import { mergeSettings, type SettingOrigin } from './merge-settings.ts';
import type { Settings } from './settings.ts';
import type { LoadedSettings, SettingsLayer } from './settings-layer.ts';

/** What of the settings counts in a session. */
export interface CountedSettings {
  /** The lowest first: without what a folder brings that nobody trusts, and without what managed settings shut out. */
  readonly layers: readonly SettingsLayer[];
  /** All of them as one. */
  readonly settings: Settings;
  readonly origins: ReadonlyMap<string, SettingOrigin>;
  /** What is left out for want of trust, in a sentence. */
  readonly untrusted?: string;
  /** What commands get in their environment, so that git runs nothing that is not trusted. */
  readonly gitEnvironment: Readonly<Record<string, string>>;
}

export interface CountOptions {
  readonly cwd: string;
  readonly home: string;
  /** Who embeds the runtime answers for the folder. */
  readonly trusted?: boolean | undefined;
  /** What counted in the session before: its hooks stay in force while what their file says now waits for trust. */
  readonly before?: readonly SettingsLayer[] | undefined;
}

export async function countSettings(loaded: LoadedSettings, options: CountOptions): Promise<CountedSettings> {
  const judged = await judgeFolder({ ...options, layers: loaded.layers });
  const trusted = applyTrust(loaded, isTrustedIn(judged));
  const waiting = new Set(trusted.withheld.map(({ layer }) => layer.name));
  const layers = withinManaged(
    trusted.layers.map((layer) => (waiting.has(layer.name) ? withHooksOf(layer, options.before) : layer)),
  );
  const { settings, origins } = mergeSettings(layers);
  const untrusted = untrustedMessage(judged);
  return {
    layers,
    settings,
    origins,
    gitEnvironment: judged.environment,
    ...(untrusted === undefined ? {} : { untrusted }),
  };
}

/** A guard does not vanish because somebody writes beside it what nobody has looked at. */
function withHooksOf(layer: SettingsLayer, before: readonly SettingsLayer[] = []): SettingsLayer {
  const hooks = before.find(({ name }) => name === layer.name)?.settings.hooks;
  return hooks === undefined ? layer : { ...layer, settings: { ...layer.settings, hooks } };
}
