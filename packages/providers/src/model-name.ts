import { nearestNames, RondoError } from '@rondo/protocol/values';

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
  /** Short names and what they mean; a meaning may be a short name again. */
  readonly aliases: Readonly<Record<string, string>>;
  /** A provider, or `openai-compatible/NAME`. */
  readonly defaultProvider?: string | undefined;
}

/**
 * How the vendors' own families begin. Left out are names that open weights share with them, since a person who has
 * those means a server of their own: `gpt-oss`, `gemma`, and whatever has a tag behind a colon.
 */
const families: readonly (readonly [RegExp, string])[] = [
  [/^claude-/i, 'anthropic'],
  [/^(gpt-(?!oss)|chatgpt-|codex-|o\d)/i, 'openai'],
  [/^(mistral|magistral|devstral|codestral|ministral|pixtral|voxtral|open-mistral|open-mixtral)-/i, 'mistral'],
  [/^gemini-/i, 'google'],
];
const fineTuned = /^ft:(gpt-|o\d)/i;

const windowSuffix = /\[1m\]$/i;

/**
 * Which model a name means: `provider/model` where the provider is known; else an alias; then a bare name by its
 * family; then the default provider. Undefined when nothing fits: a name is never guessed, because a typo must not send
 * code to another vendor. White space around it and the case of providers, aliases and families do not matter.
 * @throws RondoError `model.unknown` for aliases that only mean each other.
 */
export function readModelName(name: string, options: ModelNameOptions): ModelName | undefined {
  const { meaning, suffix } = followAliases(name.trim(), options);
  const slash = meaning.indexOf('/');
  const left = meaning.slice(0, Math.max(0, slash));
  const found = providerNamed(left, options);
  if (found !== undefined) return named(found, withSuffix(found, meaning.slice(slash + 1), suffix));
  const family = familyOf(meaning);
  if (family !== undefined) return named(family, withSuffix(family, meaning, suffix));
  const [provider, ...server] = defaultFor(meaning, left, options)?.split('/') ?? [];
  return provider === undefined
    ? undefined
    : named(provider, withSuffix(provider, [...server, meaning].join('/'), suffix));
}

interface Meaning {
  readonly meaning: string;
  /** The `[1m]` that stood behind a short name. */
  readonly suffix: string;
}

function followAliases(name: string, options: ModelNameOptions): Meaning {
  const seen = [name];
  let suffix = '';
  for (let meaning = name; ; ) {
    const alias = isQualified(meaning, options) ? undefined : aliasOf(meaning, options.aliases);
    if (alias === undefined) return { meaning, suffix };
    suffix = alias.suffix === '' ? suffix : alias.suffix;
    meaning = alias.target.trim();
    if (seen.includes(meaning)) throw aliasCycle([...seen, meaning]);
    seen.push(meaning);
  }
}

function aliasOf(name: string, aliases: ModelNameOptions['aliases']): { target: string; suffix: string } | undefined {
  const whole = lookUp(name, aliases);
  if (whole !== undefined) return { target: whole, suffix: '' };
  const suffix = windowSuffix.exec(name)?.[0].toLowerCase() ?? '';
  const target = suffix === '' ? undefined : lookUp(name.slice(0, -suffix.length), aliases);
  return target === undefined ? undefined : { target, suffix };
}

function lookUp(name: string, aliases: ModelNameOptions['aliases']): string | undefined {
  const key = [name, name.toLowerCase()].find((spelling) => Object.hasOwn(aliases, spelling));
  return key === undefined ? undefined : aliases[key];
}

function aliasCycle(chain: readonly string[]): RondoError {
  return new RondoError(
    'model.unknown',
    `The short name ${JSON.stringify(chain[0])} means no model: its aliases only mean each other, ${chain.join(' → ')}. Let one of them mean provider/model.`,
    { details: { name: chain[0] ?? '', chain: [...chain] } },
  );
}

function isQualified(name: string, options: ModelNameOptions): boolean {
  const slash = name.indexOf('/');
  return slash > 0 && providerNamed(name.slice(0, slash), options) !== undefined;
}

function providerNamed(written: string, { providers = [] }: ModelNameOptions): string | undefined {
  const known = [...knownProviders, ...providers];
  return known.find((provider) => provider === written) ?? known.find((provider) => provider === written.toLowerCase());
}

function familyOf(name: string): string | undefined {
  if (fineTuned.test(name)) return 'openai';
  if (/[/:]/.test(name)) return undefined;
  return families.find(([pattern]) => pattern.test(name))?.[1];
}

/** The default provider takes names with a slash as well, unless what is left of it looks like a provider misspelt. */
function defaultFor(name: string, left: string, options: ModelNameOptions): string | undefined {
  const { defaultProvider, providers = [] } = options;
  const [nearest] = left === '' ? [] : nearestNames(left, [...knownProviders, ...providers], 1);
  const isMisspelt = nearest !== undefined && Math.abs(nearest.length - left.length) < 2;
  return isMisspelt || /^$|\s/.test(name) ? undefined : defaultProvider;
}

/** Only Anthropic's models are asked for a longer window by name; for others a short name's suffix asks for nothing. */
function withSuffix(provider: string, model: string, suffix: string): string {
  return provider !== 'anthropic' || windowSuffix.test(model) ? model : `${model}${suffix}`;
}

const vendors: readonly string[] = ['anthropic', 'openai', 'mistral', 'google'];

/** A vendor's ID has no blanks and no hole in it; what a server or a script calls its own may be a path. */
function named(provider: string, model: string): ModelName | undefined {
  const isNone = vendors.includes(provider) ? /^$|\s|^\/|\/\/|\/$/ : /^\s*$/;
  return isNone.test(model) ? undefined : { provider, model };
}
