import { text, thinking, toolCall, type RecordedRequest, type ScriptBlock } from '@rondo/providers/testing';
import { nextEnd, nextPrompt, storyEnd } from './story-script.ts';

/** The story as a model server tells it. */
const replies: readonly (readonly ScriptBlock[])[] = [
  [thinking('where to begin'), text('I look first.'), ...[1, 2, 3].map((n) => toolCall('look', { n }))],
  [toolCall('charge', { n: 1 }), toolCall('put', { n: 1 }), toolCall('patch', { n: 1 })],
  [toolCall('look', { n: 4, large: true }), toolCall('charge', { n: 2 })],
  [text(storyEnd)],
];

export const wireReplies = replies.length;

/** What the server answers follows from the conversation alone, so that a request sent again gets the same. */
export function wireReply({ body }: RecordedRequest): readonly ScriptBlock[] {
  const messages = (body as { messages: readonly { role: string; content: unknown }[] }).messages;
  const last = messages.at(-1)?.content;
  if (JSON.stringify(last).includes(`"text":"${nextPrompt}"`)) return [text(nextEnd)];
  const reply = replies[wireStep(messages)];
  if (reply === undefined) throw new Error('the story has no further reply');
  return reply;
}

/** Which reply of the story the conversation has come to. */
export function wireStep(messages: readonly { role: string }[]): number {
  return messages.filter(({ role }) => role === 'assistant').length;
}
