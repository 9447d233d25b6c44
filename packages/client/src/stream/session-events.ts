import type { StreamEvent } from '@rondo/protocol';
import { RondoError } from '@rondo/protocol/values';
import type { Connection } from '../connection/connection.ts';
import { observeEvents } from './observe-events.ts';
import { type OutputType, withOutput } from '../record/turn-state.ts';
import { type After, positionIn } from './position.ts';
import { pushIterable, type PushSink } from './push-iterable.ts';

export interface EventsOptions {
  /** Strictly after this; absent is from the start. */
  readonly after?: After;
  /**
   * Also the pieces of text and progress as they come, or those of these types. They are shown, not stored: a later reader
   * gets whole entries.
   */
  readonly deltas?: boolean | readonly string[];
  /** An abort ends the iteration with `operation.aborted`. */
  readonly signal?: AbortSignal;
}

/** A session's events from a position on, until the session is over. Nothing is sent before the first `next()`. */
export function sessionEvents(
  connection: Connection,
  sessionId: string,
  options: EventsOptions,
  outputType?: OutputType<unknown>,
): AsyncIterable<StreamEvent> {
  const { after, deltas, signal } = options;
  return pushIterable((sink) =>
    untilAborted(sink, signal, `the events of session ${sessionId}`, () =>
      observeEvents(
        connection,
        {
          sessionId,
          ...(after === undefined ? {} : { after: positionIn(sessionId, after).cursor }),
          ...(deltas === undefined ? {} : { deltas: typeof deltas === 'boolean' ? deltas : [...deltas] }),
        },
        {
          events(batch) {
            for (const event of batch) sink.push(withOutput(event, outputType));
          },
          end: (error) => sink.end(error),
          room: sink.room,
        },
      ),
    ),
  );
}

/** Starts a source unless the signal has aborted, and ends it when it does. What `start` throws ends it too. */
export function untilAborted<T>(
  sink: PushSink<T>,
  signal: AbortSignal | undefined,
  what: string,
  start: () => () => void,
): () => void {
  const onAbort = (): void =>
    sink.end(
      new RondoError('operation.aborted', `stopped reading ${what}; nothing else was stopped`, {
        cause: signal?.reason,
      }),
    );
  try {
    if (signal?.aborted) {
      onAbort();
      return () => {};
    }
    signal?.addEventListener('abort', onAbort, { once: true });
    const stop = start();
    return () => {
      signal?.removeEventListener('abort', onAbort);
      stop();
    };
  } catch (error) {
    signal?.removeEventListener('abort', onAbort);
    sink.end(error);
    return () => {};
  }
}
