import { isAbsolute, relative } from 'node:path';
import { printableLine } from './printable-text.ts';

/** The argument that tells a person what a call is about, where it is not simply the first. */
const telling: Readonly<Record<string, readonly string[]>> = {
  Bash: ['command'],
  Glob: ['pattern', 'path'],
  Grep: ['pattern', 'path'],
  Task: ['description'],
  Agent: ['description'],
};
const paths = new Set(['file_path', 'notebook_path', 'path']);

/** A call in one line: `Bash npm test`, `Edit src/cart.js`. */
export function toolLine(
  name: string,
  input: unknown,
  options: { readonly cwd: string; readonly width: number },
): string {
  return printableLine(`${name} ${subject(name, input, options.cwd)}`, options.width);
}

function subject(name: string, input: unknown, cwd: string): string {
  if (typeof input !== 'object' || input === null) return '';
  const fields = Object.entries(input);
  const keys = telling[name] ?? fields.filter(([key]) => paths.has(key)).map(([key]) => key);
  const told = keys.flatMap((key) => {
    const value = (input as Record<string, unknown>)[key];
    return typeof value === 'string' ? [paths.has(key) ? shortPath(value, cwd) : value] : [];
  });
  if (told.length > 0) return told.join(' in ');
  return fields.length === 0 ? '' : JSON.stringify(input);
}

/** Relative to the folder when it is inside it; the whole path says that something outside is touched. */
export function shortPath(path: string, cwd: string): string {
  if (!isAbsolute(path)) return path;
  const inside = relative(cwd, path);
  return inside === '' ? '.' : inside.startsWith('..') || isAbsolute(inside) ? path : inside;
}
