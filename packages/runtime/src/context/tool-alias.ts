import { deriveUuid } from '@rondo/protocol/values';
import { toolNamePattern } from './request-limits.ts';

const LONGEST = 64;
/** 64 bits: nobody makes a name that has another's. */
const HASH_LENGTH = 13;

/** How every alias ends. A tool's own name that ends like one gets an alias too, so that no name is another's alias. */
const aliasEnd = /_x[0-9a-z]{13}$/;

/** Of names that need one. */
const aliases = new Map<string, string>();
const MOST_ALIASES = 10_000;

/**
 * The name under which models know a tool: its own where every provider takes it, else its readable beginning and a
 * hash of the whole. It follows from the name alone, so that it is the same in every process, for every model, and
 * whatever other tools there are; two names never share one.
 */
export function toolAlias(name: string): string {
  if (toolNamePattern.test(name) && !aliasEnd.test(name)) return name;
  let alias = aliases.get(name);
  if (alias === undefined) {
    alias = madeAlias(name);
    if (aliases.size >= MOST_ALIASES) aliases.clear();
    aliases.set(name, alias);
  }
  return alias;
}

function madeAlias(name: string): string {
  // As JSON, since half a character has no other spelling that a hash could tell from another half.
  const digits = deriveUuid(`tool name ${JSON.stringify(name)}`)
    .replaceAll('-', '')
    .slice(0, 17);
  // The digit in the middle is the UUID's version, the same in all of them.
  const hash = BigInt(`0x${digits.slice(0, 12)}${digits.slice(13)}`)
    .toString(36)
    .padStart(HASH_LENGTH, '0');
  const end = `_x${hash}`;
  const readable = name.replace(/[^A-Za-z0-9_-]+/g, '_').replace(/^(?=[^A-Za-z_])/, '_');
  return (/[A-Za-z0-9]/.test(readable) ? readable : 'tool').slice(0, LONGEST - end.length) + end;
}
