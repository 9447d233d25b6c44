export { createGoogleModel, type GoogleModelOptions } from './create-google-model.ts';
export { googleModelFromEnvironment } from './google-model-from-environment.ts';
