import { rmSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readdir, rm, rmdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isOwnerGone, ownerOfProcess } from '../supervisor/command-marker.ts';

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

const inUse = new Map<string, number>();

/** Counts those who need an empty folder to be mounted over, made where nothing was, and removes it after the last. */
export function holdMadeFolders(folders: readonly string[]): () => Promise<void> {
  for (const folder of folders) inUse.set(folder, (inUse.get(folder) ?? 0) + 1);
  return async () => {
    for (const folder of folders) {
      const left = (inUse.get(folder) ?? 1) - 1;
      if (left > 0) inUse.set(folder, left);
      else {
        inUse.delete(folder);
        await rmdir(folder).catch(() => undefined);
      }
    }
  };
}
