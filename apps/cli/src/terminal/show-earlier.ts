import { getSessionMessages } from '@rondo/sdk';
import { showTranscript } from '../sessions/transcript.ts';
import { createConversationView } from './conversation-view.ts';
import type { Paint } from './painter.ts';

/** Enough to remember where one was. */
const shownMessages = 8;

/** The end of the conversation that is gone on with. */
export async function showEarlier(sessionId: string, paint: Paint): Promise<void> {
  const messages = await getSessionMessages(sessionId);
  const write = (text: string): void => void process.stdout.write(text);
  const view = createConversationView({ write, paint, cwd: process.cwd(), width: process.stdout.columns || 80 });
  const hidden = messages.length - shownMessages;
  if (hidden > 0) view.line(paint('dim', `(${hidden} earlier messages: rondo sessions show ${sessionId.slice(0, 8)})`));
  showTranscript(messages.slice(-shownMessages), view, paint);
  view.line('');
}
