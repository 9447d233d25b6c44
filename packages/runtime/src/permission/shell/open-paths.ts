import type { ShellPath } from './shell-line.ts';
import type { ShellWord } from './shell-word.ts';

/**
 * Folders that a part of the line may run in: '' is where the line starts, `~/…` is below the home directory, undefined
 * is anywhere.
 */
export type Folders = readonly (string | undefined)[];

export const startFolder: Folders = [''];
export const anyFolder: Folders = [undefined];

/** More would be a line that nobody reads: anywhere then. */
const mostFolders = 4;
/** A longer path is none that a person meant. */
const mostLetters = 1024;

const streams = /^(?:-|\/dev\/(?:null|stdin|stdout|stderr|tty|zero|random|urandom|fd\/\d+))$/;

/** What opening the file that a word names opens, from wherever the command may run. */
export function openPaths(
  folders: Folders,
  { access, tree = false }: { readonly access: ShellPath['access']; readonly tree?: boolean },
  word: ShellWord,
): readonly ShellPath[] {
  if (/^[<>]\(/.test(word.text) || (word.value !== undefined && streams.test(word.value))) return [];
  const all = tree ? ({ access, tree } as const) : { access };
  if (word.fromHome !== undefined) return [{ ...all, path: undefined, fromHome: word.fromHome }];
  const name = word.value ?? word.below;
  if (name === undefined) return [{ ...all, path: undefined }];
  const seen = new Set<string | undefined>();
  return folders.flatMap((folder): ShellPath[] => {
    const path = joined(folder, fileOf(name));
    if (seen.has(path)) return [];
    seen.add(path);
    if (path === undefined) return [{ ...all, path }];
    if (word.value === undefined)
      return [{ ...all, path: undefined, ...(path.startsWith('~/') ? {} : { below: path }) }];
    if (path.startsWith('~/')) return [{ ...all, path: undefined, fromHome: path.slice(2) }];
    return [{ ...all, path }];
  });
}

function fileOf(name: string): string {
  if (!/^file:/i.test(name)) return name;
  try {
    const { pathname } = new URL(name);
    return decodeURIComponent(pathname);
  } catch {
    return name;
  }
}

/** A name that begins with `~` and stays a name is marked so that it is not taken for the home directory. */
function joined(folder: string | undefined, name: string): string | undefined {
  if (name.startsWith('/')) return name;
  if (folder === undefined || folder.length + name.length > mostLetters) return undefined;
  if (folder === '') return name.startsWith('~') ? `./${name}` : name;
  return folder.endsWith('/') ? `${folder}${name}` : `${folder}/${name}`;
}

/** Where `cd` to a word leads. The shell takes `..` back by name, not by the disk. */
export function foldersBehind(folders: Folders, word: ShellWord | undefined): Folders {
  if (word === undefined) return ['~/'];
  if (word.fromHome !== undefined) return [word.fromHome.includes('..') ? undefined : `~/${word.fromHome}`];
  const { value } = word;
  if (value === undefined || value === '-' || value === '') return anyFolder;
  return allOf(folders.map((folder) => walked(joined(folder, value))));
}

function walked(path: string | undefined): string | undefined {
  if (path === undefined || (path.startsWith('~/') && path.includes('..')))
    return path === undefined ? path : undefined;
  const root = path.startsWith('/') ? '/' : '';
  const names: string[] = [];
  for (const name of path.split('/')) {
    if (name === '' || (name === '.' && names.length > 0)) continue;
    if (name === '..' && names.length > 0 && names.at(-1) !== '..' && names.at(-1) !== '.') names.pop();
    else if (name !== '..' || root === '') names.push(name);
  }
  if (names[0] === '.' && names[1]?.startsWith('~') !== true) names.shift();
  const whole = `${root}${names.join('/')}`;
  return whole === '~' ? '~/' : whole;
}

/** Every folder that one of several ways leads to. */
export function allOf(folders: Folders): Folders {
  const all = [...new Set(folders)];
  return all.length > mostFolders ? [...all.slice(0, mostFolders - 1), undefined] : all;
}
