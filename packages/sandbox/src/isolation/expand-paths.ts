import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import { RondoError } from '@rondo/protocol/values';
import { listFolder } from './list-folder.ts';

/** Most folders that are looked through for one pattern. */
const mostFolders = 20_000;

export interface ExpandOptions {
  /**
   * A folder that may not be looked into is itself what a pattern finds below it. For what is denied: a command could make
   * the folder readable again.
   */
  readonly closedFolders?: boolean;
}

/**
 * The real places of what exists under these paths and patterns. A path that is reached through links is the place where
 * they lead, and what does not exist is left out.
 * @throws RondoError `sandbox.unavailable` where a pattern would have to be looked for in too many folders.
 */
export async function expandPaths(paths: readonly string[], options: ExpandOptions = {}): Promise<string[]> {
  const found = await Promise.all(
    paths.map(async (path) => {
      if (!isPattern(path)) return [path];
      const folder = path.replace(/\/\*\*(\/\*)?$/, '');
      return isPattern(folder) ? matches(folder, options) : [folder];
    }),
  );
  return [...new Set(found.flat().flatMap((path) => realPlace(path) ?? []))];
}

/** Undefined where there is nothing. It is looked up at once, for which a thread would take longer than the look. */
export function realPlace(path: string): string | undefined {
  try {
    return realpathSync.native(path);
  } catch {
    return undefined;
  }
}

export function isPattern(path: string): boolean {
  return /[*?[]/.test(path);
}

async function matches(pattern: string, { closedFolders = false }: ExpandOptions): Promise<string[]> {
  const segments = pattern.split('/').slice(1);
  const found = new Set<string>();
  let folders = 0;
  const walk = async (folder: string, rest: readonly string[]): Promise<void> => {
    const [segment, ...further] = rest;
    if (segment === undefined) {
      found.add(folder);
      return;
    }
    if (segment !== '**' && !isPattern(segment)) return walk(join(folder, segment), further);
    folders += 1;
    if (folders > mostFolders) throw tooBroad(pattern);
    if (segment === '**') await walk(folder, further);
    const fits = segment === '**' ? undefined : segmentMatcher(segment);
    const entries = await listFolder(folder);
    if (entries === undefined && closedFolders) found.add(folder);
    for (const { name, isFolder } of entries ?? []) {
      // Not through links: where they lead is looked through as itself, if it is in reach at all.
      if (fits === undefined) {
        if (isFolder) await walk(join(folder, name), rest);
      } else if (fits.test(name)) await walk(join(folder, name), further);
    }
  };
  await walk('/', segments);
  return [...found];
}

function segmentMatcher(segment: string): RegExp {
  const source = segment.replace(/\[!?[^\]]*\]|[\\^$.*+?()[\]{}|]/g, (token) => {
    if (token === '*') return '[^/]*';
    if (token === '?') return '[^/]';
    if (token.length > 2) return token.replace(/^\[!/, '[^').replaceAll('\\', '\\\\');
    return `\\${token}`;
  });
  return new RegExp(`^${source}$`, 's');
}

function tooBroad(pattern: string): RondoError {
  return new RondoError(
    'sandbox.unavailable',
    `the sandbox's pattern ${pattern} would have to be looked for in more than ${mostFolders} folders; name a folder closer to what it is to match`,
  );
}
