import { narrowingPart } from './narrowing-part.ts';
import type { LoadedSettings, SettingsLayer } from './settings-layer.ts';

/** What a folder brought that does not count. */
export interface WithheldSettings {
  readonly layer: SettingsLayer;
  /** With dots: `permissions.allow`, `env`. */
  readonly keys: readonly string[];
}

export interface TrustedSettings {
  readonly layers: readonly SettingsLayer[];
  readonly withheld: readonly WithheldSettings[];
}

/** Whether all of a layer counts. Asked of those that a folder brought; the user's own, a flag's and a policy's do. */
export type IsTrusted = (layer: SettingsLayer) => boolean;

/** Leaves out what is not trusted. Without `isTrusted` no folder is: of what one brings, only what narrows counts. */
export function applyTrust({ layers }: LoadedSettings, isTrusted: IsTrusted = () => false): TrustedSettings {
  const withheld: WithheldSettings[] = [];
  const counted = layers.map((layer): SettingsLayer => {
    if ((layer.source !== 'project' && layer.source !== 'local') || isTrusted(layer)) return layer;
    const { kept, leftOut } = narrowingPart(layer.settings, { neutral: true });
    if (leftOut.length > 0) withheld.push({ layer, keys: leftOut });
    return { ...layer, settings: kept };
  });
  return { layers: counted, withheld };
}
