import { type Classifier, createModelClassifier, type Model } from '@rondo/runtime';

/** The classifier of the mode `auto`, whose model is loaded when the first call has to be judged. */
export function createLazyClassifier(loadModel: () => Promise<Model>): Classifier {
  let loading: Promise<Classifier> | undefined;
  return async (call, options) => {
    loading ??= loadModel().then((model) => createModelClassifier({ model }));
    loading.catch(() => {
      loading = undefined;
    });
    return await (await loading)(call, options);
  };
}
