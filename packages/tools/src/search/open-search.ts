import fs from 'node:fs';
import { basename, dirname } from 'node:path';
import { ToolError, type ToolContext } from '@rondo/runtime';
import { absentFileError, type LocatedFile, reasonOf, specialFileName } from '../file/locate-file.ts';
import { holdLocated, openLocated } from '../file/open-file.ts';
import { type NameBytes, nameText, pathPrefix } from './file-names.ts';
import { findRipgrep } from './find-ripgrep.ts';
import { ignoreRules } from './ignore-rules.ts';
import { type RipgrepEnd, type RipgrepOptions, runRipgrep } from './run-ripgrep.ts';

/** Where a search looks. What it holds is what was located: links that are laid on the way since are not followed. */
export interface Search extends Disposable {
  /** Names are below it. */
  readonly folder: Pick<LocatedFile, 'path' | 'target'>;
  /** The file to be searched, where the search is for one file. */
  readonly file: { readonly name: NameBytes; readonly descriptor: number } | undefined;
  /** Ignore files count for what is searched. */
  readonly hasIgnoreRules: boolean;
  /** Rules forbid to see some paths: what is left out may be for that. */
  readonly hasHiddenPaths: boolean;
  readonly timeoutMs: number;
  isShown(name: NameBytes): boolean;
  /** The path as results give it. */
  pathOf(name: NameBytes): string;
  /** Searches the folder. Paths in the output begin with `./`. */
  walk(args: readonly string[], onOutput: RipgrepOptions['onOutput']): Promise<RipgrepEnd>;
  /** Searches open files, one after the other. Paths in the output are `descriptorPath(0)` and so on. */
  read(
    descriptors: readonly number[],
    args: readonly string[],
    onOutput: RipgrepOptions['onOutput'],
  ): Promise<RipgrepEnd>;
}

const timeoutMs = 60_000;
const graceMs = 5_000;

/** Data of version control, not of the project. Named in a call, they are searched all the same. */
const leftOut = ['.git', '.hg', '.svn', '.bzr', '.jj', '.sl'].map((name) => `--glob=!${name}`);

/** By what path ripgrep finds the file that it was given as its descriptor 3 and so on. */
export function descriptorPath(index: number): string {
  return `${process.platform === 'linux' ? '/proc/self/fd' : '/dev/fd'}/${index + 3}`;
}

/**
 * Opens the search of a file or folder.
 * @throws ToolError when there is none, or it may not be read.
 */
export async function openSearch(root: LocatedFile, context: ToolContext): Promise<Search> {
  const { stats } = root;
  if (stats === undefined) throw await absentFileError(root.path, context);
  const isFolder = stats.isDirectory();
  const special = isFolder ? undefined : specialFileName(stats);
  if (special !== undefined) throw new ToolError(`${root.path} is ${special}; only files and folders can be searched.`);
  const [program, isAllowed, mark] = await Promise.all([
    findRipgrep(context.env['PATH']),
    isFolder ? context.pathFilter() : undefined,
    context.sandbox.processMark?.(),
  ]);
  const env = { ...context.env, ...mark };
  const deadline = performance.now() + timeoutMs;
  const run = (options: Omit<RipgrepOptions, 'program' | 'env' | 'signal'>): Promise<RipgrepEnd> =>
    runRipgrep({ ...options, program, env, signal: context.signal });

  const folder = isFolder ? root : { path: dirname(root.path), target: dirname(root.target) };
  const { place, ...opened } = isFolder ? openFolder(root) : openFile(root);
  const rules = isFolder ? ignoreRules(folder.target, realFolder(context.cwd)) : undefined;
  const prefix = pathPrefix(folder.path, context.cwd);
  const bases = [...new Set([folder.path, folder.target])].map((base) => (base === '/' ? '' : base));
  return {
    folder,
    ...opened,
    hasIgnoreRules: rules?.arePresent === true,
    hasHiddenPaths: isAllowed !== undefined,
    timeoutMs,
    isShown: (name) => isAllowed === undefined || bases.every((base) => isAllowed(`${base}/${nameText(name)}`)),
    pathOf: (name) => prefix + nameText(name),
    walk: (args, onOutput) =>
      run({
        args: [...common, ...leftOut, '--hidden', '--no-ignore-global', ...(rules?.args ?? []), ...args, './'],
        cwd: place,
        deadline,
        onOutput,
      }),
    read: (files, args, onOutput) =>
      run({
        args: [...common, '--threads=1', '--with-filename', ...args, ...files.map((_, index) => descriptorPath(index))],
        cwd: '/',
        files,
        // Where finding took all the time, what was found is shown all the same.
        deadline: Math.max(deadline, performance.now() + graceMs),
        onOutput,
      }),
  };
}

const common = ['--no-config', '--color=never', '--null'];

interface Opened extends Pick<Search, 'file' | typeof Symbol.dispose> {
  /** A path of the folder that stays its own while the search is open. */
  readonly place: string;
}

function openFolder(root: LocatedFile): Opened {
  const held = holdLocated(root);
  try {
    fs.accessSync(held.place, fs.constants.R_OK | fs.constants.X_OK);
  } catch (error) {
    held[Symbol.dispose]();
    throw new ToolError(`${root.path} could not be searched: ${reasonOf(error)}.`, { cause: error });
  }
  return { place: held.place, file: undefined, [Symbol.dispose]: () => held[Symbol.dispose]() };
}

function openFile(root: LocatedFile): Opened {
  const descriptor = openLocated(root);
  return {
    place: dirname(root.target),
    file: { name: Buffer.from(basename(root.path)).toString('latin1'), descriptor },
    [Symbol.dispose]: () => fs.closeSync(descriptor),
  };
}

function realFolder(path: string): string {
  try {
    return fs.realpathSync.native(path);
  } catch {
    return path;
  }
}
