import fs from 'node:fs';

/** Bytes that can be read anywhere, of a length that need not be known. */
export interface ByteSource {
  /** At most `length` bytes from a position; fewer only at the end. The buffer is the caller's until the next read. */
  read(position: number, length: number): Promise<Buffer>;
}

export function bufferSource(bytes: Buffer): ByteSource {
  return { read: (position, length) => Promise.resolve(bytes.subarray(position, position + length)) };
}

/** @param atOnce for a file of few bytes, where the thread pool costs more than reading. */
export function fileSource(descriptor: number, atOnce: boolean): ByteSource {
  const readSome = atOnce ? fs.readSync : readInBackground;
  let buffer = Buffer.alloc(0);
  return {
    async read(position, length) {
      if (buffer.length < length) buffer = Buffer.allocUnsafe(length);
      let filled = 0;
      while (filled < length) {
        const bytesRead = await readSome(descriptor, buffer, filled, length - filled, position + filled);
        if (bytesRead === 0) break;
        filled += bytesRead;
      }
      return buffer.subarray(0, filled);
    },
  };
}

function readInBackground(
  descriptor: number,
  into: Buffer,
  offset: number,
  length: number,
  position: number,
): Promise<number> {
  return new Promise((resolve, reject) => {
    fs.read(descriptor, into, offset, length, position, (error, count) => {
      if (error === null) resolve(count);
      else reject(error);
    });
  });
}
