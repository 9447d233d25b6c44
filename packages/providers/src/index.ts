export {
  findModel,
  modelAliases,
  resolveModel,
  type ResolveModelOptions,
} from './resolve-model.ts';
export { knownFacts } from './apply-facts.ts';
export { aliasVariables, environmentAliases, environmentModel, modelVariable } from './environment-models.ts';
export {
  changedBaseUrl,
  isLoopbackUrl,
  isProviderReady,
  keyVariable,
  providerVariables,
  shownUrl,
  type ProviderVariables,
} from './provider-variables.ts';
export { knownProviders, readModelName, type ModelName, type ModelNameOptions } from './model-name.ts';
export type { Environment } from './environment.ts';
export { networkFromEnvironment, type Network } from './http/network.ts';
export type { ModelContext, ModelFactory } from './model-context.ts';
export type { ModelTimeouts } from './dialect/timeouts.ts';
export type { ModelFacts, ModelSettings, ServerSettings } from './model-settings.ts';
export {
  catalogDate,
  catalogModel,
  catalogModelNames,
  currentModels,
  defaultAliases,
  type CatalogModel,
} from './catalog/model-catalog.ts';
