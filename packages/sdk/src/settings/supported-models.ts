import type { ModelInfo } from '@rondo/protocol';
import type { CatalogModel } from '@rondo/providers';
import { wireModelName } from '../message/wire-model-name.ts';
import { loadProviders } from '../options/load-package.ts';
import type { Options } from '../options/options.ts';
import { readModelSettings } from './read-model-settings.ts';

/** Every short name that means something, then the models of the catalog whose vendor could be asked here. */
export async function supportedModels(options: Options): Promise<ModelInfo[]> {
  const { catalogModel, catalogModelNames, findModel, isProviderReady, modelAliases } = await loadProviders();
  const {
    env,
    effective: { settings },
  } = await readModelSettings(options);
  const known = (name: string): CatalogModel => {
    const slash = name.indexOf('/');
    return catalogModel(name.slice(0, slash), name.slice(slash + 1)) ?? {};
  };
  const aliases = Object.keys(modelAliases(settings, env)).flatMap((alias): ModelInfo[] => {
    const resolved = resolvedBy(() => findModel(alias, { env, settings }));
    if (resolved === undefined) return [];
    return [
      {
        ...described(resolved, known(resolved)),
        value: alias,
        resolvedModel: wireModelName(resolved),
        displayName: alias,
      },
    ];
  });
  const listed = catalogModelNames().filter((name) => isProviderReady(name.slice(0, name.indexOf('/')), env));
  return [...aliases, ...listed.map((name) => described(name, known(name)))];
}

function resolvedBy(find: () => { readonly provider: string; readonly model: string }): string | undefined {
  try {
    const { provider, model } = find();
    return `${provider}/${model}`;
  } catch {
    // A short name that means nothing is no choice.
    return undefined;
  }
}

function described(name: string, { contextWindow, efforts = [], price, thinking }: CatalogModel): ModelInfo {
  const parts = [
    name,
    ...(contextWindow === undefined ? [] : [`a window of ${contextWindow.toLocaleString('en')} tokens`]),
    ...(price === undefined ? [] : [`$${price.input} in and $${price.output} out a million tokens`]),
  ];
  return {
    value: wireModelName(name),
    displayName: name.slice(name.indexOf('/') + 1),
    description: parts.join(', '),
    ...(efforts.length > 0 && { supportsEffort: true, supportedEffortLevels: [...efforts] }),
    ...(thinking !== undefined && thinking !== 'budget' && { supportsAdaptiveThinking: true }),
  };
}
