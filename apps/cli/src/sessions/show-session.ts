import { getSessionMessages, type SDKSessionInfo } from '@rondo/sdk';
import type { SessionsValues } from '../command/flag-tables.ts';
import { createConversationView } from '../terminal/conversation-view.ts';
import { createPainter, type Paint } from '../terminal/painter.ts';
import { printableText } from '../terminal/printable-text.ts';
import { findSession } from './find-session.ts';
import { showTranscript } from './transcript.ts';

/** One session: what it is, and what was said and done in it; with `--json` both as one object. */
export async function showSessionText(idOrBeginning: string, values: SessionsValues): Promise<string> {
  const session = await findSession(idOrBeginning);
  const messages = await getSessionMessages(session.sessionId);
  if (values.json) return `${JSON.stringify({ ...session, messages }, null, 2)}\n`;
  const paint = createPainter(process.stdout);
  let text = '';
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
  showTranscript(messages, view, paint);
  view.line(`\n${paint('dim', `Go on with: rondo --resume ${session.sessionId}`)}`);
  return text;
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
