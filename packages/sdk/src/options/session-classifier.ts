import type { Classifier, Model } from '@rondo/runtime';
import type { CountedSettings } from '../settings/counted-settings.ts';
import { checkClassifierModel, createLazyClassifier } from './lazy-classifier.ts';
import type { ModelAccess } from './model-access.ts';
import type { Options } from './options.ts';

export interface SessionClassifierOptions {
  readonly options: Pick<Options, 'classifierModel' | 'permissionMode'>;
  /** The settings as they are now. */
  readonly counted: () => CountedSettings;
  readonly access: ModelAccess;
  /** The session's own, which judges where none is named. */
  readonly model: Model;
}

/**
 * What judges calls in the mode `auto`. Where that is the mode, the model that is named can be loaded.
 * @throws RondoError `model.unknown`, `model.key_missing`.
 */
export async function sessionClassifier({
  options,
  counted,
  access,
  model,
}: SessionClassifierOptions): Promise<Classifier> {
  const { classifierModel, permissionMode } = options;
  const named = () => classifierModel ?? counted().settings.permissions?.classifierModel;
  const judge = named();
  if (permissionMode === 'auto' && typeof judge === 'string') {
    const source = classifierModel === undefined ? 'permissions.classifierModel' : 'options.classifierModel';
    await checkClassifierModel(judge, { ...access.parts, source, isHelped: access.hasKeyHelper });
  }
  return createLazyClassifier({ model, named, load: access.loadOther });
}
