export { createAnthropicModel, type AnthropicModelOptions } from './create-anthropic-model.ts';
export { anthropicModelFromEnvironment } from './anthropic-model-from-environment.ts';
