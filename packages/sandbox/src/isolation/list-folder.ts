import { statSync, type BigIntStats } from 'node:fs';
import { readdir } from 'node:fs/promises';

export interface FolderEntry {
  readonly name: string;
  /** False for a link that leads to one. */
  readonly isFolder: boolean;
}

interface Listing {
  readonly stamp: string;
  readonly entries: readonly FolderEntry[];
}

const listings = new Map<string, Listing>();
/** Names that are kept, of all folders together. */
const mostKept = 200_000;
/** No file system counts times in coarser steps. */
const coarsestMs = 2500;
let kept = 0;

/**
 * What is in a folder; nothing where there is none, undefined where it may not be read. Read once and then only when it
 * changed, since the same folders are looked through for every command. The time of a change tells, which no command can set
 * back, and only when it is so long ago that nothing can have come in the same tick of the clock.
 */
export async function listFolder(path: string): Promise<readonly FolderEntry[] | undefined> {
  const now = Date.now();
  let stats: BigIntStats | undefined;
  try {
    stats = statSync(path, { throwIfNoEntry: false, bigint: true });
  } catch {
    return undefined;
  }
  if (stats?.isDirectory() !== true) return [];
  const stamp = `${stats.dev}:${stats.ino}:${stats.ctimeNs}`;
  const known = listings.get(path);
  if (known?.stamp === stamp) return known.entries;
  const found = await readdir(path, { withFileTypes: true }).catch(() => undefined);
  if (found === undefined) return undefined;
  const entries = found.map((entry) => ({ name: entry.name, isFolder: entry.isDirectory() }));
  if (now - Number(stats.ctimeMs) > coarsestMs) keep(path, { stamp, entries });
  return entries;
}

function keep(path: string, listing: Listing): void {
  kept += listing.entries.length - (listings.get(path)?.entries.length ?? 0);
  if (kept > mostKept) {
    listings.clear();
    kept = listing.entries.length;
  }
  listings.set(path, listing);
}
