import { type FileHandle, open } from 'node:fs/promises';
import { basename } from 'node:path';
import { isUuid, RondoError } from '@rondo/protocol/values';
import { isRecord } from '../is-record.ts';
import { outlineOf } from './outline.ts';
import type { TranscriptEntry } from './read-chain.ts';

/** A line with pictures is some tens of megabytes; what is longer is none, and is not kept in memory. */
const LONGEST_LINE = 128 * 1024 * 1024;
const CHUNK_BYTES = 256 * 1024;
/** Bytes of a line that is kept whole: to read it again would cost more. */
const SHORT_LINE = 1024;
/** Characters of a line that an error shows. */
const SHOWN = 60;
/** So many problems of a file are told one by one. */
const MOST_PROBLEMS = 100;

const LF = 0x0a;

/** Lines of a file by their session. Of long ones it has what `outlineOf` gives, and where they stand in the file. */
export interface TranscriptSource {
  readonly bySession: ReadonlyMap<string, readonly TranscriptEntry[]>;
  readonly problems: readonly string[];
  /** The whole line. @throws RondoError `input.invalid` where the file has changed since. */
  whole(entry: TranscriptEntry): Promise<TranscriptEntry>;
}

interface Place {
  readonly offset: number;
  readonly bytes: number;
  readonly number: number;
}

/**
 * Reads through a file. Lines that name no session, such as summaries, are of the session before them. What cannot be read again,
 * as a pipe, is kept whole.
 * @param of the session of lines that name none and have none before them; the one that the file is named by unless given.
 * @throws RondoError `input.invalid` for a file that cannot be read.
 */
export async function readTranscriptFile(path: string, of?: string): Promise<TranscriptSource> {
  const file = await open(path, 'r').catch((error: unknown) => {
    throw unreadable(path, error);
  });
  try {
    const isFile = (await file.stat()).isFile();
    const places = new Map<TranscriptEntry, Place>();
    const named = /^[0-9a-f-]{36}$/i.exec(basename(path).replace(/\.jsonl$/, ''))?.[0].toLowerCase();
    const first = of ?? (isUuid(named) ? named : undefined);
    const found = await readLines({ file, path, first }, (entry, place) => {
      if (!isFile || place.bytes <= SHORT_LINE) return entry;
      const outline = outlineOf(entry);
      places.set(outline, place);
      return outline;
    });
    return {
      ...found,
      async whole(entry) {
        const place = places.get(entry);
        if (place === undefined) return entry;
        const read = entryOf(await bytesAt(path, place));
        if (typeof read === 'object' && read.uuid === entry.uuid) return read;
        throw new RondoError('input.invalid', `${path}:${place.number} has changed while it was read: import it again`);
      },
    };
  } catch (error) {
    throw error instanceof RondoError ? error : unreadable(path, error);
  } finally {
    await file.close();
  }
}

interface OpenFile {
  readonly file: FileHandle;
  readonly path: string;
  /** The session of its first lines. */
  readonly first: string | undefined;
}

async function readLines(
  { file, path, first }: OpenFile,
  keep: (entry: TranscriptEntry, place: Place) => TranscriptEntry,
): Promise<Pick<TranscriptSource, 'bySession' | 'problems'>> {
  const bySession = new Map<string, TranscriptEntry[]>();
  const unnamed: TranscriptEntry[] = [];
  const problems: string[] = [];
  let more = 0;
  const problem = (text: string): void => void (problems.length < MOST_PROBLEMS ? problems.push(text) : (more += 1));
  let last = first;
  for await (const { text, ...place } of linesOf(file)) {
    if (text === undefined) {
      problem(`${path}:${place.number}: is longer than ${LONGEST_LINE} bytes`);
      continue;
    }
    const read = entryOf(text);
    if (read === undefined) continue;
    if (typeof read === 'string') {
      problem(`${path}:${place.number}: ${read}`);
      continue;
    }
    const entry = keep(read, place);
    const id = entry['sessionId'] ?? entry['session_id'];
    const sessionId = isUuid(id) ? id.toLowerCase() : last;
    if (sessionId === undefined) {
      unnamed.push(entry);
      continue;
    }
    last = sessionId;
    const entries = bySession.get(sessionId) ?? [];
    bySession.set(sessionId, entries);
    entries.push(...unnamed.splice(0), entry);
  }
  if (more > 0) problems.push(`${path}: ${more} more lines could not be read`);
  if (unnamed.length > 0) problems.push(`${path}: ${unnamed.length} lines name no session, and were left out`);
  return { bySession, problems };
}

interface Line extends Place {
  /** Absent where it is too long. */
  readonly text?: Buffer;
}

/** Only LF ends a line; what stands behind the last one is one too. */
async function* linesOf(file: FileHandle): AsyncGenerator<Line, void> {
  let parts: Buffer[] = [];
  let bytes = 0;
  let offset = 0;
  let number = 0;

  function keep(part: Buffer): void {
    bytes += part.length;
    if (bytes > LONGEST_LINE) parts = [];
    else if (part.length > 0) parts.push(part);
  }

  function finish(): Line {
    number += 1;
    const [only] = parts;
    const text = parts.length === 1 ? only : Buffer.concat(parts);
    const line = { offset, bytes, number, ...(text === undefined || bytes > LONGEST_LINE ? {} : { text }) };
    offset += bytes + 1;
    parts = [];
    bytes = 0;
    return line;
  }

  for (;;) {
    const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(CHUNK_BYTES), 0, CHUNK_BYTES, null);
    if (bytesRead === 0) break;
    const chunk = buffer.subarray(0, bytesRead);
    let start = 0;
    for (let end = chunk.indexOf(LF); end >= 0; end = chunk.indexOf(LF, start)) {
      keep(chunk.subarray(start, end));
      yield finish();
      start = end + 1;
    }
    keep(chunk.subarray(start));
  }
  if (bytes > 0) yield finish();
}

/** The file is opened for each: a session may have more subagents, each with a file, than may be open at once. */
async function bytesAt(path: string, { offset, bytes }: Place): Promise<Buffer> {
  const file = await open(path, 'r').catch((error: unknown) => {
    throw unreadable(path, error);
  });
  try {
    const buffer = Buffer.allocUnsafe(bytes);
    let read = 0;
    while (read < bytes) {
      const { bytesRead } = await file.read(buffer, read, bytes - read, offset + read);
      if (bytesRead === 0) break;
      read += bytesRead;
    }
    return buffer.subarray(0, read);
  } finally {
    await file.close();
  }
}

/** The line's value, or what is wrong with it; undefined for an empty line. */
function entryOf(bytes: Buffer): TranscriptEntry | string | undefined {
  const line = bytes.toString('utf8').replace(/^\uFEFF/, '');
  if (line.trim() === '') return undefined;
  // As JSON, so that no character of a foreign file does anything to a terminal.
  const shown = JSON.stringify(line.length > SHOWN ? `${line.slice(0, SHOWN)}…` : line);
  try {
    const value: unknown = JSON.parse(line);
    if (isRecord(value) && typeof value['type'] === 'string') return value as TranscriptEntry;
    return `is no line of a transcript, which is an object with a type: ${shown}`;
  } catch {
    return `is no JSON: ${shown}`;
  }
}

function unreadable(path: string, error: unknown): RondoError {
  const why = error instanceof Error ? error.message : String(error);
  return new RondoError('input.invalid', `${path} cannot be read: ${why}`, { cause: error });
}
