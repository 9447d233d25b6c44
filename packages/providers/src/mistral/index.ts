export { createMistralModel, type MistralModelOptions } from './create-mistral-model.ts';
export { mistralModelFromEnvironment } from './mistral-model-from-environment.ts';
