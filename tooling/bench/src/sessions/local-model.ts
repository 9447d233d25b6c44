import { createAnthropicModel } from '@rondo/providers/anthropic';
import type { Model } from '@rondo/runtime';

/** The bench's model server, at the address that the environment names. */
export function localModel(): Model {
  const baseUrl = process.env['ANTHROPIC_BASE_URL'];
  if (baseUrl === undefined) throw new Error('ANTHROPIC_BASE_URL has to name the bench’s model server.');
  return createAnthropicModel({ model: 'claude-sonnet-4-5', apiKey: 'bench', baseUrl });
}
