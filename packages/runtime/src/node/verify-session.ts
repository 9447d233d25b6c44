import { RondoError } from '@rondo/protocol/values';
import type { BlobReference } from '@rondo/protocol';
import { blobHash } from '../event/blob-hash.ts';
import { blobReferences } from '../event/blob-references.ts';
import { join } from 'node:path';
import { createFileBlobs } from './file-blobs.ts';
import { readBatches } from './log-reader.ts';
import { nodeFileSystem } from './node-file-system.ts';
import { isSessionId, sessionNotFound, sessionPlaces } from './session-place.ts';

/** Something that is wrong with a session on disk. */
export interface SessionProblem {
  /** A range of bytes of the log, or a blob. */
  readonly where: string;
  readonly what: string;
  /** What opening the session for writing would do about it. */
  readonly opening: string;
}

export interface SessionCheck {
  readonly events: number;
  readonly blobs: number;
  readonly problems: readonly SessionProblem[];
}

/** Every session that the home has a log of, readable or not. */
export async function storedSessionIds(home: string): Promise<string[]> {
  const places = sessionPlaces(home);
  const names = await nodeFileSystem.names(places.sessions);
  return names.filter((name) => isSessionId(name) && nodeFileSystem.status(places.log(name)) !== undefined).sort();
}

/**
 * Reads all of a session's log and blobs, changes nothing, and says what is wrong: checksums, batches that are not
 * whole, missing numbers, blobs that are gone or are not what they were.
 * @throws RondoError `session.not_found`.
 */
export async function verifySession(home: string, sessionId: string): Promise<SessionCheck> {
  const places = sessionPlaces(home);
  const file = isSessionId(sessionId)
    ? await nodeFileSystem.open(places.log(sessionId), 'read').catch(() => undefined)
    : undefined;
  if (file === undefined) throw sessionNotFound(sessionId);
  const problems: SessionProblem[] = [];
  const references = new Map<string, BlobReference>();
  let events = 0;
  let seq = 0;
  let offset = 0;
  try {
    const limit = file.status().size;
    for await (const batches of readBatches(file, { sessionId, from: { offset, seq }, limit })) {
      for (const batch of batches) {
        const where = `log.jsonl, bytes ${offset} to ${batch.position.offset}`;
        if (batch.damagedLines > 0) problems.push(damaged(where, batch.damagedLines));
        for (const event of batch.events) {
          if (event.seq !== seq + 1) problems.push(gap(where, seq, event.seq));
          seq = event.seq;
          for (const reference of blobReferences(event)) references.set(reference.hash, reference);
        }
        events += batch.events.length;
        offset = batch.position.offset;
      }
    }
    if (offset < limit) problems.push(unfinished(offset, limit));
  } catch (error) {
    if (!(error instanceof RondoError)) throw error;
    problems.push({ where: `log.jsonl, from byte ${offset}`, what: error.message, opening: 'is refused' });
  } finally {
    await file.close();
  }
  const blobs = createFileBlobs(nodeFileSystem, join(places.folder(sessionId), 'blobs'));
  for (const { hash } of references.values()) {
    const bytes = await blobs.read(hash).catch(() => undefined);
    if (bytes === undefined || (await blobHash(bytes)) !== hash) {
      const what = bytes === undefined ? 'is missing or cannot be read' : 'is not what was written';
      problems.push({ where: `blobs/${hash}`, what, opening: 'changes nothing; what needs its content fails' });
    }
  }
  return { events, blobs: references.size, problems };
}

function damaged(where: string, lines: number): SessionProblem {
  const what = lines === 1 ? 'a line is damaged or gone' : `${lines} lines are damaged or gone`;
  return { where, what, opening: 'keeps them in the file, leaves them out and says so in the log' };
}

function gap(where: string, last: number, next: number): SessionProblem {
  return { where, what: `event ${next} follows ${last}`, opening: 'goes on without what is between them' };
}

function unfinished(from: number, to: number): SessionProblem {
  return {
    where: `log.jsonl, bytes ${from} to ${to}`,
    what: 'no whole batch: it was cut off, or a process is writing it now',
    opening: from === 0 ? 'is refused: nothing was ever accepted' : 'cuts it off; it was never acknowledged',
  };
}
