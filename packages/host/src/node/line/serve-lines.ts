import type { Readable, Writable } from 'node:stream';
import type { DecodedFrame } from '@rondo/protocol';
import { createLineReader, type Line, RondoError } from '@rondo/protocol/values';
import type { Principal } from '../../access/principal.ts';
import { createConnection } from '../../connection.ts';
import { errorFrame } from '../../error-frame.ts';
import type { Link } from '../../link.ts';
import { decodeUtf8 } from '../decode-utf8.ts';
import { type Edge, FRAME_EVENTS, UNREAD_FACTOR, within } from '../edge.ts';
import { createOutbox } from '../outbox.ts';

export interface ServedLines {
  /** Resolves when the other end has gone, and everything it asked is answered as far as it could be. Never rejects. */
  readonly closed: Promise<void>;
  /** Tells the client, answers what it has asked within the bound, and ends the output. */
  close(): Promise<void>;
}

export interface ServeLinesOptions extends Edge {
  readonly input: Readable;
  readonly output: Writable;
  readonly principal: Principal;
}

/** A connection over two byte streams: one frame a line. */
export function serveLines(options: ServeLinesOptions): ServedLines {
  const { input, output, runtime, decode, limits, clock, principal, name, report } = options;
  const closed = Promise.withResolvers<void>();
  const read = createLineReader(limits.frameBytes);
  let isOver = false;

  const outbox = createOutbox({
    write: (text, done) => output.write(text, () => done()),
    queueBytes: limits.queueBytes,
    mostTexts: limits.requests * UNREAD_FACTOR + FRAME_EVENTS,
    onOverflow: () => leave(),
  });
  const link: Link = {
    send: (frame) => outbox.send(`${JSON.stringify(frame)}\n`),
    room: outbox.room,
    unwritten: outbox.unwritten,
    mostEvents: FRAME_EVENTS,
  };
  const connection = createConnection({
    runtime,
    link,
    decode: decode.params,
    principal,
    name,
    report,
    requests: limits.requests,
    requestBytes: limits.requestBytes,
    subscriptions: limits.subscriptions,
  });

  function take(line: Line): void {
    if (isOver) return;
    if (line === 'too-long') {
      const error = new RondoError('protocol.frame_too_large', `a frame may have ${limits.frameBytes} bytes`, {
        details: { frameBytes: limits.frameBytes },
      });
      link.send(errorFrame(null, error.toJSON()));
      return;
    }
    const text = decodeUtf8(line);
    if (text === undefined) connection.take(notUtf8);
    // An empty line is nothing: some write one to see whether the pipe still holds.
    else if (text.trim() !== '') connection.take(decode.frame(text), line.length);
  }

  /** Nothing more can be written. */
  function leave(): void {
    if (isOver) return;
    isOver = true;
    outbox.end();
    output.destroy();
    void connection.abandon().then(closed.resolve);
  }

  /** The other end says no more, but still reads what it has asked for. */
  async function finish(): Promise<void> {
    if (isOver) return;
    isOver = true;
    await connection.abandon();
    await outbox.flushed();
    outbox.end();
    if (!output.writableEnded) output.end();
    closed.resolve();
  }

  /** Everything is written, and where both ways are one stream, the other end has closed its own: a reset loses data. */
  async function endOutput(): Promise<void> {
    const finished = new Promise((resolve) => output.once('finish', resolve).once('close', resolve));
    output.end();
    await finished;
    if (Object.is(input, output) && !input.readableEnded && !input.destroyed) {
      await new Promise((resolve) => input.once('end', resolve).once('close', resolve));
    }
  }

  input.on('data', (chunk: Buffer | string) => {
    for (const line of read(typeof chunk === 'string' ? Buffer.from(chunk) : chunk)) take(line);
  });
  input.on('end', () => void finish());
  input.on('error', leave);
  input.on('close', () => void finish());
  output.on('error', leave);
  output.on('close', leave);

  async function close(): Promise<void> {
    if (isOver) {
      // The other end has said its last, and may never read what it asked for.
      await within(closed.promise, limits.closeMs, clock);
    } else {
      await within(connection.close(), limits.closeMs, clock);
      isOver = true;
      await within(endOutput(), limits.closeMs, clock);
    }
    outbox.end();
    input.destroy();
    output.destroy();
    // What is at work has had its time.
    await within(connection.abandon(), limits.closeMs, clock);
    closed.resolve();
  }
  let closing: Promise<void> | undefined;
  return { closed: closed.promise, close: () => (closing ??= close()) };
}

const notUtf8: DecodedFrame = { ok: false, reason: 'invalid', message: 'a line is not UTF-8', id: null };
