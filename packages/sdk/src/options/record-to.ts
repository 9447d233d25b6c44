import { resolve } from 'node:path';
import type { Model } from '@rondo/runtime';
import type { Environment } from './command-environment.ts';

export interface RecordToOptions {
  /** The file, under `cwd` where it is relative. */
  readonly file: string;
  readonly cwd: string;
  readonly env: Environment;
  readonly secrets: readonly string[];
}

/** The model, recorded to a file. What records is loaded now, others never need it. */
export async function recordTo(model: Model, { file, cwd, env, secrets }: RecordToOptions): Promise<Model> {
  const { recordModel, scriptVariables } = await import('@rondo/providers/scripted');
  return recordModel(model, { file: resolve(cwd, file), variables: scriptVariables({ cwd, env }), secrets });
}
