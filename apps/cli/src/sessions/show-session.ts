import { readSessionMessages, type SDKSessionInfo } from '@rondo/sdk';
import type { SessionsValues } from '../command/flag-tables.ts';
import { createTextWriter } from '../process/text-writer.ts';
import { createConversationView } from '../terminal/conversation-view.ts';
import { createPainter, type Paint } from '../terminal/painter.ts';
import { printableText } from '../terminal/printable-text.ts';
import { findSession } from './find-session.ts';
import { transcriptInto } from './transcript.ts';

/**
 * Writes one session to standard output: what it is, and what was said and done in it, a message at a time and whole;
 * with `--json` both as one object.
 */
export async function showSession(idOrBeginning: string, values: SessionsValues): Promise<''> {
  const session = await findSession(idOrBeginning);
  const writer = createTextWriter(process.stdout);
  for await (const piece of values.json === true ? jsonPieces(session) : textPieces(session)) {
    if (writer.closed.aborted) return '';
    await writer.write(piece);
  }
  await writer.flush();
  return '';
}

async function* jsonPieces(session: SDKSessionInfo): AsyncGenerator<string, void> {
  yield `${JSON.stringify(session, null, 2).slice(0, -'\n}'.length)},\n  "messages": [`;
  let separator = '\n';
  for await (const message of readSessionMessages(session.sessionId)) {
    yield `${separator}    ${JSON.stringify(message, null, 2).replaceAll('\n', '\n    ')}`;
    separator = ',\n';
  }
  yield separator === '\n' ? ']\n}\n' : '\n  ]\n}\n';
}

async function* textPieces(session: SDKSessionInfo): AsyncGenerator<string, void> {
  const paint = createPainter(process.stdout);
  let text = '';
  const taken = (): string => {
    const piece = text;
    text = '';
    return piece;
  };
  const view = createConversationView({
    write: (piece) => {
      text += piece;
    },
    paint,
    cwd: session.cwd ?? '',
    width: process.stdout.columns ?? 100,
    outputLines: 12,
  });
  for (const line of headLines(session, paint)) view.line(line);
  const show = transcriptInto(view, paint);
  for await (const message of readSessionMessages(session.sessionId)) {
    show(message);
    yield taken();
  }
  view.line(`\n${paint('dim', `Go on with: rondo --resume ${session.sessionId}`)}`);
  yield taken();
}

function headLines(session: SDKSessionInfo, paint: Paint): string[] {
  const rows: readonly (readonly [string, string | undefined])[] = [
    ['Session', session.sessionId],
    ['Title', session.customTitle],
    ['Folder', session.cwd],
    ['Started', session.createdAt === undefined ? undefined : new Date(session.createdAt).toLocaleString()],
    ['Last used', new Date(session.lastModified).toLocaleString()],
  ];
  return rows.flatMap(([name, value]) =>
    value === undefined ? [] : [`${paint('dim', name.padEnd(10))}${printableText(value)}`],
  );
}
