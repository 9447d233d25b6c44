import { nearestNames, RondoError } from '@rondo/protocol/values';
import { isRecord } from '../is-record.ts';

/** Refuses a value that is not as it should be; `where` names the place it came from. */
export type Check = (value: unknown, where: string) => void;

/** @throws RondoError `input.invalid`. */
export function refuse(where: string, problem: string): never {
  throw new RondoError('input.invalid', `${where} ${problem}${problem.endsWith('?') ? '' : '.'}`, {
    details: { where },
  });
}

/** A value of one kind, which `is` describes. */
export function kind(is: string, holds: (value: unknown) => boolean): Check {
  return (value, where) => {
    if (!holds(value)) refuse(where, `takes ${is}, not ${shown(value)}`);
  };
}

export const text = kind('a text', (value) => typeof value === 'string' && value.trim() !== '');
export const wholeNumber = kind('a whole number from 1', (value) => Number.isSafeInteger(value) && Number(value) > 0);
export const amount = kind('a number from 0', (value) => Number.isFinite(value) && Number(value) >= 0);

export const texts = kind(
  'a list of texts',
  (value) => Array.isArray(value) && value.every((entry) => typeof entry === 'string'),
);

/** An object with no keys but these. `required` must be there; `refused` are keys with a reason against them. */
export function object(
  keys: Readonly<Record<string, Check>>,
  more: { readonly required?: readonly string[]; readonly refused?: Readonly<Record<string, string>> } = {},
): Check {
  return (value, where) => {
    if (!isRecord(value)) return refuse(where, `takes an object, not ${shown(value)}`);
    for (const [key, entry] of Object.entries(value)) {
      const place = `${where}.${key}`;
      const reason = Object.hasOwn(more.refused ?? {}, key) ? more.refused?.[key] : undefined;
      if (reason !== undefined) return refuse(place, reason);
      const check = Object.hasOwn(keys, key) ? keys[key] : undefined;
      if (check === undefined) return refuse(place, `is no key of it${wayOn(key, Object.keys(keys))}`);
      if (entry !== undefined) check(entry, place);
    }
    const missing = more.required?.find((key) => value[key] === undefined);
    if (missing !== undefined) refuse(where, `has no ${missing}`);
  };
}

/** An object of any keys that `checkKey` has nothing against. */
export function record(checkEntry: Check, checkKey: Check = () => undefined): Check {
  return (value, where) => {
    if (!isRecord(value)) return refuse(where, `takes an object, not ${shown(value)}`);
    for (const [key, entry] of Object.entries(value)) {
      checkKey(key, `${where}: the name ${JSON.stringify(key)}`);
      checkEntry(entry, `${where}.${key}`);
    }
  };
}

function wayOn(key: string, known: readonly string[]): string {
  const [nearest] = nearestNames(key, known, 1);
  return nearest === undefined ? `; there are ${known.join(', ')}` : `; did you mean ${nearest}?`;
}

function shown(value: unknown): string {
  if (typeof value === 'function') return 'a function';
  const json = JSON.stringify(value) ?? String(value);
  return json.length > 80 ? `${json.slice(0, 80)}…` : json;
}
