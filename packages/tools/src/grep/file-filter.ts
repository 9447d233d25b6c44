import { anyGlob, type PathGlob } from '../search/compile-glob.ts';
import { type NameBytes, nameText } from '../search/file-names.ts';
import { globArgs, readGlob } from '../search/read-glob.ts';
import type { GrepInput } from './grep-input.ts';

/** Which files of a folder a call wants. */
export interface FileFilter {
  /** Spares ripgrep most of the others. */
  readonly args: readonly string[];
  matches(name: NameBytes): boolean;
}

/**
 * The filter that glob and type make for a folder. A glob without a slash is for names at any depth, one with a slash for
 * paths from the folder on.
 * @throws ToolError when a glob cannot be read.
 */
export function fileFilter({ glob = '', type }: Pick<GrepInput, 'glob' | 'type'>, folder: string): FileFilter {
  const globs = splitGlobs(glob);
  const wanted = globs.filter((each) => !each.startsWith('!')).map((each) => readWanted(each, folder));
  const unwanted = globs.filter((each) => each.startsWith('!')).map((each) => `--glob=${each}`);
  const any = wanted.length === 0 ? undefined : anyGlob(wanted);
  return {
    args: [...narrowing(any, type), ...unwanted],
    matches: (name) => any === undefined || any.matches(nameText(name)),
  };
}

/** With two types ripgrep takes files of either: the glob's own is left out beside the call's. */
function narrowing(glob: PathGlob | undefined, type: string | undefined): string[] {
  const typeArgs = type === undefined || type === '' ? [] : [`--type=${type}`];
  if (glob === undefined) return typeArgs;
  return [...typeArgs, ...globArgs(typeArgs.length === 0 ? glob : { ...glob, names: undefined })];
}

function readWanted(glob: string, folder: string): PathGlob {
  const fromFolder = glob.startsWith(`${folder}/`) ? glob.slice(folder.length) : glob;
  const whole = fromFolder.endsWith('/') ? `${fromFolder}**` : fromFolder;
  return readGlob('glob', whole.includes('/') ? whole.replace(/^\/+/, '') : `**/${whole}`);
}

/** Commas separate globs, but not inside of braces and brackets. */
function splitGlobs(list: string): string[] {
  const globs: string[] = [];
  let glob = '';
  let depth = 0;
  for (let at = 0; at < list.length; at += 1) {
    const character = list.charAt(at);
    if (character === '\\') glob += list.charAt(at++);
    else if (character === '{' || character === '[') depth += 1;
    else if (character === '}' || character === ']') depth = Math.max(0, depth - 1);
    if (character === ',' && depth === 0) {
      globs.push(glob);
      glob = '';
    } else glob += list.charAt(at);
  }
  return [...globs, glob].map((each) => each.trim()).filter((each) => each !== '');
}
