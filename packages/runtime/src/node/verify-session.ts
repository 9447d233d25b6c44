import { isDeepStrictEqual } from 'node:util';
import { RondoError } from '@rondo/protocol/values';
import type { BlobReference } from '@rondo/protocol';
import { blobHash } from '../event/blob-hash.ts';
import { blobReferences } from '../event/blob-references.ts';
import { lightened } from '../event/light-conversation.ts';
import { emptyLogState, foldBatch, type LogState } from '../event/log-state.ts';
import { createTreeReplay, type KeptTree, snapshotOf } from '../session/tree-replay.ts';
import { join } from 'node:path';
import { createFileBlobs } from './file-blobs.ts';
import type { OpenFile } from './file-system.ts';
import { stampOf } from './home-survey.ts';
import { readBatches } from './log-reader.ts';
import { type LogSnapshot, readSnapshot } from './log-snapshot.ts';
import { nodeFileSystem } from './node-file-system.ts';
import { createSessionIndex } from './session-index.ts';
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
 * whole, missing numbers, blobs that are gone, are not what they were or belong to no event, and caches that say
 * something else than the log.
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
  let state = emptyLogState;
  try {
    const limit = file.status().size;
    const snapshot = await snapshotBeside(home, sessionId, file);
    if (snapshot === 'unusable') problems.push(unusableSnapshot());
    const replay = createTreeReplay(sessionId);
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
        state = foldBatch(sessionId, state, { ...batch, offset });
        for (const event of batch.events) replay.apply(event);
        if (snapshot !== undefined && snapshot !== 'unusable' && snapshot.state.offset === offset) {
          const kept = snapshotOf(replay.state()).value() as KeptTree;
          if (!isOf(snapshot, state, kept)) problems.push(wrongSnapshot());
        }
      }
    }
    if (offset < limit) problems.push(unfinished(offset, limit));
    else if (!(await isIndexRight(home, sessionId, file, state))) problems.push(wrongIndex());
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
  for (const name of await nodeFileSystem.names(join(places.folder(sessionId), 'blobs'))) {
    if (!references.has(name)) problems.push(orphan(name));
  }
  return { events, blobs: references.size, problems };
}

/** A snapshot that its log can be opened from, which another one cannot. */
async function snapshotBeside(
  home: string,
  sessionId: string,
  log: OpenFile,
): Promise<LogSnapshot | 'unusable' | undefined> {
  const path = sessionPlaces(home).snapshot(sessionId);
  if (nodeFileSystem.status(path) === undefined) return undefined;
  const place = { fileSystem: nodeFileSystem, path, sessionId, log, limit: log.status().size };
  return (await readSnapshot(place, createTreeReplay(sessionId).version)) ?? 'unusable';
}

/** However much of the conversation either of them left in the log. */
function isOf(snapshot: LogSnapshot, state: LogState, kept: KeptTree): boolean {
  const bare = ({ seq, sessions }: KeptTree) => ({
    seq,
    sessions: sessions.map((session) => ({
      ...session,
      conversation: session.conversation.map(lightened),
      leftBehind: session.leftBehind.map(({ kept, items }) => ({ kept, items: items.map(lightened) })),
    })),
  });
  return isDeepStrictEqual(snapshot.state, state) && isDeepStrictEqual(bare(snapshot.value as KeptTree), bare(kept));
}

/** A row that is older than the log says nothing wrong: it is not looked at. */
async function isIndexRight(home: string, sessionId: string, log: OpenFile, state: LogState): Promise<boolean> {
  if (nodeFileSystem.status(join(home, 'index.db')) === undefined) return true;
  const index = createSessionIndex(home);
  try {
    const entry = await index.entry(sessionId);
    return (
      entry === undefined || entry.stamp !== stampOf(log.status()) || isDeepStrictEqual(entry.state, jsonOf(state))
    );
  } finally {
    index.close();
  }
}

function jsonOf(state: LogState): unknown {
  return JSON.parse(JSON.stringify(state));
}

function unusableSnapshot(): SessionProblem {
  return {
    where: 'snapshot',
    what: 'is damaged, or of another log, another time or another version',
    opening: 'reads the log instead, and writes it anew when there is enough new',
  };
}

function wrongSnapshot(): SessionProblem {
  return {
    where: 'snapshot',
    what: 'says something else than the log',
    opening: 'would believe it: delete the file, the log has all of it',
  };
}

function wrongIndex(): SessionProblem {
  return {
    where: "index.db, this session's row",
    what: 'says something else than the log',
    opening: 'changes nothing; lists would believe it: delete the file, it is made anew',
  };
}

function orphan(name: string): SessionProblem {
  return {
    where: `blobs/${name}`,
    what: 'belongs to no event that can be read',
    opening: 'changes nothing; it only takes space',
  };
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
