import type { Classifier } from '@rondo/runtime';
import type { CountedSettings } from '../settings/counted-settings.ts';
import { checkClassifierModel, createLazyClassifier } from './lazy-classifier.ts';
import type { Options } from './options.ts';
import type { SessionModel } from './session-models.ts';

export interface SessionClassifierOptions {
  readonly options: Pick<Options, 'classifierModel' | 'permissionMode'>;
  /** The settings as they are now. */
  readonly counted: () => CountedSettings;
  /** The session's model as it is now, which judges where none is named. */
  readonly current: () => SessionModel;
}

/**
 * What judges calls in the mode `auto`. Where that is the mode, the model that is named can be loaded.
 * @throws RondoError `model.unknown`, `model.key_missing`.
 */
export async function sessionClassifier({ options, counted, current }: SessionClassifierOptions): Promise<Classifier> {
  const { classifierModel, permissionMode } = options;
  const named = () => classifierModel ?? counted().settings.permissions?.classifierModel;
  const judge = named();
  if (permissionMode === 'auto' && typeof judge === 'string') {
    const source = classifierModel === undefined ? 'permissions.classifierModel' : 'options.classifierModel';
    const { parts, hasKeyHelper: isHelped } = current().access;
    await checkClassifierModel(judge, { ...parts, source, isHelped });
  }
  return createLazyClassifier({
    model: () => current().model,
    named,
    load: (name) => current().access.loadOther(name),
  });
}
