import type { TextWriter } from '../process/text-writer.ts';
import { jsonLine } from './json-line.ts';

/** Frames on their way to the client. */
export interface FrameWriter {
  /** Resolves once the client has room for more. */
  write(frame: object): Promise<void>;
  /** Resolves once the client has read enough of what waits for it; until then nothing that asks for more should be taken. */
  room(): Promise<void>;
  /** Frames so far, those that wait too. */
  readonly written: number;
}

export interface FrameWriterOptions {
  readonly stdout: TextWriter;
  readonly onWrite: (frame: object) => void;
  /** How many frames may wait in memory. */
  readonly most?: number;
}

export function createFrameWriter({ stdout, onWrite, most = 1000 }: FrameWriterOptions): FrameWriter {
  let waiting = 0;
  let written = 0;
  let roomy: PromiseWithResolvers<void> | undefined;
  return {
    async write(frame) {
      onWrite(frame);
      waiting += 1;
      written += 1;
      try {
        await stdout.write(jsonLine(frame));
      } finally {
        waiting -= 1;
        if (waiting < most) roomy?.resolve();
      }
    },
    get written() {
      return written;
    },
    async room() {
      while (waiting >= most) {
        roomy = Promise.withResolvers();
        await roomy.promise;
      }
    },
  };
}
