import { constants, createWriteStream, mkdirSync, openSync, type WriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { dirname } from 'node:path';

/** A file that output is written to as fast as the disk takes it. */
export interface OutputFile {
  /** False when the caller should wait for `onDrain` before it writes more. */
  write(chunk: Buffer): boolean;
  /** Resolves to false when the file could not be written whole; what there is of it is then removed. */
  close(): Promise<boolean>;
  remove(): Promise<void>;
}

export interface OutputFileOptions {
  readonly path: string;
  /** Bytes. */
  readonly limit: number;
  readonly onDrain: () => void;
}

const queueBytes = 1024 * 1024;

/** Opens the file, and its folders where they are missing; only this user may read them. A link in its place is not followed. */
export function openOutputFile({ path, limit, onDrain }: OutputFileOptions): OutputFile {
  let failed = false;
  let written = 0;
  let stream: WriteStream | undefined;
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    const { O_WRONLY, O_CREAT, O_TRUNC, O_NOFOLLOW } = constants;
    const fd = openSync(path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, 0o600);
    stream = createWriteStream(path, { fd, highWaterMark: queueBytes });
    stream.on('drain', onDrain);
    stream.on('error', () => {
      // A full disk must not stop the command: what follows is dropped.
      failed = true;
      onDrain();
    });
  } catch {
    failed = true;
  }

  const remove = () => rm(path, { force: true }).catch(() => undefined);
  return {
    write(chunk) {
      if (failed || stream === undefined || written >= limit) return true;
      const kept = chunk.subarray(0, limit - written);
      written += kept.length;
      const room = stream.write(kept);
      if (written >= limit) stream.write(`\n[output after the first ${limit} bytes was not kept]\n`);
      return room;
    },
    async close() {
      const open = stream;
      if (open !== undefined && !failed)
        await new Promise<void>((resolve) => open.on('error', () => resolve()).end(resolve));
      if (failed) await remove();
      return !failed;
    },
    remove,
  };
}
