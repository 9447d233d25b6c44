import { getSessionMessages, listSessions } from '@rondo/sdk';
import type { ChatRequest } from '../command/chat-request.ts';
import { showTranscript } from '../sessions/transcript.ts';
import { createConversationView } from './conversation-view.ts';
import type { Paint } from './painter.ts';

/** Enough to remember where one was. */
const shownMessages = 8;

/** The end of the conversation that is gone on with. Nothing for a new one. */
export async function showEarlier(request: ChatRequest, paint: Paint): Promise<void> {
  const id = request.resume ?? (request.continue ? await latestSession() : undefined);
  if (id === undefined) return;
  const messages = await getSessionMessages(id);
  const write = (text: string): void => void process.stdout.write(text);
  const view = createConversationView({ write, paint, cwd: process.cwd(), width: process.stdout.columns || 80 });
  const hidden = messages.length - shownMessages;
  if (hidden > 0) view.line(paint('dim', `(${hidden} earlier messages: rondo sessions show ${id.slice(0, 8)})`));
  showTranscript(messages.slice(-shownMessages), view, paint);
  view.line('');
}

async function latestSession(): Promise<string | undefined> {
  const [latest] = await listSessions({ dir: process.cwd(), limit: 1 });
  return latest?.sessionId;
}
