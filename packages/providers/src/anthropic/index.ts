export { createAnthropicModel, type AnthropicModelOptions, type AnthropicTimeouts } from './create-anthropic-model.ts';
export { anthropicModelFromEnvironment, type Environment } from './anthropic-model-from-environment.ts';
export { anthropicAliases, catalogDate, catalogModelIds } from './model-catalog.ts';
