import { randomUUID } from 'node:crypto';
import type { AnyEvent, BindingRecord, SessionEvent } from '@rondo/protocol';
import { RondoError } from '@rondo/protocol/values';
import { applyEvent } from '../event/apply-event.ts';
import { blobHash } from '../event/blob-hash.ts';
import { blobReferences } from '../event/blob-references.ts';
import type { EventDraft } from '../event/event-draft.ts';
import type { BlobStore, EncodedEvent, OwnedLog } from '../event/event-store.ts';
import { emptySessionState, type SessionState } from '../event/session-state.ts';
import { settleTurn } from '../turn/settle-turn.ts';
import { createFileStore } from './file-store.ts';
import { nodeFileSystem } from './node-file-system.ts';
import { readLines } from './read-lines.ts';
import { isSessionId, sessionNotFound, sessionPlaces } from './session-place.ts';

export interface Salvage {
  /** The new session. */
  readonly sessionId: string;
  /** How many events of the old one are in it. */
  readonly events: number;
  /** What of the old one is not, each with its place. */
  readonly lost: readonly string[];
}

const BATCH_EVENTS = 256;

/**
 * Makes a new session of everything that can be read of one, line by line, and says what was lost. The old one, its
 * log and its blobs, stay as they are.
 * @throws RondoError `session.not_found`; `log.damaged` where nothing says what the session was started with.
 */
export async function salvageSession(home: string, damagedId: string): Promise<Salvage> {
  const places = sessionPlaces(home);
  const file = isSessionId(damagedId)
    ? await nodeFileSystem.open(places.log(damagedId), 'read').catch(() => undefined)
    : undefined;
  if (file === undefined) throw sessionNotFound(damagedId);
  const store = createFileStore({ home });
  try {
    const binding = await firstBinding(readLines(file));
    if (binding === undefined) throw nothingToSalvage(damagedId);
    const sessionId = randomUUID();
    const log = await store.create(sessionId);
    const copy = createCopy({ log, damagedId, from: store.blobs(damagedId), to: store.blobs(sessionId) });
    let seq = 0;
    for await (const { from, to, event, isHeader } of readLines(file)) {
      if (event === undefined || event.seq <= seq) {
        if (isHeader !== true) copy.lost.push(`log.jsonl, bytes ${from} to ${to}: cannot be read`);
        continue;
      }
      if (event.seq > seq + 1) copy.lost.push(missingEvents(seq + 1, event.seq - 1));
      if (seq === 0 && event.type !== 'session.created') await copy.begin(binding, event.at);
      seq = event.seq;
      await copy.take(event);
    }
    await copy.end();
    await log.release();
    return { sessionId, events: copy.events(), lost: copy.lost };
  } finally {
    await file.close();
    await store.close();
  }
}

/** What the session was started with, or, where that line is lost, a turn of it. */
async function firstBinding(lines: ReturnType<typeof readLines>): Promise<BindingRecord | undefined> {
  for await (const { event } of lines) {
    if (event?.type === 'session.created' || event?.type === 'turn.started') return event.binding;
  }
  return undefined;
}

interface CopyOptions {
  readonly log: OwnedLog;
  readonly damagedId: string;
  readonly from: BlobStore;
  readonly to: BlobStore;
}

