import { readVariable, type Environment } from './environment.ts';
import { knownProviders } from './model-name.ts';

/** The variables of the second seed that say what its short names mean, the ones that count first. */
export const aliasVariables: Readonly<Record<string, readonly string[]>> = {
  fable: ['ANTHROPIC_DEFAULT_FABLE_MODEL'],
  opus: ['ANTHROPIC_DEFAULT_OPUS_MODEL'],
  sonnet: ['ANTHROPIC_DEFAULT_SONNET_MODEL'],
  haiku: ['ANTHROPIC_DEFAULT_HAIKU_MODEL', 'ANTHROPIC_SMALL_FAST_MODEL'],
};

export const modelVariable = 'ANTHROPIC_MODEL';

/** What the environment lets short names mean. */
export function environmentAliases(env: Environment): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(aliasVariables).flatMap(([alias, variables]) => {
      const value = variables.map((name) => readVariable(env, name)).find((written) => written !== undefined);
      return value === undefined ? [] : [[alias, anthropicName(value, Object.keys(aliasVariables))]];
    }),
  );
}

/** The model that the environment names, `ANTHROPIC_MODEL`. `aliases` are the short names that it may be. */
export function environmentModel(env: Environment, aliases: readonly string[]): string | undefined {
  const value = readVariable(env, modelVariable);
  return value === undefined ? undefined : anthropicName(value, aliases);
}

/**
 * These variables name models of whoever speaks Anthropic's wire, often behind `ANTHROPIC_BASE_URL`, and may call one
 * anything: what is no short name and has no provider of its own goes there, never to the vendor it is named after.
 */
function anthropicName(value: string, aliases: readonly string[]): string {
  const short = value.replace(/\[1m\]$/i, '').toLowerCase();
  const left = value.slice(0, Math.max(0, value.indexOf('/'))).toLowerCase();
  const isQualified = (knownProviders as readonly string[]).includes(left);
  return isQualified || aliases.some((alias) => alias.toLowerCase() === short) ? value : `anthropic/${value}`;
}
