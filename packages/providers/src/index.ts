export { resolveModel, type ModelContext, type ModelFactory, type ResolveModelOptions } from './resolve-model.ts';
export { readModelName, type ModelName, type ModelNameOptions } from './model-name.ts';
export type { Environment } from './environment.ts';
export type { ModelTimeouts } from './dialect/timeouts.ts';
export type { ModelFacts, ModelSettings, ServerSettings } from './model-settings.ts';
export {
  catalogDate,
  catalogModel,
  catalogModelNames,
  defaultAliases,
  type CatalogModel,
} from './catalog/model-catalog.ts';
