/** What can stand left of the slash in `provider/model`. */
export const knownProviders = [
  'anthropic',
  'openai',
  'mistral',
  'google',
  'openai-compatible',
  'scripted',
  'replay',
] as const;

export interface ModelName {
  readonly provider: string;
  /** The provider's own name of the model; it may hold slashes. */
  readonly model: string;
}

export interface ModelNameOptions {
  /** Providers beside the known ones. */
  readonly providers?: readonly string[];
  /** Short names and what they mean. */
  readonly aliases: Readonly<Record<string, string>>;
  readonly defaultProvider?: string | undefined;
}

const prefixes: readonly (readonly [RegExp, string])[] = [
  [/^claude-/, 'anthropic'],
  [/^gpt-/, 'openai'],
  [/^o\d/, 'openai'],
  [/^mistral-/, 'mistral'],
  [/^gemini-/, 'google'],
];

const windowSuffix = /\[1m\]$/i;

/**
 * Which model a name means: an alias first, then `provider/model` where the provider is known, then a bare name by its
 * prefix, then the default provider. Undefined when nothing fits: a name is never guessed, because a typo must not send
 * code to another vendor.
 */
export function readModelName(name: string, options: ModelNameOptions): ModelName | undefined {
  const { aliases } = options;
  const suffix = windowSuffix.exec(name)?.[0] ?? '';
  const short = name.slice(0, name.length - suffix.length);
  const whole = Object.hasOwn(aliases, short) ? `${aliases[short]}${suffix}` : name;
  const slash = whole.indexOf('/');
  const left = whole.slice(0, Math.max(0, slash));
  if (isKnown(left, options)) return named(left, whole.slice(slash + 1));
  const prefix = prefixes.find(([pattern]) => pattern.test(whole));
  if (prefix !== undefined) return named(prefix[1], whole);
  return options.defaultProvider === undefined ? undefined : named(options.defaultProvider, whole);
}

function isKnown(provider: string, { providers = [] }: ModelNameOptions): boolean {
  return (knownProviders as readonly string[]).includes(provider) || providers.includes(provider);
}

function named(provider: string, model: string): ModelName | undefined {
  return model.trim() === '' ? undefined : { provider, model };
}
