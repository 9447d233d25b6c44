import type { SessionEvent } from '@rondo/protocol';
import { blobReferences } from '../event/blob-references.ts';
import type { EventDraft } from '../event/event-draft.ts';
import type { BlobStore, EventStore } from '../event/event-store.ts';
import { rootIdOf } from '../event/session-tree-id.ts';
import { rejectedReasoningModel } from '../event/rejected-reasoning-notice.ts';

export interface ForkSource {
  readonly store: EventStore;
  readonly sessionId: string;
  /** `seq` of the last event that is copied. */
  readonly until: number;
}

/** What a fork takes along: what was said and done. Not what it cost, which was paid once, nor open questions. */
const copied: ReadonlySet<SessionEvent['type']> = new Set([
  'turn.started',
  'turn.ended',
  'entry.completed',
  'entry.discarded',
  'tool.requested',
  'tool.decided',
  'tool.started',
  'tool.completed',
  'hook.completed',
  'context.compacted',
  'session.branched',
]);

/**
 * The events of a fork, a turn at a time, as drafts for the new log. Blobs they refer to are copied first, so that the
 * fork lives on without its source. A turn that the cut leaves open is left open.
 */
export async function* forkEvents(
  source: ForkSource,
  target: { readonly sessionId: string; readonly blobs: BlobStore },
): AsyncGenerator<EventDraft[], void> {
  const rootId = rootIdOf(source.sessionId);
  const blobs = source.store.blobs(rootId);
  let batch: EventDraft[] = [];
  for await (const event of source.store.read(rootId)) {
    if (event.seq > source.until) break;
    if (event.type === 'unknown' || event.sessionId !== source.sessionId || !isCopied(event)) continue;
    for (const { hash } of blobReferences(event)) await target.blobs.write(await blobs.read(hash));
    batch.push(draftOf(event, target.sessionId));
    if (event.type !== 'turn.ended') continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

/** Of changes, the agent's; of notices, the one that what a model is sent follows from. */
function isCopied(event: SessionEvent): boolean {
  if (event.type === 'session.updated') return event.customization !== undefined;
  return copied.has(event.type) || (event.type === 'notice' && rejectedReasoningModel(event) !== undefined);
}

/** Records name the session they are read from, and keys are a session's own. */
function draftOf(event: SessionEvent, sessionId: string): EventDraft {
  const { seq: _seq, id: _id, at: _at, sessionId: _sessionId, ...draft } = event;
  if (draft.type === 'session.updated' && draft.customization !== undefined)
    return { type: 'session.updated', customization: draft.customization };
  if (draft.type === 'hook.completed') {
    const { model: _model, usage: _usage, costUsd: _cost, ...decided } = draft;
    return decided;
  }
  if (draft.type === 'turn.ended') return { ...draft, record: { ...draft.record, sessionId } };
  if (draft.type !== 'turn.started') return draft;
  const { idempotencyKey: _key, contentHash: _hash, ...started } = draft;
  return started;
}
