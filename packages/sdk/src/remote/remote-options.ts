import { asksForNothing } from '../options/asks-for-nothing.ts';
import { refuseContradictions } from '../options/check-options.ts';
import { invalidOption } from '../options/invalid-option.ts';
import { laterOptions, needlessOptions, type OptionKind, servedOptions } from '../options/option-table.ts';
import { optionProblem } from '../options/option-value.ts';
import type { Options } from '../options/options.ts';

/** What a query may say of a session at a host. All else belongs to the host's agent: its tools, rules, hooks and folder. */
const served: readonly (keyof Options)[] = [
  'abortController',
  'agent',
  'canUseTool',
  'commandLifecycle',
  'continue',
  'cwd',
  'debug',
  'debugFile',
  'effort',
  'env',
  'forkSession',
  'includeHookEvents',
  'includePartialMessages',
  'maxBudgetUsd',
  'maxTurns',
  'model',
  'replayUserMessages',
  'resume',
  'sessionId',
  'sessionStates',
  'stderr',
  'systemPrompt',
  'title',
  'token',
  'unfinished',
  'url',
];

/**
 * Refuses what a host would not do as asked.
 * @throws RondoError `input.invalid` naming the option.
 */
export function checkRemoteOptions(options: Options): void {
  for (const [name, value] of Object.entries(options as Readonly<Record<string, unknown>>)) {
    if (value === undefined) continue;
    const kind = name === 'agent' ? 'string' : ofTable(servedOptions, name);
    const isKnown = kind !== undefined || Object.hasOwn(needlessOptions, name) || laterOptions.includes(name);
    if (!isKnown) throw invalidOption(name, 'is no option of query(); the Options type lists what is');
    if (kind !== undefined && served.some((known) => known === name)) checkValue(name, kind, value);
    else if (!asksForNothing(value))
      throw invalidOption(name, "is decided by the host's agent; leave it out with options.url");
  }
  const { model, systemPrompt, url } = options;
  if (model !== undefined && typeof model !== 'string')
    throw invalidOption('model', 'must be a name with options.url: a model of your own cannot cross a socket');
  if (systemPrompt !== undefined && typeof systemPrompt !== 'string')
    throw invalidOption('systemPrompt', "must be a text with options.url, in place of the agent's own");
  if (url !== undefined) checkAddress(url);
  refuseContradictions(options);
}

function ofTable<Value>(table: Readonly<Record<string, Value>>, name: string): Value | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined;
}

function checkValue(name: string, kind: OptionKind, value: unknown): void {
  const problem = optionProblem(kind, value);
  if (problem !== undefined) throw invalidOption(name, problem);
}

function checkAddress(url: string): void {
  const address = URL.parse(url);
  if (address?.protocol !== 'ws:' && address?.protocol !== 'wss:')
    throw invalidOption('url', `takes the address of a host, ws://… or wss://…, not ${JSON.stringify(url)}`);
  if (address.username !== '' || address.password !== '' || address.searchParams.has('token'))
    throw invalidOption('url', 'holds a secret, which would be written down with it: use options.token');
}
