export { createAnthropicModel, type AnthropicModelOptions } from './create-anthropic-model.ts';
export { anthropicModelFromEnvironment } from './anthropic-model-from-environment.ts';
export type { Environment } from './environment.ts';
export type { AnthropicTimeouts } from './timeouts.ts';
export { anthropicAliases, catalogDate, catalogModelIds } from './model-catalog.ts';
