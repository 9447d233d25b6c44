import { RondoError } from '@rondo/protocol/values';
import type { AnyEvent } from '@rondo/protocol';
import type { LogPosition } from './log-decoder.ts';
import type { OpenFile } from './file-system.ts';
import { findPosition, readBatches } from './log-reader.ts';

export interface LogSource {
  readonly sessionId: string;
  readonly file: OpenFile;
  /** Up to where the file may be read now: what its owner has committed, where the owner is this process. */
  limit(): number;
}

/** Events after `seq`, as far as they are there now. Returns the place behind the last one. */
export async function* readEvents(
  source: LogSource,
  options: { readonly after: number; readonly signal?: AbortSignal | undefined },
): AsyncGenerator<AnyEvent, LogPosition> {
  let position = await findPosition(source.file, options.after, source.limit());
  for await (const batches of readBatches(source.file, {
    sessionId: source.sessionId,
    from: position,
    limit: source.limit(),
  })) {
    for (const batch of batches) {
      for (const event of batch.events) {
        assertNotAborted(source.sessionId, options.signal);
        if (event.seq > options.after) yield event;
      }
      position = batch.position;
    }
  }
  return position;
}

/** Events after `seq`, then what follows, until the signal aborts. `changed` resolves when it is worth another look. */
export async function* followEvents(
  source: LogSource,
  options: { readonly after: number; readonly signal: AbortSignal; readonly changed: () => Promise<void> },
): AsyncGenerator<AnyEvent, void> {
  const { after, signal, changed } = options;
  let position = await findPosition(source.file, after, source.limit());
  while (!signal.aborted) {
    // Taken before the read: what is committed while we read and after we looked still wakes us.
    const next = changed();
    const limit = source.limit();
    if (limit < position.offset) throw cutUnderReader(source.sessionId);
    for await (const batches of readBatches(source.file, { sessionId: source.sessionId, from: position, limit })) {
      for (const batch of batches) {
        for (const event of batch.events) {
          if (signal.aborted) return;
          if (event.seq > after) yield event;
        }
        position = batch.position;
      }
    }
    await next;
  }
}

function assertNotAborted(sessionId: string, signal: AbortSignal | undefined): void {
  if (signal?.aborted !== true) return;
  throw new RondoError('operation.aborted', `Reading session ${sessionId} was aborted.`, { cause: signal.reason });
}

/** The owner's sync failed after we had read the batch: it was never acknowledged, and is gone. */
function cutUnderReader(sessionId: string): RondoError {
  return new RondoError(
    'observation.lost',
    `The disk of session ${sessionId}'s owner failed, and events that were already seen were cut off. Read the session again.`,
    { details: { sessionId } },
  );
}