function createCopy({ log, damagedId, from, to }: CopyOptions) {
  const lost: string[] = [];
  const states = new Map<string, SessionState>();
  const blobs = new Set<string>();
  let batch: EncodedEvent[] = [];
  let seq = 0;
  let events = 0;

  /** Sessions of the tree are named after its root, and so are cursors. */
  const renamed = (value: unknown): unknown => {
    if (typeof value === 'string') {
      const isName = value.startsWith(damagedId) && /^(\.[0-9a-f]{8})*$/.test(value.slice(damagedId.length));
      return isName ? log.sessionId + value.slice(damagedId.length) : value;
    }
    if (Array.isArray(value)) return value.map(renamed);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, renamed(member)]));
  };

  const put = (facts: object, at: string, sessionId: string, isKnown = true): void => {
    seq += 1;
    const id = `${sessionId}:${seq}`;
    const placed = { seq, id, at, ...facts, sessionId } as SessionEvent;
    const event = placed.type === 'turn.ended' ? { ...placed, record: { ...placed.record, cursor: id } } : placed;
    const state = states.get(sessionId) ?? emptySessionState(sessionId);
    states.set(sessionId, state);
    if (isKnown) applyEvent(state, event);
    batch.push({ event, json: JSON.stringify(event) });
  };

  const flush = async (): Promise<void> => {
    const full = batch;
    batch = [];
    await log.append(full);
  };

  /** The end of a turn may be what was lost: whatever comes next, it is over. */
  const settle = async (state: SessionState, at: string): Promise<void> => {
    const { sessionId, active } = state;
    if (active === undefined) return;
    const emit = (drafts: readonly EventDraft[]) => {
      for (const draft of drafts) put(draft, at, sessionId);
      return { committed: Promise.resolve() };
    };
    const outcome = { type: 'interrupted', cause: 'crashed', terminalReason: 'aborted_tools' } as const;
    await settleTurn({ turnId: active.turnId, state, emit }, outcome);
  };

  const copyBlobs = async (event: AnyEvent): Promise<void> => {
    for (const { hash } of blobReferences(event)) {
      if (blobs.has(hash)) continue;
      blobs.add(hash);
      const bytes = await from.read(hash).catch(() => undefined);
      if (bytes !== undefined && (await blobHash(bytes)) === hash) await to.write(bytes);
      else lost.push(`event ${event.seq}: its content in blobs/${hash} beyond what the log shows of it`);
    }
  };

  return {
    lost,
    events: () => events,
    async begin(binding: BindingRecord, at: string): Promise<void> {
      put({ type: 'session.created', binding }, at, log.sessionId);
    },
    async take(event: AnyEvent): Promise<void> {
      events += 1;
      // Who owned the old log is no owner of this one.
      if (event.type === 'session.acquired') return;
      await copyBlobs(event);
      const sessionId = log.sessionId + event.sessionId.slice(damagedId.length);
      const state = states.get(sessionId);
      if (event.type === 'turn.started' && state !== undefined) await settle(state, event.at);
      const {
        seq: _seq,
        id: _id,
        sessionId: _sessionId,
        at,
        ...facts
      } = event.type === 'unknown' ? rawOf(event) : event;
      put(renamed(facts) as object, at, sessionId, event.type !== 'unknown');
      // Only what is open has to be known here; a long session is not held in memory.
      if (event.type === 'turn.ended') states.get(sessionId)?.conversation.splice(0);
      if (batch.length >= BATCH_EVENTS) await flush();
    },
    async end(): Promise<void> {
      const at = new Date().toISOString();
      const message =
        lost.length === 0
          ? `This session was salvaged from ${damagedId}, whole.`
          : `This session was salvaged from ${damagedId}. Lost: ${lost.join('; ')}.`;
      put({ type: 'session.acquired', epoch: log.epoch, host: { id: 'salvage', pid: process.pid } }, at, log.sessionId);
      const details = { status: 'salvaged', from: damagedId, lost };
      put({ type: 'notice', level: lost.length === 0 ? 'info' : 'warning', message, details }, at, log.sessionId);
      await flush();
    },
  };
}

/** An event of a newer version goes on as it came. */
function rawOf(event: Extract<AnyEvent, { type: 'unknown' }>) {
  const { seq, id, sessionId, at } = event;
  return { ...(event.raw as object), seq, id, sessionId, at };
}

function missingEvents(first: number, last: number): string {
  return first === last ? `event ${first}: its line is gone` : `events ${first} to ${last}: their lines are gone`;
}

function nothingToSalvage(sessionId: string): RondoError {
  return new RondoError(
    'log.damaged',
    `Nothing that can be read of session ${sessionId} says what it was started with, so no session can be made of it. Its readable lines are in its log.jsonl.`,
    { details: { sessionId } },
  );
}
