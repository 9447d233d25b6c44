import { RondoError } from '@rondo/protocol/values';
import { findModel, isProviderReady, providerVariables } from '@rondo/providers';
import { getModelSettings } from '@rondo/sdk';
import { missingModel } from '../models/missing-model.ts';
import { type ModelProposal, proposeModels } from '../models/model-proposals.ts';
import type { Keyboard } from './keyboard.ts';
import { cutLine, printableText } from './printable-text.ts';

/**
 * When nobody named a model and the key of the default one is missing: what there is instead, for the person to say.
 * Undefined when the default one can be used.
 * @throws RondoError `model.key_missing` with the ways on, when there is nothing, or the person wants nothing of it.
 */
export async function chooseModel(keyboard: Pick<Keyboard, 'readLine'>): Promise<ModelProposal | undefined> {
  const { env } = process;
  const { settings, model } = await getModelSettings();
  const { provider, model: id } = findModel(model, { env, settings });
  if (!Object.hasOwn(providerVariables, provider) || isProviderReady(provider, env)) return undefined;
  const proposals = await proposeModels(env);
  const { keys, usualKey } = providerVariables[provider] ?? { keys: [], usualKey: '' };
  const error = new RondoError('model.key_missing', `No key for ${provider}/${id}: ${usualKey} is not set.`, {
    details: { provider, variables: [usualKey, ...keys.filter((name) => name !== usualKey)] },
  });
  const chosen = proposals.length === 0 ? undefined : await ask(proposals, error.message, keyboard);
  if (chosen === undefined) throw missingModel(error, proposals);
  return chosen;
}

async function ask(
  proposals: readonly ModelProposal[],
  why: string,
  keyboard: Pick<Keyboard, 'readLine'>,
): Promise<ModelProposal | undefined> {
  const width = process.stdout.columns || 80;
  const names = Math.max(...proposals.map(({ model }) => model.length));
  const [only, second] = proposals;
  const rows = proposals.map(({ model, because }, index) => {
    const number = second === undefined ? '' : `${index + 1}  `;
    const row = printableText(`  ${number}${model.padEnd(names)}  ${because}`).replaceAll('\n', ' ');
    return `${cutLine(row, width - 1)}\n`;
  });
  process.stdout.write(`${why} There is here:\n${rows.join('')}`);
  const prompt = second === undefined ? 'Use it? y/N ' : `Use one of them (1 to ${proposals.length})? N `;
  for (;;) {
    const answer = await keyboard.readLine({ prompt, purpose: 'answer' });
    if (answer.type !== 'line') return undefined;
    const text = answer.text.trim().toLowerCase();
    if (['', 'n', 'no'].includes(text)) return undefined;
    if (second === undefined && ['y', 'yes'].includes(text)) return only;
    const chosen = second === undefined ? undefined : proposals[Number(text) - 1];
    if (chosen !== undefined) return chosen;
  }
}
