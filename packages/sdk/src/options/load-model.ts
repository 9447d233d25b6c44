import type { Model } from '@rondo/runtime';
import type { Environment } from './command-environment.ts';

const defaultModel = 'sonnet';

/**
 * The model that was named, or the environment's, or the default. Its adapter is loaded now, others never.
 * @throws RondoError `model.unknown`, `model.key_missing`.
 */
export async function loadModel(model: string | Model | undefined, env: Environment): Promise<Model> {
  if (typeof model === 'object') return model;
  const { resolveModel } = await import('@rondo/providers');
  return await resolveModel(model ?? env['ANTHROPIC_MODEL'] ?? defaultModel, { env });
}
