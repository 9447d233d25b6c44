import type { ServerResponse } from 'node:http';
import type { JsonObject } from '@rondo/protocol';
import { isHold, type ReplyEvent } from './reply-events.ts';
import type { ReplyStep, StreamFault, StreamPoint, WireStyle } from './script.ts';

/**
 * Writes the events of a reply with the step's style and fault. Resolves once nothing more will be sent, also when the
 * client leaves. `onBreak` is called before the connection is broken on purpose.
 */
export async function writeReply(
  response: ServerResponse,
  step: ReplyStep,
  events: readonly ReplyEvent[],
  onBreak: () => void,
): Promise<void> {
  const { fault, wire = {} } = step;
  const end = fault === undefined || fault.type === 'bad_json' ? undefined : eventsBefore(fault.after, events);
  response.writeHead(200, {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-cache',
    ...step.headers,
  });
  response.flushHeaders();
  const stream = { response, wire };
  let batch = '';
  let batched = 0;
  let sent = 0;
  for (const event of events) {
    if (end !== undefined && sent >= end.whole) break;
    if (isHold(event)) {
      await write(stream, batch);
      batch = '';
      batched = 0;
      await Promise.race([event.catch(() => undefined), closed(response)]);
      continue;
    }
    batch += frame(event, wire, fault?.type === 'bad_json' && fault.event === sent);
    batched += 1;
    sent += 1;
    if (batched < (wire.eventsPerWrite ?? 1)) continue;
    await write(stream, batch);
    batch = '';
    batched = 0;
    if (response.destroyed) return;
  }
  if (end?.half !== undefined) batch += half(frame(end.half, wire, false));
  await write(stream, batch);
  await finish(stream, fault, onBreak);
}

interface Stream {
  readonly response: ServerResponse;
  readonly wire: WireStyle;
}

async function finish({ response, wire }: Stream, fault: StreamFault | undefined, onBreak: () => void): Promise<void> {
  switch (fault?.type) {
    case undefined:
    case 'bad_json':
      response.end();
      return;
    case 'error':
      await write({ response, wire }, frame({ type: 'error', error: fault.error }, wire, false));
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

function frame(event: JsonObject, wire: WireStyle, broken: boolean): string {
  const end = wire.lineEnding ?? '\n';
  const json = JSON.stringify(event);
  const data = broken ? json.slice(0, -2) : json;
  const name = typeof event['type'] === 'string' ? event['type'] : 'message';
  const comment = wire.comments ? `: keep alive${end}` : '';
  const ping = wire.pings ? `event: ping${end}data: {"type":"ping"}${end}${end}` : '';
  return `${comment}${ping}event: ${name}${end}data: ${data}${end}${end}`;
}

function half(content: string): string {
  return content.slice(0, Math.floor(content.length / 2));
}

/** How many whole events come before the point, and the event of which half is sent. */
function eventsBefore(
  point: StreamPoint,
  all: readonly ReplyEvent[],
): { readonly whole: number; readonly half?: JsonObject } {
  const events = all.flatMap((event) => (isHold(event) ? [] : [event]));
  if (point === 'headers') return { whole: 0 };
  if (point === 'first-tool-call') return { whole: endOfFirstToolCall(events) };
  if ('events' in point) return { whole: point.events };
  const next = events[point.halfEvent];
  return { whole: point.halfEvent, ...(next && { half: next }) };
}

function endOfFirstToolCall(events: readonly JsonObject[]): number {
  const start = events.findIndex(
    ({ content_block: block }) => block instanceof Object && 'type' in block && block.type === 'tool_use',
  );
  const stop = events.findIndex(({ type }, position) => position > start && type === 'content_block_stop');
  if (start === -1) throw new Error('the fault waits for the first tool call, but the scripted reply has none');
  return stop + 1;
}
