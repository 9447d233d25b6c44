import { randomUUID } from 'node:crypto';
import { dirname, join } from 'node:path';
import { RondoError } from '@rondo/protocol/values';
import type { BlobReference } from '@rondo/protocol';
import { blobHash, isBlobHash } from '../event/blob-hash.ts';
import type { BlobStore } from '../event/event-store.ts';
import type { FileSystem } from './file-system.ts';
import { makeDirectories } from './make-directories.ts';

/** Blobs as files that are named after their content, in a folder beside the log. */
export function createFileBlobs(fileSystem: FileSystem, folder: string): BlobStore {
  /** Durable, or on their way there, since this store was opened. */
  const written = new Map<string, Promise<void>>();

  const store = async (hash: string, bytes: Uint8Array): Promise<void> => {
    const above = await makeDirectories(fileSystem, folder);
    const path = join(folder, hash);
    if (fileSystem.status(path)?.size === bytes.length) await syncFile(fileSystem, path);
    else await writeWhole(fileSystem, path, bytes);
    // The folders further up are the log's: it makes them durable before any event can refer to a blob.
    for (const directory of new Set([folder, dirname(folder), ...above])) await fileSystem.syncDirectory(directory);
  };

  return {
    async write(bytes): Promise<BlobReference> {
      const hash = await blobHash(bytes);
      const storing = written.get(hash) ?? store(hash, bytes);
      written.set(hash, storing);
      try {
        await storing;
      } catch (cause) {
        written.delete(hash);
        const reason = cause instanceof Error ? cause.message : String(cause);
        throw new RondoError(
          'session.write_failed',
          `A blob of ${bytes.length} bytes could not be written: ${reason}.`,
          { details: { hash, reason }, cause },
        );
      }
      return { hash, bytes: bytes.length };
    },
    async read(hash, range) {
      if (!isBlobHash(hash)) throw blobNotFound(hash);
      const file = await fileSystem.open(join(folder, hash), 'read').catch((cause: unknown) => {
        throw blobNotFound(hash, cause);
      });
      try {
        const { size } = file.status();
        const offset = Math.min(range?.offset ?? 0, size);
        const bytes = new Uint8Array(Math.min(range?.length ?? size, size - offset));
        return bytes.subarray(0, await file.read(bytes, offset));
      } finally {
        await file.close();
      }
    },
  };
}

/** The whole content appears under its name, or nothing does. */
async function writeWhole(fileSystem: FileSystem, path: string, bytes: Uint8Array): Promise<void> {
  const temporary = `${path}.${randomUUID()}.part`;
  const file = await fileSystem.open(temporary, 'update');
  try {
    await file.write(bytes, 0);
    await file.sync();
  } catch (error) {
    await file.close();
    // The disk may refuse this too; what is left is a file that nobody reads.
    await fileSystem.remove(temporary).catch(() => undefined);
    throw error;
  }
  await file.close();
  await fileSystem.rename(temporary, path);
}

/** A blob that an earlier process wrote may not have reached the disk. */
async function syncFile(fileSystem: FileSystem, path: string): Promise<void> {
  const file = await fileSystem.open(path, 'read');
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}

function blobNotFound(hash: string, cause?: unknown): RondoError {
  return new RondoError('blob.not_found', `There is no blob ${hash} beside this session's log.`, {
    details: { hash },
    cause,
  });
}
