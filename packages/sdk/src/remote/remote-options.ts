import { invalidOption } from '../options/invalid-option.ts';
import type { Options } from '../options/options.ts';

/** What a query may say of a session at a host. All else belongs to the host's agent: its tools, rules, hooks and folder. */
const served: readonly (keyof Options)[] = [
  'abortController',
  'agent',
  'canUseTool',
  'continue',
  'effort',
  'env',
  'forkSession',
  'includeHookEvents',
  'includePartialMessages',
  'maxBudgetUsd',
  'maxTurns',
  'model',
  'resume',
  'sessionId',
  'stderr',
  'systemPrompt',
  'title',
  'token',
  'unfinished',
  'url',
];

/** Names of options that say nothing where they are empty or false, as programs pass them through. */
function asksForNothing(value: unknown): boolean {
  if (value === undefined || value === null || value === false) return true;
  return typeof value === 'object' && Object.keys(value).length === 0;
}

/**
 * Refuses what a host would not do as asked.
 * @throws RondoError `input.invalid` naming the option.
 */
export function checkRemoteOptions(options: Options): void {
  for (const [name, value] of Object.entries(options as Readonly<Record<string, unknown>>)) {
    if (served.some((known) => known === name) || asksForNothing(value)) continue;
    throw invalidOption(name, "is decided by the host's agent; leave it out with options.url");
  }
  const { model, systemPrompt, url } = options;
  if (model !== undefined && typeof model !== 'string')
    throw invalidOption('model', 'must be a name with options.url: a model of your own cannot cross a socket');
  if (systemPrompt !== undefined && typeof systemPrompt !== 'string')
    throw invalidOption('systemPrompt', "must be a text with options.url, in place of the agent's own");
  if (url !== undefined) checkAddress(url);
}

function checkAddress(url: string): void {
  const address = URL.parse(url);
  if (address?.protocol !== 'ws:' && address?.protocol !== 'wss:')
    throw invalidOption('url', `takes the address of a host, ws://… or wss://…, not ${JSON.stringify(url)}`);
  if (address.username !== '' || address.password !== '' || address.searchParams.has('token'))
    throw invalidOption('url', 'holds a secret, which would be written down with it: use options.token');
}
