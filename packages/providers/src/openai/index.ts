export { createOpenAIModel, type OpenAIModelOptions } from './create-openai-model.ts';
export { openAIModelFromEnvironment } from './openai-model-from-environment.ts';
