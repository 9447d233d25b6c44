import type { JsonValue } from './json-value.ts';

/**
 * One text for equal values: keys in the order of their UTF-16 units, no white space. What hashes of inputs, policies
 * and agents are taken over, so it must never change for a value.
 */
export function canonicalJson(value: JsonValue): string {
  if (value === null || typeof value !== 'object') return JSON.stringify(value) ?? 'null';
  // Text is added to text: lists of parts, joined, were a twentieth of all that a step of an agent leaves to be collected.
  let text = '';
  if (isJsonArray(value)) {
    for (const member of value) text += text === '' ? canonicalJson(member) : `,${canonicalJson(member)}`;
    return `[${text}]`;
  }
  for (const key of sorted(Object.keys(value))) {
    const member = value[key];
    if (member === undefined) continue;
    if (text !== '') text += ',';
    text += `${JSON.stringify(key)}:${canonicalJson(member)}`;
  }
  return `{${text}}`;
}

/** Objects have few keys, mostly in order: few are put in their place one by one, without a list to sort them in. */
function sorted(keys: string[]): string[] {
  if (keys.length > 16) return keys.sort();
  for (let index = 1; index < keys.length; index += 1) {
    const key = keys[index] ?? '';
    let place = index;
    for (; place > 0 && (keys[place - 1] ?? '') > key; place -= 1) keys[place] = keys[place - 1] ?? '';
    keys[place] = key;
  }
  return keys;
}

function isJsonArray(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value);
}
