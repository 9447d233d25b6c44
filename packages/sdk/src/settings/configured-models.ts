import type { ModelSettings } from '@rondo/providers';
import type { CountedSettings } from './counted-settings.ts';

/** What settings say about models. */
export interface ConfiguredModels {
  /** The model that runs when nobody names one. */
  readonly model?: string;
  /** The file that names it. */
  readonly namedBy?: string;
  readonly models?: ModelSettings;
}

export function configuredModels({
  settings,
  origins,
}: Pick<CountedSettings, 'settings' | 'origins'>): ConfiguredModels {
  const { model, models } = settings;
  const namedBy = origins.get('model')?.layers.at(-1)?.name;
  return {
    // Another program's mark of a longer context window, which here comes with the model.
    ...(model === undefined ? {} : { model: model.replace(/\[1m\]$/i, '') }),
    ...(model === undefined || namedBy === undefined ? {} : { namedBy }),
    ...(models === undefined ? {} : { models }),
  };
}
