import { rmdirSync, rmSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { isOwnerGone, ownerOfProcess } from '../supervisor/command-marker.ts';
import { inPlace } from './open-places.ts';

/** Folders of one sandbox, for as long as its process lives. */
export interface PrivatePlaces {
  /** What its commands find as /tmp, all the same one. */
  readonly temporary: string;
  /** What they find where something is hidden. */
  readonly nothing: { readonly folder: string; readonly file: string };
  /** An empty folder that may be looked into, for where nothing is to come into being. */
  readonly empty: string;
  /** Where the proxy has its sockets. */
  readonly proxy: string;
}

const prefix = 'rondo-sandbox-';

/** Makes them anew, and removes those of processes that died without doing so. */
export async function makePrivatePlaces(): Promise<PrivatePlaces> {
  void removeAbandoned();
  const base = await mkdtemp(join(tmpdir(), `${prefix}${ownerOfProcess().replaceAll(':', '-')}-`));
  const temporary = join(base, 'tmp');
  const nothing = { folder: join(base, 'nothing'), file: join(base, 'nothing-to-read') };
  const [empty, proxy] = [join(base, 'empty'), join(base, 'proxy')];
  await Promise.all([
    mkdir(temporary, { mode: 0o700 }),
    mkdir(empty),
    mkdir(proxy, { mode: 0o700 }),
    mkdir(nothing.folder),
    writeFile(nothing.file, ''),
  ]);
  await Promise.all([chmod(nothing.folder, 0o000), chmod(nothing.file, 0o000)]);
  if (made.length === 0) process.once('exit', removeMade);
  made.push(base);
  return { temporary, nothing, empty, proxy };
}

const made: string[] = [];

function removeMade(): void {
  for (const base of made) {
    try {
      rmSync(base, { recursive: true, force: true });
    } catch {
      // A command may have left what cannot be removed just so; the next start tries again.
    }
  }
}

async function removeAbandoned(): Promise<void> {
  const names = await readdir(tmpdir()).catch(() => []);
  for (const name of names) {
    if (!name.startsWith(prefix)) continue;
    const [namespace = '', pid = '', start = ''] = name.slice(prefix.length).split('-');
    if (isOwnerGone([namespace, pid, start].join(':'))) {
      await rm(join(tmpdir(), name), { recursive: true, force: true }).catch(() => undefined);
    }
  }
}

/** A folder that bubblewrap makes to mount over, where nothing was, in a folder that is open. */
export interface MadeFolder {
  readonly path: string;
  readonly folder: number;
}

const inUse = new Map<string, number>();

/** Counts those who need an empty folder to be mounted over, and removes it after the last. */
export function holdMadeFolders(made: readonly MadeFolder[]): () => void {
  for (const { path } of made) inUse.set(path, (inUse.get(path) ?? 0) + 1);
  return () => {
    for (const { path, folder } of made) {
      const left = (inUse.get(path) ?? 1) - 1;
      if (left > 0) inUse.set(path, left);
      else {
        inUse.delete(path);
        try {
          rmdirSync(inPlace(folder, basename(path)));
        } catch {
          // Something came into it, or it is gone.
        }
      }
    }
  };
}
