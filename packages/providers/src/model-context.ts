import type { Model } from '@rondo/runtime';
import type { Environment } from './environment.ts';
import type { ModelSettings } from './model-settings.ts';

/** Where a model comes from and what is configured about it. */
export interface ModelContext {
  /** Where keys, base URLs, proxies and timeouts come from. */
  readonly env: Environment;
  readonly settings: ModelSettings;
  /** Features that the vendor's interface is asked for by name, where it takes such names. */
  readonly betas?: readonly string[];
  /** The folder that relative paths of `scripted/` and `replay/` are under; the process's own when not given. */
  readonly cwd?: string;
  /** The folder with the sessions that `replay/` answers from. */
  readonly home?: string;
}

/** Makes the model of a provider from what stands behind the slash. */
export type ModelFactory = (model: string, context: ModelContext) => Model | Promise<Model>;
