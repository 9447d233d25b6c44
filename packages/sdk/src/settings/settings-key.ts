/**
 * What a key does to what may happen; decides what counts of a folder that nobody trusts yet, and what an embedding
 * program's policy may say. `narrows`: only ever takes away. `widens`: lets happen what else would not. `runs`: starts a
 * program, or steers those that are started. `neutral`: neither.
 */
export type SettingEffect = 'neutral' | 'narrows' | 'widens' | 'runs' | 'narrows if true' | 'narrows if false';

/**
 * How a higher source meets a lower one: `replace` it, the `union` of both lists, `by key` of both objects, or what is
 * true in any of them.
 */
export type SettingMerge = 'replace' | 'union' | 'by key' | 'any';

export type SettingKind =
  | 'anything'
  | 'boolean'
  | 'choice'
  | 'hooks'
  | 'model settings'
  | 'number'
  | 'object'
  | 'record'
  | 'text'
  | 'texts'
  | 'texts by name'
  | 'variables';

export interface SettingKey {
  readonly is: SettingKind;
  readonly merge: SettingMerge;
  readonly effect: SettingEffect;
  /** One sentence, for the schema and the guide. */
  readonly about: string;
  /** Of a `choice`. */
  readonly choices?: readonly string[];
  /** Of a `choice`: what anything else is read as. */
  readonly instead?: string;
  /** Of an `object`; keys that are not here are kept as they are. */
  readonly keys?: SettingTable;
  /** Counts only where managed settings say it. */
  readonly managedOnly?: true;
  /** To run without what was meant would be worse than not to run: a value of the wrong kind breaks the user's file. */
  readonly strict?: true;
}

export type SettingTable = Readonly<Record<string, SettingKey>>;

type Made = Omit<SettingKey, 'is' | 'about'>;

export function boolean(effect: SettingEffect, about: string, more: Partial<Made> = {}): SettingKey {
  return { is: 'boolean', merge: 'replace', effect, about, ...more };
}

export function number(effect: SettingEffect, about: string): SettingKey {
  return { is: 'number', merge: 'replace', effect, about };
}

export function text(effect: SettingEffect, about: string, more: Partial<Made> = {}): SettingKey {
  return { is: 'text', merge: 'replace', effect, about, ...more };
}

export function texts(effect: SettingEffect, about: string, more: Partial<Made> = {}): SettingKey {
  return { is: 'texts', merge: 'union', effect, about, ...more };
}

export function choice(effect: SettingEffect, choices: readonly string[], about: string, instead?: string): SettingKey {
  return { is: 'choice', merge: 'replace', effect, about, choices, ...(instead === undefined ? {} : { instead }) };
}

/** Its effect is that of its keys; `unknown` is that of keys which nobody here knows. */
export function object(keys: SettingTable, about: string, unknown: SettingEffect = 'widens'): SettingKey {
  return { is: 'object', merge: 'by key', effect: unknown, about, keys };
}

/** An object of any keys and values. */
export function record(effect: SettingEffect, about: string, more: Partial<Made> = {}): SettingKey {
  return { is: 'record', merge: 'by key', effect, about, ...more };
}

export function anything(effect: SettingEffect, about: string, more: Partial<Made> = {}): SettingKey {
  return { is: 'anything', merge: 'replace', effect, about, ...more };
}
