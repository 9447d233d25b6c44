import { SDKMessage } from '@rondo/protocol';
import type { SessionMessage } from '@rondo/sdk';
import type { ConversationView } from '../terminal/conversation-view.ts';
import type { Paint } from '../terminal/painter.ts';
import { printableText } from '../terminal/printable-text.ts';

export type TranscriptMessage = SessionMessage | SDKMessage;

/**
 * Shows what was said and done, and by which model, as it looked while it happened. A message that cannot be read is
 * named, not hidden.
 */
export function showTranscript(messages: readonly TranscriptMessage[], view: ConversationView, paint: Paint): void {
  const show = transcriptInto(view, paint);
  for (const message of messages) show(message);
}

/** The same of messages that come one by one. */
export function transcriptInto(view: ConversationView, paint: Paint): (message: TranscriptMessage) => void {
  let model: string | undefined;
  return (stored) => {
    const read = SDKMessage.safeParse(stored);
    if (!read.success) {
      view.line(paint('dim', `(a message that this version cannot read: ${stored.uuid})`));
      return;
    }
    if (read.data.type === 'assistant' && read.data.message.model !== model) {
      model = read.data.message.model;
      view.line(paint('dim', `Model: ${printableText(model)}`));
    }
    const said = userText(read.data);
    if (said === undefined) view.show(read.data);
    else view.line(`\n${paint('green', '>')} ${paint('bold', printableText(said))}\n`);
  };
}

/** What a person said, when the message is a person's. */
function userText(message: SDKMessage): string | undefined {
  if (message.type !== 'user') return undefined;
  const { content } = message.message;
  if (typeof content === 'string') return content;
  const texts = content.flatMap((block) => (block.type === 'text' ? [block.text] : []));
  return texts.length === 0 ? undefined : texts.join('\n');
}
