import { randomUUID } from 'node:crypto';
import { constants, type Stats } from 'node:fs';
import { mkdir, open, rename, rm, stat, type FileHandle } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { isToolError, ToolError } from '@rondo/runtime';
import { isMissing, type LocatedFile, reasonOf } from './locate-file.ts';
import { holdFolder } from './open-file.ts';

/**
 * Puts bytes where a file was located whole or not at all: written beside it, synced, moved over it. Mode and owner of an
 * existing file are kept, the folders of a new one are made. Only where the folder takes no new file, or the owner cannot
 * be given, the file itself is overwritten. No link that was laid meanwhile is followed.
 * @throws ToolError with the reason.
 */
export async function writeFileWhole({ path, target, stats }: LocatedFile, bytes: Buffer): Promise<void> {
  if (stats !== undefined && (stats.mode & 0o222) === 0) {
    const mode = (stats.mode & 0o777).toString(8);
    throw new ToolError(`${target} is read-only (mode ${mode}). Make it writable first if it is meant to be changed.`);
  }
  try {
    if (stats === undefined) await makeFolders(dirname(target));
    const name = basename(target);
    using folder = holdFolder({ path, target });
    const beside = folder.at(`.${name.slice(0, 100)}.${randomUUID()}.tmp`);
    if (await writeBeside(beside, bytes, stats)) await moveOver(beside, folder.at(name));
    else await overwrite(folder.at(name), bytes);
  } catch (error) {
    if (isToolError(error)) throw error;
    throw new ToolError(`${target} could not be written: ${reasonOf(error)}.`, { cause: error });
  }
}

/** False when the folder does not take the file as it must be. */
async function writeBeside(beside: string, bytes: Buffer, stats: Stats | undefined): Promise<boolean> {
  let file: FileHandle;
  try {
    file = await open(beside, 'wx', stats === undefined ? 0o666 : stats.mode & 0o777);
  } catch (error) {
    if (stats !== undefined && hasCode(error, ['EACCES', 'EPERM'])) return false;
    throw error;
  }
  try {
    const owned = stats === undefined || (await keepOwner(file, stats));
    if (owned) {
      await file.writeFile(bytes);
      // After the owner, because changing that clears set-user-ID bits.
      if (stats !== undefined) await file.chmod(stats.mode & 0o7777);
      await file.sync();
    }
    await file.close();
    if (!owned) await rm(beside, { force: true });
    return owned;
  } catch (error) {
    await file.close().catch(() => undefined);
    await rm(beside, { force: true });
    throw error;
  }
}

async function keepOwner(file: FileHandle, { uid, gid }: Stats): Promise<boolean> {
  const own = await file.stat();
  if (own.uid === uid && own.gid === gid) return true;
  return file.chown(uid, gid).then(
    () => true,
    () => false,
  );
}

async function moveOver(beside: string, target: string): Promise<void> {
  try {
    await rename(beside, target);
  } catch (error) {
    await rm(beside, { force: true });
    throw error;
  }
}

async function overwrite(target: string, bytes: Buffer): Promise<void> {
  const file = await open(target, constants.O_RDWR | constants.O_NOFOLLOW);
  try {
    await file.truncate(0);
    await file.writeFile(bytes);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Not `mkdir` with `recursive`: in /proc, where a folder can neither be made nor be missing, that never returns. */
async function makeFolders(folder: string): Promise<void> {
  const missing: string[] = [];
  for (let each = folder; ; each = dirname(each)) {
    const found = await stat(each).catch((error: unknown) => {
      if (isMissing(error)) return undefined;
      throw error;
    });
    if (found !== undefined || dirname(each) === each) break;
    missing.push(each);
  }
  for (const each of missing.reverse()) {
    await mkdir(each).catch((error: unknown) => {
      if (!hasCode(error, ['EEXIST'])) throw error;
    });
  }
}

function hasCode(error: unknown, codes: readonly string[]): boolean {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' && codes.includes(error.code);
}
