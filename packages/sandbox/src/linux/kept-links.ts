import { randomUUID } from 'node:crypto';
import { lstatSync, readlinkSync, renameSync, symlinkSync } from 'node:fs';
import { basename } from 'node:path';
import { inPlace } from './open-places.ts';

/** A link that must lead where it leads. Nothing can be mounted over it, as over a file or folder. */
export interface KeptLink {
  readonly path: string;
  readonly target: string;
}

/** Those of the paths that are links. */
export function findLinks(paths: readonly string[]): KeptLink[] {
  return paths.flatMap((path) => {
    try {
      const isLink = lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;
      return isLink ? [{ path, target: readlinkSync(path) }] : [];
    } catch {
      return [];
    }
  });
}

/**
 * Puts back those that a command replaced and says which, each by its open folder, so that nothing is touched elsewhere.
 * What stands in their places is moved aside and not removed: it may be somebody's.
 */
export function restoreLinks(links: readonly (KeptLink & { readonly folder: number })[]): string[] {
  const restored: string[] = [];
  for (const { path, target, folder } of links) {
    const link = inPlace(folder, basename(path));
    try {
      if (readLink(link) === target) continue;
      if (lstatSync(link, { throwIfNoEntry: false }) !== undefined) renameSync(link, `${link}.${randomUUID()}`);
      symlinkSync(target, link);
      restored.push(path);
    } catch {
      // Its folder is gone, and with it what the link was to protect.
    }
  }
  return restored;
}

function readLink(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined;
  }
}
