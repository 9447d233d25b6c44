import type { FileHandle } from 'node:fs/promises';

/** Bytes that can be read anywhere, of a length that need not be known. */
export interface ByteSource {
  /** At most `length` bytes from a position; fewer only at the end. The buffer is the caller's until the next read. */
  read(position: number, length: number): Promise<Buffer>;
}

export function bufferSource(bytes: Buffer): ByteSource {
  return { read: (position, length) => Promise.resolve(bytes.subarray(position, position + length)) };
}

export function fileSource(file: FileHandle): ByteSource {
  let buffer = Buffer.alloc(0);
  return {
    async read(position, length) {
      if (buffer.length < length) buffer = Buffer.allocUnsafe(length);
      let filled = 0;
      while (filled < length) {
        const { bytesRead } = await file.read(buffer, filled, length - filled, position + filled);
        if (bytesRead === 0) break;
        filled += bytesRead;
      }
      return buffer.subarray(0, filled);
    },
  };
}
