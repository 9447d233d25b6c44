import type { Readable } from 'node:stream';
import type { Frame } from '@rondo/protocol';
import { createLineReader } from '@rondo/protocol/values';

/** Gives the frames of a stream of lines, one by one, and undefined at its end. `node:readline` also ends lines at U+2028. */
export function frameReader(stream: Readable): () => Promise<Frame | undefined> {
  async function* read(): AsyncGenerator<Frame, undefined> {
    const read = createLineReader(Number.POSITIVE_INFINITY);
    for await (const chunk of stream) {
      for (const line of read(chunk as Buffer)) {
        if (line !== 'too-long') yield JSON.parse(Buffer.from(line).toString()) as Frame;
      }
    }
  }
  const frames = read();
  return async () => (await frames.next()).value;
}
