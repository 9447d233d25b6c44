import { once } from 'node:events';
import { open, rm } from 'node:fs/promises';
import { resolve } from 'node:path';
import { RondoError } from '@rondo/protocol/values';
import { getSessionEvents, readSessionMessages, type SDKSessionInfo } from '@rondo/sdk';
import type { SessionsValues } from '../command/flag-tables.ts';
import { createTextWriter, type TextWriter } from '../process/text-writer.ts';
import { findSession } from './find-session.ts';
import { sessionMarkdown } from './session-markdown.ts';

type Format = NonNullable<SessionsValues['format']>;

/**
 * Writes a session as events a line, as one JSON object, or as a page to read, to standard output or to a new file, a
 * piece at a time. Gives what there is to say about it: nothing where the session itself is on standard output.
 */
export async function exportSession(idOrBeginning: string, values: SessionsValues): Promise<string> {
  const session = await findSession(idOrBeginning);
  const pieces = piecesOf(session, values.format ?? 'jsonl');
  if (values.output === undefined) {
    await writePieces(pieces, createTextWriter(process.stdout));
    return '';
  }
  const path = resolve(values.output);
  const stream = (await openNew(path, values.output)).createWriteStream();
  try {
    const writer = createTextWriter(stream);
    await writePieces(pieces, writer);
    writer.closed.throwIfAborted();
    const closed = once(stream, 'close');
    stream.end();
    await closed;
  } catch (error) {
    // Half a session is worth nothing, and would stand in the way of the next try.
    stream.destroy();
    await rm(path, { force: true });
    throw error;
  }
  return `Wrote ${session.sessionId} to ${values.output}.\n`;
}

async function writePieces(pieces: AsyncIterable<string>, writer: TextWriter): Promise<void> {
  for await (const piece of pieces) {
    if (writer.closed.aborted) return;
    await writer.write(piece);
  }
  await writer.flush();
}

async function* piecesOf(session: SDKSessionInfo, format: Format): AsyncGenerator<string, void> {
  if (format === 'markdown') {
    yield* sessionMarkdown(session, readSessionMessages(session.sessionId));
    return;
  }
  const whole = format === 'json';
  if (whole) yield `{"session":${JSON.stringify(session)},"events":[`;
  let separator = whole ? '\n' : '';
  for await (const event of getSessionEvents(session.sessionId)) {
    // An event of a newer version goes out as it came in.
    const text = JSON.stringify(event.type === 'unknown' ? event.raw : event);
    yield whole ? `${separator}${text}` : `${text}\n`;
    if (whole) separator = ',\n';
  }
  if (whole) yield '\n]}\n';
}

/** What was said is for its owner's eyes, as the log is. A file that is there is never written over. */
async function openNew(path: string, named: string) {
  try {
    return await open(path, 'wx', 0o600);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    const why =
      code === 'EEXIST'
        ? 'is there already. Name another file, or remove it first'
        : `cannot be written: ${error instanceof Error ? error.message : String(error)}`;
    throw new RondoError('input.invalid', `${named} ${why}.`);
  }
}
