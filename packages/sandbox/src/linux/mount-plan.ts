import { lstat, realpath, stat } from 'node:fs/promises';
import { basename, dirname, join, sep } from 'node:path';
import { expandPaths, isPattern } from '../isolation/expand-paths.ts';
import type { IsolationPolicy } from '../isolation/isolation-policy.ts';
import { findProtectedPlaces } from '../isolation/protected-places.ts';
import { findLinks, type KeptLink } from './kept-links.ts';

export interface MountPlanOptions {
  readonly policy: IsolationPolicy;
  /** The session's folders, which are writable. */
  readonly folders: readonly string[];
  /** What commands find as /tmp, unless the policy lets them write to the real one. */
  readonly temporary: string;
  /** A folder and a file that nobody may look into. */
  readonly nothing: { readonly folder: string; readonly file: string };
  readonly empty: string;
}

export interface MountPlan {
  readonly args: readonly string[];
  /** Folders that bubblewrap makes to mount over, where nothing was. For the caller to remove after the command. */
  readonly madeFolders: readonly string[];
  /** What is hidden, to tell whether it was in a command's way. */
  readonly hidden: readonly string[];
  /** What may be written. */
  readonly writable: readonly string[];
  /** Protected places that are links, to be put back after the command. */
  readonly links: readonly KeptLink[];
}

type Access = 'write' | 'read' | 'hide';

const temporaryPlace = '/tmp';
const strictness: readonly Access[] = ['write', 'read', 'hide'];

/**
 * What of the machine's files a command sees and may write, as mounts. All of it is there to read, the writable folders can
 * be written but for what is protected in them, and the hidden places are empty. Of two statements the one about the deeper
 * place counts, about the same place the stricter one, and no writing is allowed below a place where it is denied.
 */
export async function planMounts({ policy, folders, temporary, nothing, empty }: MountPlanOptions): Promise<MountPlan> {
  const [allowed, denyWrite, hidden, shown] = await Promise.all([
    expandPaths([...folders, ...policy.write]),
    expandPaths(policy.denyWrite),
    expandPaths(policy.denyRead),
    expandPaths(policy.read),
  ]);
  const writable = allowed.filter((path) => !denyWrite.some((denied) => isWithin(path, denied)));
  const home = await realpath(policy.home).catch(() => policy.home);
  const places = await findProtectedPlaces(writable, home);
  const present = await expandPaths([...places.present]);

  const links = (await findLinks([...places.present, ...policy.denyWrite])).filter(({ path }) =>
    writable.some((folder) => isWithin(path, folder)),
  );

  const accesses = new Map<string, Access>();
  const state = (paths: readonly string[], access: Access) => {
    for (const path of paths) accesses.set(path, stricter(accesses.get(path), access));
  };
  state(writable, 'write');
  state(shown, 'read');
  // What a person lets be read again is meant for the place that is hidden by default, and for no stricter statement.
  state([...denyWrite, ...present], 'read');
  state(hidden, 'hide');

  const ownTemporary = !writable.includes(temporaryPlace) && (await isFolder(temporaryPlace));
  const denied = await Promise.all(policy.denyWrite.filter((path) => !isPattern(path)).map(firstMissing));
  const missing = [...new Set([...places.missing, ...denied.filter((path) => path !== undefined)])].filter((path) =>
    isWritten(path, accesses),
  );
  const held = ancestorsToHold([...accesses.keys(), ...missing], accesses);
  for (const path of held) accesses.set(path, 'write');
  const args = ownTemporary ? ['--bind', temporary, temporaryPlace] : [];
  const sealed: string[] = [];
  for (const [path, access] of [...accesses].sort(([one], [other]) => depth(one) - depth(other))) {
    if (access === 'hide') {
      if (!(await isFolder(path))) args.push('--ro-bind', nothing.file, path);
      else if ([...accesses.keys()].some((other) => other !== path && isWithin(other, path))) {
        args.push('--perms', '0755', '--tmpfs', path);
        sealed.push(path);
      } else args.push('--ro-bind', nothing.folder, path);
    } else args.push(access === 'write' ? '--bind' : '--ro-bind', path, path);
  }
  for (const path of missing) args.push('--ro-bind', empty, path);
  for (const path of sealed) args.push('--remount-ro', path);
  return { args, madeFolders: missing, hidden, writable, links };
}

function stricter(one: Access | undefined, other: Access): Access {
  if (one === undefined) return other;
  return strictness.indexOf(one) > strictness.indexOf(other) ? one : other;
}

/** True where the nearest statement about the path or what is above it lets it be written. */
function isWritten(path: string, accesses: ReadonlyMap<string, Access>): boolean {
  for (let at = path; ; at = dirname(at)) {
    const access = accesses.get(at);
    if (access !== undefined) return access === 'write';
    if (at === dirname(at)) return false;
  }
}

/**
 * Folders between a writable one and what may not be written in it. Were they no mounts themselves, one of them could be
 * renamed, with the protected place in it, and made anew without.
 */
function ancestorsToHold(paths: readonly string[], accesses: ReadonlyMap<string, Access>): Set<string> {
  const held = new Set<string>();
  for (const path of paths) {
    if (accesses.get(path) === 'write') continue;
    for (let at = dirname(path); at !== dirname(at) && !accesses.has(at); at = dirname(at)) {
      if (isWritten(at, accesses)) held.add(at);
    }
  }
  return held;
}

/** Of a path that does not exist, the place nearest to the root that does not, as it really is; undefined where it exists. */
async function firstMissing(path: string): Promise<string | undefined> {
  if ((await lstat(path).catch(() => undefined)) !== undefined) return undefined;
  const folder = await realpath(dirname(path)).catch(() => undefined);
  return folder === undefined ? firstMissing(dirname(path)) : join(folder, basename(path));
}

export function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : join(folder, sep));
}

function depth(path: string): number {
  return path === '/' ? 0 : path.split('/').length;
}

async function isFolder(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined))?.isDirectory() === true;
}
