import { lstatSync, statSync } from 'node:fs';
import { basename, dirname, join, sep } from 'node:path';
import { RondoError } from '@rondo/protocol/values';
import { expandPaths, isPattern, realPlace } from '../isolation/expand-paths.ts';
import type { IsolationPolicy } from '../isolation/isolation-policy.ts';
import { findProtectedPlaces } from '../isolation/protected-places.ts';
import { findLinks, type KeptLink } from './kept-links.ts';
import { closePlaces, openPlaces } from './open-places.ts';
import type { MadeFolder } from './private-places.ts';

export interface MountPlanOptions {
  readonly policy: IsolationPolicy;
  /** The session's folders, which are writable. */
  readonly folders: readonly string[];
  /** What commands find as /tmp, unless the policy lets them write to the real one. */
  readonly temporary: string;
  /** A folder and a file that nobody may look into. */
  readonly nothing: { readonly folder: string; readonly file: string };
  readonly empty: string;
  /** The number that the first of the plan's open places has for bubblewrap; undefined where that mounts by paths only. */
  readonly firstDescriptor: number | undefined;
}

export interface MountPlan {
  readonly args: readonly string[];
  /** The open places that the arguments name, in order. */
  readonly descriptors: readonly number[];
  /** For the caller to remove after the command. */
  readonly madeFolders: readonly MadeFolder[];
  /** What is hidden, to tell whether it was in a command's way. */
  readonly hidden: readonly string[];
  /** What may be written. */
  readonly writable: readonly string[];
  /** Protected places that are links, to be put back after the command. */
  readonly links: readonly (KeptLink & { readonly folder: number })[];
  /** Closes what is open for it. */
  close(): void;
}

type Access = 'write' | 'read' | 'hide';

const temporaryPlace = '/tmp';
const strictness: readonly Access[] = ['write', 'read', 'hide'];
/** A running command moves places about as fast as it can, and gets no further than that another does not run. */
const mostPlans = 5;

/**
 * What of the machine's files a command sees and may write, as mounts. All of it is there to read, the writable folders can
 * be written but for what is protected in them, and the hidden places are empty. Of two statements the one about the deeper
 * place counts, about the same place the stricter one, and no writing is allowed below a place where it is denied.
 *
 * Another command may be running in the same folders. Every place is opened once it is known, and what is mounted is what
 * was opened: a link that is put there meanwhile leads nowhere.
 * @throws RondoError `sandbox.unavailable` where its folders do not stay what they are.
 */
export async function planMounts(options: MountPlanOptions): Promise<MountPlan> {
  for (let plans = 0; plans < mostPlans; plans += 1) {
    const layout = await layOut(options);
    const plan = openPlan(layout, options);
    if (plan !== undefined) return plan;
  }
  throw new RondoError(
    'sandbox.unavailable',
    "The command did not run: something moves or replaces the session's folders all the time, perhaps a command that still runs.",
  );
}

/** Places and what is to be done with them. */
interface Layout {
  readonly accesses: ReadonlyMap<string, Access>;
  readonly missing: readonly string[];
  readonly links: readonly KeptLink[];
  readonly hidden: readonly string[];
  readonly writable: readonly string[];
}

async function layOut({ policy, folders }: MountPlanOptions): Promise<Layout> {
  const [allowed, denyWrite, hidden, shown] = await Promise.all([
    expandPaths([...folders, ...policy.write]),
    expandPaths(policy.denyWrite, { closedFolders: true }),
    expandPaths(policy.denyRead, { closedFolders: true }),
    expandPaths(policy.read),
  ]);
  const writable = allowed.filter((path) => !denyWrite.some((denied) => isWithin(path, denied)));
  const places = await findProtectedPlaces(writable, realPlace(policy.home) ?? policy.home);
  const present = await expandPaths([...places.present]);
  const links = findLinks([...places.present, ...policy.denyWrite].map(inRealFolder)).filter(({ path }) =>
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

  const denied = policy.denyWrite.filter((path) => !isPattern(path)).flatMap((path) => firstMissing(path) ?? []);
  const absent = places.missing.map(inRealFolder);
  const missing = [...new Set([...absent, ...denied])].filter((path) => isWritten(path, accesses));
  const kept = [...accesses.keys(), ...missing, ...links.map(({ path }) => path)];
  for (const path of ancestorsToHold(kept, accesses)) accesses.set(path, 'write');
  return { accesses, missing, links, hidden, writable };
}

/** Undefined where something is no longer what it was when it was looked at. */
function openPlan({ accesses, missing, links, ...told }: Layout, options: MountPlanOptions): MountPlan | undefined {
  const { temporary, nothing, empty, firstDescriptor } = options;
  const sorted = [...accesses].sort(([one], [other]) => depth(one) - depth(other));
  const seen = firstDescriptor === undefined ? [] : sorted.filter(([, access]) => access !== 'hide');
  const parents = [...new Set([...missing, ...links.map(({ path }) => path)].map((path) => dirname(path)))];
  const opened = openPlaces([...seen.map(([path]) => path), ...parents]);
  if (opened === undefined) return undefined;
  const folders = new Map(parents.map((path, index) => [path, opened[seen.length + index] ?? -1]));

  const ownTemporary = !told.writable.includes(temporaryPlace) && isFolder(temporaryPlace);
  const args = ownTemporary ? ['--bind', temporary, temporaryPlace] : [];
  const sealed: string[] = [];
  let descriptor = firstDescriptor;
  for (const [path, access] of sorted) {
    if (access === 'hide') {
      if (!isFolder(path)) args.push('--ro-bind', nothing.file, path);
      else if ([...accesses.keys()].some((other) => other !== path && isWithin(other, path))) {
        args.push('--perms', '0755', '--tmpfs', path);
        sealed.push(path);
      } else args.push('--ro-bind', nothing.folder, path);
      continue;
    }
    const option = access === 'write' ? '--bind' : '--ro-bind';
    if (descriptor === undefined) args.push(option, path, path);
    else args.push(`${option}-fd`, String(descriptor++), path);
  }
  for (const path of missing) args.push('--ro-bind', empty, path);
  for (const path of sealed) args.push('--remount-ro', path);
  const inFolder = (path: string) => folders.get(dirname(path)) ?? -1;
  return {
    ...told,
    args,
    descriptors: opened.slice(0, seen.length),
    madeFolders: missing.map((path) => ({ path, folder: inFolder(path) })),
    links: links.map((link) => ({ ...link, folder: inFolder(link.path) })),
    close: () => closePlaces(opened),
  };
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
function firstMissing(path: string): string | undefined {
  if (isThere(path)) return undefined;
  const folder = realPlace(dirname(path));
  return folder === undefined ? firstMissing(dirname(path)) : join(folder, basename(path));
}

/** The path by the real place of its folder, and not through its own last part. */
function inRealFolder(path: string): string {
  const folder = realPlace(dirname(path));
  return folder === undefined ? path : join(folder, basename(path));
}

function isThere(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false;
  }
}

export function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : join(folder, sep));
}

function depth(path: string): number {
  return path === '/' ? 0 : path.split('/').length;
}

function isFolder(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  } catch {
    return false;
  }
}
