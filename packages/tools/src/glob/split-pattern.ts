import type { GlobInput } from './glob-input.ts';

export interface SplitPattern {
  /** Where the search begins, as the call wrote it. */
  readonly folder: string;
  /** The pattern from there on. */
  readonly pattern: string;
}

/**
 * Takes the names that a pattern begins with into the folder: nothing else is looked at, and a folder that is named is
 * searched also where an ignore file names it. A pattern from the disk's root has no other folder.
 */
export function splitPattern({ pattern, path = '' }: GlobInput): SplitPattern {
  const names = (pattern.endsWith('/') ? `${pattern}**` : pattern)
    .split('/')
    .filter((name) => name !== '' && name !== '.');
  const from = names.slice(0, -1).findIndex((name) => /[*?[\]{}\\]/.test(name));
  const count = from === -1 ? Math.max(0, names.length - 1) : from;
  const base = pattern.startsWith('/') ? '' : path === '' ? '.' : path.replace(/(?<=.)\/+$/, '');
  const folder = [base, ...names.slice(0, count)].join('/');
  return { folder: folder === '' ? '/' : folder, pattern: names.slice(count).join('/') };
}
