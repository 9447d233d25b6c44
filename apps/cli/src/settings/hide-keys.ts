import type { ResolvedSettings, Settings } from '@rondo/sdk';

const likeKey = /key|token|secret|passw|credential|authorization/i;

/** The same without the values of variables that are called like keys: what is shown is often passed on. */
export function hideKeys(resolved: ResolvedSettings): ResolvedSettings {
  return {
    ...resolved,
    effective: hidden(resolved.effective),
    sources: resolved.sources.map((source) => ({ ...source, settings: hidden(source.settings) })),
  };
}

function hidden(settings: Settings): Settings {
  return JSON.parse(
    JSON.stringify(settings, (name, value: unknown) => {
      if (name !== 'env' && name !== 'headers') return value;
      if (typeof value !== 'object' || value === null) return value;
      return Object.fromEntries(
        Object.entries(value).map(([variable, text]) => [variable, likeKey.test(variable) ? '[hidden]' : text]),
      );
    }),
  ) as Settings;
}
