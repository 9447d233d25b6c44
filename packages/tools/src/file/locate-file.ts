import fs, { type Stats, type StatsBase } from 'node:fs';
import { basename, dirname, extname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { isToolError, ToolError, type ToolContext } from '@rondo/runtime';

/** A path as a call named it, and what is there. */
export interface LocatedFile {
  /** Absolute, as the call meant it. */
  readonly path: string;
  /** With every symbolic link followed, also where the last one leads to nothing yet. */
  readonly target: string;
  /** Of the target; undefined when nothing is there. */
  readonly stats: Stats | undefined;
}

type Place = Pick<ToolContext, 'cwd' | 'additionalDirectories'>;

/**
 * Finds what a path stands for, relative ones from the session's folder. The system has the answers in memory, so it is
 * asked without the thread pool.
 * @throws ToolError when links go in circles, a folder on the way may not be entered, or the path leads elsewhere than
 * when the call was judged.
 */
export async function locateFile(
  filePath: string,
  { cwd, judgedPlaces }: Pick<ToolContext, 'cwd' | 'judgedPlaces'>,
  argument = 'file_path',
): Promise<LocatedFile> {
  if (filePath === '') throw new ToolError(`${argument} is empty; give the path of a file.`);
  if (filePath.includes('\0')) throw new ToolError(`${argument} holds a NUL character, which no path can.`);
  const path = resolve(cwd, filePath);
  try {
    const target = followLinks(path);
    if (judgedPlaces?.has(target) === false) throw movedError(path);
    return { path, target, stats: fs.statSync(target, { throwIfNoEntry: false }) };
  } catch (error) {
    if (isToolError(error)) throw error;
    throw new ToolError(`${path} cannot be reached: ${reasonOf(error)}.`, { cause: error });
  }
}

/** The error for a path on which a link was laid while the call was on its way. */
export function movedError(path: string): ToolError {
  return new ToolError(
    `${path} leads elsewhere than when this call was judged: a link was laid on the way. Nothing was done; call again to have it judged as it is now.`,
  );
}

/** True when the file lies in a folder that the session works in. */
export async function isInSession(target: string, { cwd, additionalDirectories }: Place): Promise<boolean> {
  for (const folder of [cwd, ...additionalDirectories]) {
    const from = relative(realFolder(folder) ?? resolve(cwd, folder), target);
    if (from === '' || (from !== '..' && !from.startsWith(`..${sep}`) && !isAbsolute(from))) return true;
  }
  return false;
}

/** What stands at a path that is no ordinary file, for messages; undefined for an ordinary one. */
export function specialFileName(stats: StatsBase<number> | StatsBase<bigint>): string | undefined {
  if (stats.isFile()) return undefined;
  if (stats.isDirectory()) return 'a folder';
  if (stats.isFIFO()) return 'a named pipe';
  if (stats.isSocket()) return 'a socket';
  if (stats.isCharacterDevice() || stats.isBlockDevice()) return 'a device';
  return 'no ordinary file';
}

/** The error for an absent file: it names the session's folder and what has a name like it and may be seen. */
export async function absentFileError(
  path: string,
  { cwd, pathFilter }: Pick<ToolContext, 'cwd' | 'pathFilter'>,
): Promise<ToolError> {
  let folder = dirname(path);
  let names: string[] | undefined;
  while ((names = await namesIn(folder)) === undefined && dirname(folder) !== folder) folder = dirname(folder);
  const missing =
    folder === dirname(path)
      ? ''
      : ` ${folder} exists, ${relative(folder, dirname(path)).split(sep)[0]} in it does not.`;
  const wanted = folder === dirname(path) ? basename(path) : (relative(folder, path).split(sep)[0] ?? '');
  const isShown = await pathFilter();
  const shown = isShown === undefined ? names : names?.filter((name) => isShown(join(folder, name)));
  const near = nearNames(wanted, shown ?? []).map((name) => join(folder, name));
  const hint = near.length === 0 ? '' : ` Did you mean ${near.join(' or ')}?`;
  return new ToolError(`${path} does not exist.${missing} The session's folder is ${cwd}.${hint}`);
}

/** Up to three names that differ in case, extension or a few letters. */
export function nearNames(wanted: string, names: readonly string[]): string[] {
  const stem = (name: string) => basename(name, extname(name)).toLowerCase();
  const scored = names.slice(0, 5000).map((name) => {
    if (name.toLowerCase() === wanted.toLowerCase()) return { name, score: 0 };
    if (stem(name) === stem(wanted)) return { name, score: 1 };
    return { name, score: 1 + editDistance(name.toLowerCase(), wanted.toLowerCase()) };
  });
  const most = 1 + Math.min(3, Math.floor(wanted.length / 3));
  return scored
    .filter(({ score }) => score <= most)
    .sort((left, right) => left.score - right.score)
    .slice(0, 3)
    .map(({ name }) => name);
}

/** What went wrong with a file, in words; the system's own where there are none. */
export function reasonOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return (
    (typeof code === 'string' ? reasons[code] : undefined) ?? (error instanceof Error ? error.message : String(error))
  );
}

const reasons: Readonly<Record<string, string>> = {
  ELOOP: 'its symbolic links lead in a circle',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  ENOTDIR: 'something on the way is a file, not a folder',
  ENAMETOOLONG: 'the name is too long',
  ENOSPC: 'no space left on the disk',
  EROFS: 'the file system is read-only',
  EIO: 'the system cannot read it there (EIO)',
};

export function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}

/** As `realpath`, but a last part that does not exist yet is kept. */
function followLinks(path: string, depth = 0): string {
  try {
    return fs.realpathSync.native(path);
  } catch (error) {
    // The system gives up after 40 links, so do we.
    if (!isMissing(error) || depth === 40) throw error;
  }
  if (dirname(path) === path) return path;
  // A link starts from where its folder really is, and is followed before any `..` in it.
  const folder = followLinks(dirname(path), depth);
  const name = basename(path);
  if (name === '..') return dirname(folder);
  const link = linkTarget(join(folder, name));
  if (link === undefined) return join(folder, name);
  return followLinks(isAbsolute(link) ? link : `${folder}/${link}`, depth + 1);
}

function linkTarget(path: string): string | undefined {
  try {
    return fs.readlinkSync(path);
  } catch {
    return undefined;
  }
}

function realFolder(path: string): string | undefined {
  try {
    return fs.realpathSync.native(path);
  } catch {
    return undefined;
  }
}

/** Undefined where there is no folder. It may hold very many: this is left to the thread pool. */
function namesIn(folder: string): Promise<string[] | undefined> {
  return new Promise((done) => {
    fs.readdir(folder, (error, names) => done(error === null ? names : undefined));
  });
}

function editDistance(left: string, right: string): number {
  if (Math.abs(left.length - right.length) > 3) return 4;
  let previous = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (let row = 1; row <= left.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= right.length; column += 1) {
      const change = (previous[column - 1] ?? 0) + (left[row - 1] === right[column - 1] ? 0 : 1);
      current.push(Math.min(change, (previous[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1));
    }
    previous = current;
  }
  return previous[right.length] ?? 0;
}
