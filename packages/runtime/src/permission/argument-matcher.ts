import type { JsonObject, JsonValue } from '@rondo/protocol';
import { canonicalJson, RondoError } from '@rondo/protocol/values';
import type { Touch } from './touch.ts';
import { matchesStars } from './star-pattern.ts';

/** What one argument has to be: this very value, one of several, a text in which `*` stands for any text, a number in bounds. */
export type ArgumentMatcher =
  | string
  | number
  | boolean
  | null
  | { readonly equals: JsonValue }
  | { readonly oneOf: readonly JsonValue[] }
  | { readonly matches: string }
  | { readonly atLeast?: number; readonly atMost?: number };

/** By the arguments' names. All of them have to fit; a call without one of them is not what is meant. */
export type ArgumentMatchers = Readonly<Record<string, ArgumentMatcher>>;

/**
 * Whether the arguments are those that are meant. `maybe`: one of them is of a type that its matcher does not compare,
 * such as the text `"150"` with a bound.
 */
export function matchArguments(matchers: ArgumentMatchers, input: JsonObject): Touch {
  let found: Touch = 'yes';
  for (const [name, matcher] of Object.entries(matchers)) {
    const value = Object.hasOwn(input, name) ? input[name] : undefined;
    const fit = value === undefined ? 'no' : matchOne(matcher, value);
    if (fit === 'no') return 'no';
    if (fit === 'maybe') found = 'maybe';
  }
  return found;
}

function matchOne(matcher: ArgumentMatcher, value: JsonValue): Touch {
  if (typeof matcher !== 'object' || matcher === null) return isSame(matcher, value) ? 'yes' : 'no';
  if ('equals' in matcher) return isSame(matcher.equals, value) ? 'yes' : 'no';
  if ('oneOf' in matcher) return matcher.oneOf.some((each) => isSame(each, value)) ? 'yes' : 'no';
  if ('matches' in matcher) {
    if (typeof value !== 'string') return 'maybe';
    return matchesStars(matcher.matches, value) ? 'yes' : 'no';
  }
  if (typeof value !== 'number') return 'maybe';
  const { atLeast = -Infinity, atMost = Infinity } = matcher;
  return value >= atLeast && value <= atMost ? 'yes' : 'no';
}

function isSame(one: JsonValue, other: JsonValue): boolean {
  return canonicalJson(one) === canonicalJson(other);
}

/** @throws RondoError `permission.rule_unsupported` for what is no matcher: it would match nothing, and a deny rule be lost. */
export function checkArgumentMatchers(matchers: ArgumentMatchers, tools: readonly string[]): void {
  const names = Object.keys(matchers);
  const refuse = (what: string): never => {
    throw new RondoError('permission.rule_unsupported', `permission policy rule for ${tools.join(', ')}: ${what}`, {
      details: { tools: [...tools] },
    });
  };
  if (names.length === 0) refuse('`arguments` names none; leave it out for every call of the tools');
  for (const name of names) {
    if (!isMatcher(matchers[name])) {
      refuse(
        `arguments.${name} is to be a value, or one of { equals }, { oneOf: […] }, { matches: 'text with *' }, { atLeast, atMost }`,
      );
    }
  }
}

function isMatcher(matcher: unknown): boolean {
  if (matcher === null || /^(?:string|number|boolean)$/.test(typeof matcher)) return true;
  if (typeof matcher !== 'object') return false;
  const entries = Object.entries(matcher);
  const [first] = entries;
  if (first === undefined) return false;
  if (
    entries.every(([key, value]) => /^at(?:Least|Most)$/.test(key) && typeof value === 'number' && !Number.isNaN(value))
  )
    return true;
  if (entries.length > 1) return false;
  const [key, value]: [string, unknown] = first;
  if (key === 'equals') return value !== undefined;
  return key === 'oneOf' ? Array.isArray(value) && value.length > 0 : key === 'matches' && typeof value === 'string';
}
