import fs from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { PathResolver } from '../permission/path-resolver.ts';
import { identityOf, otherNames, sharedFiles } from './other-names.ts';

const MAX_LINKS = 40;

/**
 * Where a path really leads: links followed as the system follows them, before any `..`. Of what does not exist yet the
 * nearest existing folder is resolved, and a dangling link leads to where a write through it would land.
 * @throws when the links have no end.
 */
export const resolvePath: PathResolver = Object.assign(
  (path: string): Promise<string> => {
    try {
      return Promise.resolve(follow(path, MAX_LINKS));
    } catch (error) {
      return Promise.reject(error as Error);
    }
  },
  { identityOf, otherNames, sharedFiles },
);

// At once, since every call of a tool asks: the answers come from the system's memory, and the thread pool would cost
// many times as much.
function follow(path: string, linksLeft: number): string {
  try {
    return fs.realpathSync.native(path);
  } catch (error) {
    if (codeOf(error) === 'ELOOP' || linksLeft === 0) throw error;
  }
  const trimmed = path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path;
  const parent = dirname(trimmed);
  if (parent === trimmed) return trimmed;
  const folder = follow(parent, linksLeft);
  const name = basename(trimmed);
  if (name === '..') return dirname(folder);
  if (name === '.') return folder;
  const target = linkTarget(join(folder, name));
  if (target === undefined) return join(folder, name);
  return follow(target.startsWith('/') ? target : `${folder}/${target}`, linksLeft - 1);
}

function linkTarget(path: string): string | undefined {
  try {
    return fs.readlinkSync(path);
  } catch {
    return undefined;
  }
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}
