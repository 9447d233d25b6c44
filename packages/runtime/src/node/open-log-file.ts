import { dirname, join } from 'node:path';
import type { AnyEvent } from '@rondo/protocol';
import { RondoError } from '@rondo/protocol/values';
import type { ReadBlob } from '../event/hydrate-event.ts';
import { logStart } from './log-decoder.ts';
import { lineEnd, readLogHeader, readLogLine } from './log-line.ts';
import { createFileBlobs } from './file-blobs.ts';
import type { OpenFile } from './file-system.ts';
import { readBatches } from './log-reader.ts';
import { nodeFileSystem } from './node-file-system.ts';

/** A log wherever it lies, such as a copy of a session among a project's tests. */
export interface LogFile {
  readonly sessionId: string;
  /** Its committed events, in order. */
  read(): AsyncGenerator<AnyEvent, void>;
  /** From the folder `blobs` beside it. */
  readonly readBlob: ReadBlob;
}

const longestHeader = 4096;

/** @throws RondoError `session.not_found` where there is no log. */
export async function openLogFile(path: string): Promise<LogFile> {
  const sessionId = await withFile(path, async (file) => {
    const bytes = new Uint8Array(longestHeader);
    const read = bytes.subarray(0, await file.read(bytes, 0));
    const line = readLogLine(read.subarray(0, Math.max(0, lineEnd(read, 0))));
    return line === undefined ? undefined : readLogHeader(line.text)?.sessionId;
  });
  if (sessionId === undefined) throw noLog(path, 'it does not begin as a log does');
  const blobs = createFileBlobs(nodeFileSystem, join(dirname(path), 'blobs'));
  return {
    sessionId,
    readBlob: (hash) => blobs.read(hash),
    async *read() {
      const file = await open(path);
      try {
        const batches = readBatches(file, { sessionId, from: logStart, limit: file.status().size });
        for await (const whole of batches) for (const { events } of whole) yield* events;
      } finally {
        await file.close();
      }
    },
  };
}

async function withFile<Result>(path: string, use: (file: OpenFile) => Promise<Result>): Promise<Result> {
  const file = await open(path);
  try {
    return await use(file);
  } finally {
    await file.close();
  }
}

function open(path: string): Promise<OpenFile> {
  return nodeFileSystem.open(path, 'read').catch((cause: unknown) => {
    const isMissing = ['ENOENT', 'ENOTDIR'].includes((cause as NodeJS.ErrnoException).code ?? '');
    throw noLog(path, isMissing ? 'there is no such file' : (cause as Error).message);
  });
}

function noLog(path: string, reason: string): RondoError {
  return new RondoError('session.not_found', `${path} is no log of a session: ${reason}.`, { details: { path } });
}
