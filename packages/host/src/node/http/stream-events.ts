import type { ServerResponse } from 'node:http';
import { RondoError, type RondoErrorJson } from '@rondo/protocol/values';
import type { EventBatch } from '@rondo/runtime';
import { guardRuntime } from '../../access/guard-runtime.ts';
import type { Principal } from '../../access/principal.ts';
import { describeError } from '../../error-frame.ts';
import { followEvents } from '../../follow-events.ts';
import { type Edge, FRAME_EVENTS } from '../edge.ts';
import { createOutbox } from '../outbox.ts';

export interface StreamEventsOptions extends Edge {
  readonly principal: Principal;
  readonly sessionId: string;
  readonly after: string | undefined;
  /** Where there is no `after`: a turn that the reader is interested in; what stands before it may be left out. */
  readonly fromTurn: string | undefined;
  readonly deltas: boolean | readonly string[];
  readonly heartbeatMs: number;
  /** Aborts when the host closes. */
  readonly closing: AbortSignal;
}

/**
 * Events of a session as server-sent events: a durable one under its cursor as `id`, so that `Last-Event-ID` continues
 * behind it, a transient without. The last is `end`, with the error if there is one.
 */
export async function streamEvents(response: ServerResponse, options: StreamEventsOptions): Promise<void> {
  const { runtime, principal, sessionId, after, fromTurn, deltas, limits, report, closing } = options;
  const left = new AbortController();
  const signal = AbortSignal.any([left.signal, closing]);
  const outbox = createOutbox({
    write: (text, done) => response.write(text, done),
    queueBytes: limits.queueBytes,
    mostTexts: Number.POSITIVE_INFINITY,
    onOverflow: () => {},
  });
  response.on('close', () => {
    outbox.end();
    left.abort();
  });
  response.writeHead(200, {
    'content-type': 'text/event-stream',
    'cache-control': 'no-store',
    'x-accel-buffering': 'no',
    'x-content-type-options': 'nosniff',
  });
  response.flushHeaders();
  void keepAlive(outbox.send, outbox.room, signal, options);

  let error: RondoErrorJson | undefined;
  try {
    const batches = guardRuntime(runtime, principal).subscribe(sessionId, {
      signal,
      deltas,
      ...(after === undefined ? {} : { after }),
      ...(fromTurn === undefined ? {} : { fromTurn }),
    });
    const write = (events: EventBatch): void => outbox.send(events.map(eventText).join(''));
    await followEvents(batches, { write, room: outbox.room, mostEvents: FRAME_EVENTS, signal });
  } catch (thrown) {
    if (!signal.aborted) error = describeError(thrown, (bug) => report(bug, 'events/subscribe'));
  }
  if (closing.aborted) error = new RondoError('host.closing', 'this host is closing; continue at your cursor').toJSON();
  left.abort();
  if (!response.destroyed)
    response.end(`event: end\ndata: ${JSON.stringify(error === undefined ? {} : { error })}\n\n`);
}

async function keepAlive(
  send: (text: string) => void,
  room: () => Promise<void> | undefined,
  signal: AbortSignal,
  { clock, heartbeatMs }: StreamEventsOptions,
): Promise<void> {
  try {
    for (;;) {
      await clock.sleep(heartbeatMs, { signal });
      // What waits to be read keeps the connection open as well.
      if (room() === undefined) send(': still here\n\n');
    }
  } catch {
    // The stream is over.
  }
}

function eventText(event: EventBatch[number]): string {
  const id = 'seq' in event ? `id: ${event.id}\n` : '';
  return `${id}event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
}
