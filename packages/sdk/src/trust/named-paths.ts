import { lstatSync, statSync } from 'node:fs';
import { dirname, isAbsolute, join, resolve } from 'node:path';

export interface NamedPathsOptions {
  /** Where lines run. Absolute. */
  readonly folder: string;
  /** What `~` is. Absent: words that begin with it name nothing. */
  readonly home?: string | undefined;
}

/** A place that a text may name. */
export interface NamedPath {
  /** Absolute, normalised, links not followed. */
  readonly path: string;
  /** Some of the files in it, by a pattern. */
  readonly pattern?: true;
}

const variables = /\$\{?(?:CLAUDE|RONDO)_PROJECT_DIR\}?/g;
/** What may stand around a path in a shell line, an option or a list of folders. */
const separators = /[\s'"`;|&<>()={},:[\]]+/;

/** Programs that take their orders from files that no word names. */
const orders: readonly (readonly [RegExp, readonly string[]])[] = [
  [/\b(?:npm|pnpm|yarn|bun)\b/, ['package.json']],
  [/\bg?make\b/, ['GNUmakefile', 'makefile', 'Makefile']],
  [/\bjust\b/, ['justfile', 'Justfile', '.justfile']],
  [/\btask\b/, ['Taskfile.yml', 'Taskfile.yaml']],
  [/\brake\b/, ['Rakefile']],
  [/\bdeno\b/, ['deno.json', 'deno.jsonc']],
];
/** Programs that look for others where packages put theirs. */
const runners = /\b(?:npx|bunx|npm|pnpm|yarn|bun)\b/;

/** Every place that any text in the value may name, whether something is there or not. */
export function* namedPaths(value: unknown, options: NamedPathsOptions): Generator<NamedPath> {
  for (const text of textsIn(value)) yield* pathsInText(text, options);
}

function* pathsInText(text: string, { folder, home }: NamedPathsOptions): Generator<NamedPath> {
  const words = wordsIn(text, { folder, home });
  const folders = words.filter((word) => word !== '/' && isFolder(resolve(folder, word)));
  const inside = [
    ...folders.map((word) => resolve(folder, word)),
    ...(runners.test(text) ? [join(folder, 'node_modules/.bin')] : []),
  ];
  for (const word of words) {
    const star = word.search(/[*?]/);
    if (star >= 0) {
      // Of texts that are no paths, such as what tools a hook is about, most patterns have no folder in front.
      const before = word.slice(0, star);
      if (before.includes('/') && !/\s/.test(before))
        yield { path: resolve(folder, dirname(`${before}x`)), pattern: true };
      continue;
    }
    yield { path: resolve(folder, word) };
    if (isAbsolute(word)) continue;
    // Where the line may have gone first, and what a module's name stands for.
    for (const place of inside) {
      const path = resolve(place, word);
      if (isThere(path)) yield { path };
    }
    if (/^[\w.]+$/.test(word)) {
      for (const name of [`${word.replaceAll('.', '/')}.py`, join(word.replaceAll('.', '/'), '__main__.py')])
        if (isThere(join(folder, name))) yield { path: join(folder, name) };
    }
  }
  const files = orders.flatMap(([program, names]) => (program.test(text) ? names : []));
  for (const place of [folder, ...folders.map((word) => resolve(folder, word))])
    for (const name of files) if (isThere(join(place, name))) yield { path: join(place, name) };
}

function wordsIn(text: string, { folder, home }: NamedPathsOptions): readonly string[] {
  const named = text.replaceAll(variables, () => folder);
  const expanded = home === undefined ? named : named.replaceAll(/\$HOME\b|\$\{HOME\}/g, () => home);
  // A word may be quoted in part.
  const bare = expanded.replaceAll(/["'\\]/g, '');
  const words = [expanded, ...[expanded, bare].flatMap((line) => [...line.split(separators), ...line.split(/\s+/)])];
  // What begins with two slashes is the rest of an address.
  const likely = words.filter((word) => word !== '' && word.length <= 4096 && !/\0|^\/\//.test(word));
  return [...new Set(home === undefined ? likely : likely.map((word) => word.replace(/^~(?=\/|$)/, () => home)))];
}

function* textsIn(value: unknown): Generator<string> {
  if (typeof value === 'string') yield value;
  else if (Array.isArray(value)) for (const entry of value) yield* textsIn(entry);
  else if (typeof value === 'object' && value !== null) for (const entry of Object.values(value)) yield* textsIn(entry);
}

export function isThere(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    // Below a file, or behind links that go round.
    return false;
  }
}

export function isFolder(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  } catch {
    return false;
  }
}
