import { isRondoError, RondoError } from '@rondo/protocol/values';
import type { ChatRequest } from '../command/chat-request.ts';
import { printableText } from '../terminal/printable-text.ts';
import { type ModelProposal, proposeModels } from './model-proposals.ts';

/**
 * The error with the ways on that there are here, when a key is missing and no flag named the model; any other error as
 * it is. Nothing is used because it was found.
 */
export async function withWaysOn(error: unknown, request: Pick<ChatRequest, 'model'>): Promise<unknown> {
  if (!isRondoError(error, 'model.key_missing') || request.model !== undefined) return error;
  return missingModel(error, await proposeModels(process.env));
}

export function missingModel(error: RondoError, proposals: readonly ModelProposal[]): RondoError {
  const { message, details } = error;
  const [what = message] = message.split(/(?<=\.) /);
  const { variables } = details;
  const [usualKey = 'its key'] = Array.isArray(variables) ? variables.map(String) : [];
  return new RondoError('model.key_missing', [what, ...waysOn(proposals, usualKey)].join('\n'), {
    details,
    cause: error,
  });
}

function waysOn(proposals: readonly ModelProposal[], usualKey: string): readonly string[] {
  if (proposals.length === 0) {
    return [
      'Three ways on:',
      `  set a key: ${usualKey}, or that of another provider and --model (rondo models lists both)`,
      '  start a local server, such as Ollama, and name its model: --model openai-compatible/ollama/MODEL',
      '  rondo demo, which needs no key',
    ];
  }
  const width = Math.max(...proposals.map(({ flag }) => flag.length));
  return [
    'Nobody named a model. What could be used here, if you say so:',
    ...proposals.map(({ flag, because }) => printableText(`  ${flag.padEnd(width)}  ${because}`)),
    `Or set ${usualKey}; or see rondo at work without a key: rondo demo`,
  ];
}
