import type { ServerResponse } from 'node:http';
import type { JsonObject } from '@rondo/protocol';
import { waitForFile } from '../scripted/wait-for-file.ts';
import type { ReplyStep, StreamFault, StreamPoint, WireStyle } from './script.ts';
import type { ReplyEvent, ServerDialect } from './server-dialect.ts';

export interface WriteReplyOptions {
  readonly dialect: ServerDialect;
  readonly events: readonly ReplyEvent[];
  /** Called before the connection is broken on purpose. */
  readonly onBreak: () => void;
}

/**
 * Writes the events of a reply with the step's style and fault. Resolves once nothing more will be sent, also when the
 * client leaves.
 */
export async function writeReply(
  response: ServerResponse,
  step: ReplyStep,
  { dialect, events, onBreak }: WriteReplyOptions,
): Promise<void> {
  const { fault, hold, wire = {} } = step;
  const end = fault === undefined || fault.type === 'bad_json' ? undefined : eventsBefore(fault.after, events, dialect);
  const held = hold && Math.min(eventsBefore(hold.after ?? 'headers', events, dialect).whole, lastOf(events));
  response.writeHead(200, {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-cache',
    ...step.headers,
  });
  response.flushHeaders();
  const stream = { response, wire, dialect };
  let batch = '';
  let batched = 0;
  let sent = 0;
  const waitFor = async (release: Promise<unknown>): Promise<void> => {
    await write(stream, batch);
    batch = '';
    batched = 0;
    await Promise.race([release.catch(() => undefined), closed(response)]);
  };
  for (const event of events) {
    if (hold && sent === held && !isHold(event)) await waitFor(fileIsThere(hold.until, response));
    if (end !== undefined && sent >= end.whole) break;
    if (isHold(event)) {
      await waitFor(event);
      continue;
    }
    batch += frame(event, stream, fault?.type === 'bad_json' && fault.event === sent);
    batched += 1;
    sent += 1;
    if (batched < (wire.eventsPerWrite ?? 1)) continue;
    await write(stream, batch);
    batch = '';
    batched = 0;
    if (response.destroyed) return;
  }
  if (end?.half !== undefined) batch += half(frame(end.half, stream, false));
  await write(stream, batch);
  await finish(stream, fault, onBreak);
}

interface Stream {
  readonly dialect: ServerDialect;
  readonly response: ServerResponse;
  readonly wire: WireStyle;
}

async function finish(stream: Stream, fault: StreamFault | undefined, onBreak: () => void): Promise<void> {
  const { response, dialect } = stream;
  switch (fault?.type) {
    case undefined:
    case 'bad_json':
      if (dialect.terminator !== undefined) await write(stream, dataFrame(dialect.terminator, stream.wire));
      response.end();
      return;
    case 'error':
      await write(stream, frame(dialect.errorEvent(fault.error), stream, false));
      response.end();
      return;
    case 'silence':
      await closed(response);
      return;
    case 'cut':
      if (fault.how === 'end') {
        response.end();
        return;
      }
      onBreak();
      if (fault.how === 'reset') response.socket?.resetAndDestroy();
      else response.destroy();
  }
}

/** Nobody waits for the file any more once the connection is gone. */
function fileIsThere(file: string, response: ServerResponse): Promise<void> {
  const left = new AbortController();
  void closed(response).then(() => left.abort());
  return waitForFile(file, left.signal);
}

/** Resolves when the connection is gone. */
function closed(response: ServerResponse): Promise<void> {
  if (response.destroyed) return Promise.resolve();
  return new Promise((resolve) => response.once('close', () => resolve()));
}

async function write({ response, wire }: Stream, content: string): Promise<void> {
  if (content === '' || response.destroyed) return;
  const { bytesPerWrite } = wire;
  if (bytesPerWrite === undefined) return writeOnce(response, content);
  const bytes = Buffer.from(content);
  for (let start = 0; start < bytes.byteLength && !response.destroyed; start += bytesPerWrite) {
    await writeOnce(response, bytes.subarray(start, start + bytesPerWrite));
    // Lets the reader see these bytes before the next ones are on their way.
    await new Promise((resolve) => setImmediate(resolve));
  }
}

function writeOnce(response: ServerResponse, content: string | Buffer): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      response.off('close', done);
      resolve();
    };
    response.once('close', done);
    response.write(content, done);
  });
}

function frame(event: JsonObject, { wire, dialect }: Stream, broken: boolean): string {
  const end = wire.lineEnding ?? '\n';
  const json = JSON.stringify(event);
  const comment = wire.comments ? `: keep alive${end}` : '';
  const ping = wire.pings && dialect.ping !== undefined ? eventFrame(dialect.ping, { wire, dialect }) : '';
  return comment + ping + eventFrame(event, { wire, dialect }, broken ? json.slice(0, -2) : json);
}

function eventFrame(
  event: JsonObject,
  { wire, dialect }: Pick<Stream, 'wire' | 'dialect'>,
  data = JSON.stringify(event),
): string {
  const name = dialect.eventName(event);
  return `${name === undefined ? '' : `event: ${name}${wire.lineEnding ?? '\n'}`}${dataFrame(data, wire)}`;
}

function dataFrame(data: string, { lineEnding: end = '\n' }: WireStyle): string {
  return `data: ${data}${end}${end}`;
}

function half(content: string): string {
  return content.slice(0, Math.floor(content.length / 2));
}

/** How many whole events come before the point, and the event of which half is sent. */
function eventsBefore(
  point: StreamPoint,
  all: readonly ReplyEvent[],
  dialect: ServerDialect,
): { readonly whole: number; readonly half?: JsonObject } {
  const events = all.flatMap((event) => (isHold(event) ? [] : [event]));
  if (point === 'headers') return { whole: 0 };
  if (point === 'first-tool-call') return { whole: endOfFirstToolCall(events, dialect) };
  if ('events' in point) return { whole: point.events };
  const next = events[point.halfEvent];
  return { whole: point.halfEvent, ...(next && { half: next }) };
}

function endOfFirstToolCall(events: readonly JsonObject[], dialect: ServerDialect): number {
  const end = events.findIndex((event) => dialect.endsToolCall(event, events));
  if (end === -1) throw new Error('the fault waits for the first tool call, but the scripted reply has none');
  return end + 1;
}

/** The number of the last event: what waits, waits before something. */
function lastOf(events: readonly ReplyEvent[]): number {
  return events.reduce((count, event) => (isHold(event) ? count : count + 1), -1);
}

function isHold(event: ReplyEvent): event is Promise<unknown> {
  return event instanceof Promise;
}
