import type { Model } from '@rondo/runtime';
import type { CountedSettings } from '../settings/counted-settings.ts';
import type { Environment } from './command-environment.ts';
import { keptByKey } from './kept-by-key.ts';
import { modelAccess, type ModelAccess } from './model-access.ts';
import type { OpeningMoment } from './opening-moment.ts';
import type { Options } from './options.ts';
import { recordTo } from './record-to.ts';

export interface SessionModelsOptions {
  readonly options: Options;
  /** The process's own environment. */
  readonly env: Environment;
  readonly home: string;
  readonly cwd: string;
  /** The model that the session ran with last, for when none is named. */
  readonly lastModel: string | undefined;
  /** What the settings said when the session began: another default in a file is for sessions that begin then. */
  readonly first: CountedSettings;
  /** Shared with the sessions that open right now. */
  readonly moment?: OpeningMoment | undefined;
}

/** A session's model, and what other models are understood and paid by. */
export interface SessionModel {
  readonly access: ModelAccess;
  readonly model: Model;
}

/** Who chose the model while the session is at work; without a name, whatever options and settings say. */
export interface ChosenModel {
  readonly name?: string | undefined;
}

export interface SessionModels {
  /** The same value while nothing that it depends on changes. @throws RondoError `model.unknown`, `model.key_missing`. */
  load(counted: CountedSettings, chosen: ChosenModel | undefined): Promise<SessionModel>;
  /** Closes every model that was loaded here; one of the caller's own is the caller's to close. */
  close(): Promise<void>;
}

export function sessionModels(given: SessionModelsOptions): SessionModels {
  const { options, env, home, cwd, lastModel, first, moment } = given;
  const kept = keptByKey<SessionModel>();
  const loaded = new Set<Model>();

  async function make(counted: CountedSettings, named: string | Model | undefined): Promise<SessionModel> {
    const access = await modelAccess({ options, counted, env, home, cwd, named, moment });
    const model = await access.load(named);
    if (typeof named !== 'object') loaded.add(model);
    const { record } = options;
    if (record === undefined) return { access, model };
    return { access, model: await recordTo(model, { file: record, cwd, env: access.env, secrets: access.secrets }) };
  }

  return {
    load(counted, chosen) {
      const named = chosen?.name ?? options.model ?? (chosen === undefined ? lastModel : undefined);
      const { env: variables, apiKeyHelper, models, model } = counted.settings;
      const byDefault = chosen === undefined ? first.settings.model : model;
      const key = (): string =>
        JSON.stringify([typeof named === 'object' ? {} : named, byDefault, variables, apiKeyHelper, models]);
      // A recording is one file of one model, from the first request to the last.
      return kept(options.record === undefined ? key : () => '', () => make(withModel(counted, byDefault), named));
    },
    async close() {
      await Promise.all([...loaded].map(async (model) => await model.close?.()));
    },
  };
}

function withModel(counted: CountedSettings, model: string | undefined): CountedSettings {
  if (counted.settings.model === model) return counted;
  const { model: _, ...settings } = counted.settings;
  return { ...counted, settings: model === undefined ? settings : { ...settings, model } };
}
