import { SDKMessage } from '@rondo/protocol';
import type { SDKSessionInfo, SessionMessage } from '@rondo/sdk';

/**
 * A session as a page to read, a piece a message: what was said under headings, calls and their results as code.
 * Reasoning is left out.
 */
export async function* sessionMarkdown(
  session: SDKSessionInfo,
  messages: AsyncIterable<SessionMessage> | Iterable<SessionMessage>,
): AsyncGenerator<string, void> {
  const title = session.summary.replace(/\s+/g, ' ').trim();
  let parts: string[] = [];
  let speaker: string | undefined;
  const say = (who: string, text: string): void => {
    if (text.trim() === '') return;
    if (who !== speaker) parts.push(`## ${who}`);
    speaker = who;
    parts.push(text.trim());
  };
  yield `# ${title}\n\n${facts(session)}\n`;
  for await (const stored of messages) {
    const read = SDKMessage.safeParse(stored);
    if (!read.success) say('Rondo', `A message that this version cannot read: ${stored.uuid}`);
    else if (read.data.type === 'user') sayUser(read.data.message.content, say);
    else if (read.data.type === 'assistant') sayAssistant(read.data.message, say);
    for (const part of parts) yield `\n${part}\n`;
    parts = [];
  }
}

type Say = (who: string, text: string) => void;
type UserContent = Extract<SDKMessage, { type: 'user' }>['message']['content'];
type Reply = Extract<SDKMessage, { type: 'assistant' }>['message'];

function facts({ sessionId, cwd, createdAt, tag }: SDKSessionInfo): string {
  const rows = [
    ['Session', sessionId],
    ['Folder', cwd],
    ['Started', createdAt === undefined ? undefined : new Date(createdAt).toISOString()],
    ['Tag', tag],
  ];
  return rows.flatMap(([name, value]) => (value === undefined ? [] : [`- ${name}: ${value}`])).join('\n');
}

function sayUser(content: UserContent, say: Say): void {
  if (typeof content === 'string') return say('User', content);
  for (const block of content) {
    if (block.type === 'text') say('User', block.text);
    else if (block.type === 'tool_result') say('Result', fenced(resultText(block.content)));
    else say('User', `(${block.type})`);
  }
}

function resultText(content: string | readonly { readonly type: string }[]): string {
  if (typeof content === 'string') return content;
  return content
    .map((block) => ('text' in block && typeof block.text === 'string' ? block.text : `(${block.type})`))
    .join('\n');
}

function sayAssistant({ model, content }: Reply, say: Say): void {
  for (const block of content) {
    if (block.type === 'text') say(`Assistant (${model})`, block.text);
    else if (block.type === 'tool_use') {
      say(`Assistant (${model})`, `**${block.name}**\n\n${fenced(JSON.stringify(block.input, null, 2), 'json')}`);
    }
  }
}

/** A fence longer than any in the text, so that nothing in it ends it. */
function fenced(text: string, language = ''): string {
  const longest = Math.max(2, ...Array.from(text.matchAll(/`+/g), ([ticks]) => ticks.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}${language}\n${text.replace(/\n$/, '')}\n${fence}`;
}
