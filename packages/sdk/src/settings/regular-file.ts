import { closeSync, constants, fstatSync, openSync, readSync, statSync } from 'node:fs';

/**
 * An ordinary file's bytes; undefined where there is none. What is opened is what is looked at, whatever stands under the name
 * a moment later, and a pipe or a device is never waited for.
 * @throws Error for a folder, a pipe, a device, and what is larger than `most` bytes.
 */
export function readRegularFile(path: string, most: number): Buffer | undefined {
  // Nearly everywhere there is none, and an error costs more than a look.
  if (statSync(path, { throwIfNoEntry: false }) === undefined) return undefined;
  const chunks: Buffer[] = [];
  eachChunk(path, most, (chunk) => void chunks.push(Buffer.from(chunk)));
  return Buffer.concat(chunks);
}

/** What cannot be looked at is taken to be there. */
export function mayBeThere(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return true;
  }
}

/** The same in pieces, for files of any size. A piece is good until the next one. */
export function eachChunk(path: string, most: number, take: (chunk: Buffer) => void): void {
  const descriptor = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const stats = fstatSync(descriptor);
    if (!stats.isFile()) throw new Error(stats.isDirectory() ? 'it is a folder' : 'it is no ordinary file');
    const buffer = Buffer.allocUnsafe(Math.min(Math.max(stats.size + 1, 4096), 1024 * 1024));
    for (let total = 0; ; ) {
      const length = readSync(descriptor, buffer);
      if (length === 0) return;
      total += length;
      if (total > most) throw new Error(`it is larger than ${most / 1024 / 1024} MB`);
      take(buffer.subarray(0, length));
    }
  } finally {
    closeSync(descriptor);
  }
}
