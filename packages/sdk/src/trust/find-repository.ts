import { lstatSync, readdirSync, readlinkSync, realpathSync } from 'node:fs';
import { dirname, isAbsolute, join, relative, resolve } from 'node:path';
import { readRegularFile } from '../settings/regular-file.ts';
import { isFolder, isThere } from './named-paths.ts';

/** What git may take for a repository. */
export interface Repository {
  /** The folder that it is of. */
  readonly folder: string;
  readonly git: string;
  /** Of a worktree the folder of the repository that it belongs to. */
  readonly common: string;
  /** It is somebody else's, or may be: nothing there says that it belongs to this folder. */
  readonly foreign?: true;
}

const largest = 16 * 1024 * 1024;

/**
 * The repositories that git may find for a folder, the nearest first: what may be none to git, and all the same the first that
 * certainly is one.
 */
export function repositoriesAround(folder: string): Repository[] {
  const found: Repository[] = [];
  for (let place = resolve(folder); ; place = dirname(place)) {
    const here = repositoriesAt(place);
    found.push(...here);
    if (here.some(isCertain) || dirname(place) === place) return found;
  }
}

/** Its `.git`, and the folder itself where it looks like a repository without files. */
export function repositoriesAt(place: string): Repository[] {
  const dotGit = join(place, '.git');
  const found: Repository[] = [];
  if (isFolder(dotGit)) found.push(repositoryOf(place, dotGit, leadsAway(place, dotGit)));
  else if (isThere(dotGit)) {
    const text = textOf(dotGit) ?? '';
    // As git reads it: all behind the first words is the path.
    const named = text.startsWith('gitdir: ') ? text.slice(8).replace(/[\r\n]+$/, '') : undefined;
    if (named !== undefined && named !== '') {
      const git = isAbsolute(named) ? named : resolve(place, named);
      found.push(repositoryOf(place, git, !belongsTo(git, place)));
    }
  }
  const isBare = isThere(join(place, 'HEAD')) && (isThere(join(place, 'objects')) || isThere(join(place, 'commondir')));
  return isBare ? [...found, repositoryOf(place, place, false)] : found;
}

function repositoryOf(folder: string, git: string, foreign: boolean): Repository {
  const named = textOf(join(git, 'commondir'))?.trim();
  const common = named === undefined ? git : resolve(git, named);
  const isWorktree = common === git || dirname(git) === join(common, 'worktrees');
  return { folder, git, common, ...(foreign || !isWorktree ? { foreign: true as const } : {}) };
}

/** A repository that lies elsewhere names the folder that it is of, as a worktree or a submodule does. */
function belongsTo(git: string, place: string): boolean {
  const back = textOf(join(git, 'gitdir'))?.trim();
  if (back !== undefined && samePlace(resolve(git, back), join(place, '.git'))) return true;
  const worktree = /^\s*worktree\s*=\s*"?([^"\r\n]+?)"?\s*$/m.exec(textOf(join(git, 'config')) ?? '')?.[1];
  return (worktree !== undefined && samePlace(resolve(git, worktree), place)) || isBelow(git, place);
}

function leadsAway(place: string, dotGit: string): boolean {
  return lstatSync(dotGit).isSymbolicLink() && !isBelow(realPathOr(dotGit), realPathOr(place));
}

export function isBelow(path: string, folder: string): boolean {
  const below = relative(folder, path);
  return below !== '..' && !below.startsWith('../') && !isAbsolute(below);
}

function samePlace(one: string, other: string): boolean {
  return realPathOr(one) === realPathOr(other);
}

export function realPathOr(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    return path;
  }
}

/** True where git takes it for one, whatever else it is. */
function isCertain({ git, common }: Repository): boolean {
  const head = join(git, 'HEAD');
  try {
    const says = lstatSync(head).isSymbolicLink() ? `ref: ${readlinkSync(head)}` : (textOf(head) ?? '');
    if (!/^(?:ref:\s*refs\/|[0-9a-f]{40})/.test(says)) return false;
  } catch {
    return false;
  }
  return ['objects', 'refs'].every((name) => isFolder(join(common, name)));
}

/** Whether the index may hold repositories in the repository; where that cannot be told, it may. */
export function mayHoldRepositories({ git }: Repository): boolean {
  try {
    const names = ['index', ...readdirSync(git).filter((name) => name.startsWith('sharedindex.'))];
    // The mode of such an entry, which may stand there by chance.
    return names.some((name) => readRegularFile(join(git, name), 256 * 1024 * 1024)?.includes(gitlink) === true);
  } catch {
    return isThere(git);
  }
}

const gitlink = Buffer.from([0, 0, 0xe0, 0]);

/** A small file's text; undefined where there is none that could be read. */
export function textOf(path: string): string | undefined {
  try {
    return readRegularFile(path, largest)?.toString('utf8');
  } catch {
    return undefined;
  }
}
