import { invalidOption } from '../options/invalid-option.ts';
import { laterOptions, needlessOptions, servedOptions } from '../options/option-table.ts';
import { optionProblem } from '../options/option-value.ts';
import type { Options } from '../options/options.ts';
import { refuseStoreContradictions } from '../options/store-contradictions.ts';

/** Rondo's own options that are about this process, and what to do where the session is at work in another. */
const ownOptions: Readonly<Record<string, string>> = {
  classifierModel: 'set it where the peer runs',
  models: 'put it into options.settings',
  setup: 'start the peer with it, by options.extraArgs',
  trustFolder: 'run `rondo trust` where the peer runs',
  token: 'it is for a host at options.url',
  url: 'it names a host, which works in place of a peer: use one of them',
  unfinished: 'a peer settles, or goes on with, an unfinished turn as its prompt says',
};

const functions = ['canUseTool', 'onElicitation', 'spawnClaudeCodeProcess', 'stderr'];

/**
 * Refuses what cannot reach a peer, before one is started. What it can do of the rest, and whether the values are right,
 * the peer says: it may be another one than this version's.
 * @throws RondoError `input.invalid` naming the option.
 */
export function checkPeerOptions(options: Options): void {
  const given: Readonly<Record<string, unknown>> = { ...options };
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined) continue;
    const isKnown =
      Object.hasOwn(servedOptions, name) || Object.hasOwn(needlessOptions, name) || laterOptions.includes(name);
    if (!isKnown) throw invalidOption(name, 'is no option of query(); the Options type lists what is');
    const elsewhere = Object.hasOwn(ownOptions, name) ? ownOptions[name] : undefined;
    if (elsewhere !== undefined) throw invalidOption(name, `cannot be sent to a peer process: ${elsewhere}`);
    if (functions.includes(name) && typeof value !== 'function') throw invalidOption(name, 'takes a function');
  }
  const { model, fallbackModel } = given;
  for (const [name, value] of Object.entries({ model, fallbackModel })) {
    if (value === undefined || typeof value === 'string') continue;
    throw invalidOption(name, 'cannot be a Model where a peer process asks it: name one');
  }
  if (model !== undefined && model === fallbackModel) {
    throw invalidOption('fallbackModel', 'is the same as options.model: there would be nothing to fall back to');
  }
  checkStore(options);
  if (options.canUseTool !== undefined && given['permissionPromptToolName'] !== undefined) {
    throw invalidOption('permissionPromptToolName', 'and canUseTool both answer what is asked: use one of them');
  }
}

/** The store stays here, so that it is judged here, as is what is said of it. */
function checkStore(options: Options): void {
  for (const name of ['sessionStore', 'sessionStoreFlush', 'loadTimeoutMs'] as const) {
    const kind = servedOptions[name];
    if (options[name] === undefined || kind === undefined) continue;
    const problem = optionProblem(kind, options[name]);
    if (problem !== undefined) throw invalidOption(name, problem);
  }
  refuseStoreContradictions(options);
}
