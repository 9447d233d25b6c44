export { fromAiSdk, type FromAiSdkOptions } from './from-ai-sdk.ts';
export type { AiSdkCall, AiSdkLanguageModel } from './language-model.ts';
