import { mkdir, open, rename, rm, type FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { AnyEvent } from '@rondo/protocol';
import { createTranscriptProjection, type TranscriptProjection } from './project-transcript.ts';

const CHUNK_CHARACTERS = 256 * 1024;
/** So many events wait in memory to be written. Where there are more, they are read from the log. */
const MOST_WAITING = 4096;

export interface TranscriptFileOptions {
  readonly path: string;
  readonly sessionId: string;
  readonly read: (after: number) => AsyncIterable<AnyEvent>;
}

/** A transcript that is kept up to date with a log, of which it is a cache. */
export interface TranscriptFile {
  see(events: readonly AnyEvent[]): void;
  /** Resolves when the file says all that was seen, or all that the log says. @throws what the file system says. */
  update(): Promise<void>;
}

/** What is in the file, as far as this process has written it. */
interface Written {
  readonly projection: TranscriptProjection;
  seq: number;
  bytes: number;
  readonly inode: bigint;
}

/**
 * What an earlier process left there is not trusted: the first update writes the file anew, under another name that then
 * takes its place. After that, whole lines are appended in one write each time; a file that has become another one meanwhile,
 * or has another length, is written anew.
 */
export function createTranscriptFile({ path, sessionId, read }: TranscriptFileOptions): TranscriptFile {
  let written: Written | undefined;
  let waiting: AnyEvent[] | undefined = [];
  let last: Promise<void> = Promise.resolve();

  async function write(): Promise<void> {
    if (written === undefined || !(await append(written))) await writeAnew();
  }

  /** False where the file is not what was written. */
  async function append(known: Written): Promise<boolean> {
    const events = waiting;
    waiting = [];
    let text = '';
    const take = (event: AnyEvent): void => {
      if (event.seq <= known.seq) return;
      known.seq = event.seq;
      text += textOf(known.projection, event);
    };
    if (events === undefined || (events[0] !== undefined && events[0].seq > known.seq + 1)) {
      for await (const event of read(known.seq)) take(event);
    } else events.forEach(take);
    let file: FileHandle | undefined;
    try {
      // Not by the flag that would make a new file.
      file = await open(path, 'r+');
      const { size, ino } = await file.stat({ bigint: true });
      if (ino !== known.inode || size !== BigInt(known.bytes)) return false;
      const bytes = Buffer.from(text);
      if (bytes.length > 0) await file.write(bytes, 0, bytes.length, known.bytes);
      known.bytes += bytes.length;
      return true;
    } catch (error) {
      written = undefined;
      if (isMissing(error)) return false;
      throw error;
    } finally {
      await file?.close();
    }
  }

  async function writeAnew(): Promise<void> {
    written = undefined;
    const projection = createTranscriptProjection(sessionId);
    const begun = waiting;
    waiting = [];
    let seq = 0;
    let bytes = 0;
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    const temporary = `${path}.part`;
    // A new one, whatever stands there: a link would be followed.
    await rm(temporary, { force: true });
    const file = await open(temporary, 'wx', 0o600);
    try {
      let text = '';
      const flush = async (): Promise<void> => {
        const chunk = Buffer.from(text);
        text = '';
        await file.write(chunk, 0, chunk.length, bytes);
        bytes += chunk.length;
      };
      const isWhole = begun !== undefined && begun[0]?.seq === 1;
      for await (const event of isWhole ? begun : read(0)) {
        if (event.seq <= seq) continue;
        seq = event.seq;
        text += textOf(projection, event);
        if (text.length > CHUNK_CHARACTERS) await flush();
      }
      await flush();
      const { ino } = await file.stat({ bigint: true });
      await rename(temporary, path);
      written = { projection, seq, bytes, inode: ino };
    } catch (error) {
      await rm(temporary, { force: true }).catch(() => {});
      throw error;
    } finally {
      await file.close();
    }
  }

  return {
    see(events) {
      waiting?.push(...events);
      if (waiting !== undefined && waiting.length > MOST_WAITING) waiting = undefined;
    },
    update() {
      const done = last.then(write);
      last = done.catch(() => {});
      return done;
    },
  };
}

function textOf(projection: TranscriptProjection, event: AnyEvent): string {
  return projection
    .push(event)
    .map((line) => `${JSON.stringify(line)}\n`)
    .join('');
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}
