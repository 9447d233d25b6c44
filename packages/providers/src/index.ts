export { resolveModel, type ModelFactory, type ResolveModelOptions } from './resolve-model.ts';
export { readModelName, type ModelName, type ModelNameOptions } from './model-name.ts';
