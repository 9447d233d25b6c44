import { kindOf } from './checked-content.ts';
import { findNotJson } from './standard-schema.ts';

/**
 * The same value where only JSON is in it, else what JSON makes of it.
 * @throws TypeError for what JSON cannot carry at all.
 */
export function jsonOf<Value>(value: Value): Value {
  if (findNotJson(value, '') === undefined) return value;
  const json = JSON.stringify(value) as string | undefined;
  if (json === undefined) throw new TypeError(`it gave ${kindOf(value)} where JSON belongs`);
  return JSON.parse(json) as Value;
}
