import { text, thinking, toolCall, type RecordedRequest, type ScriptBlock } from '@rondo/providers/testing';
import { agentName, nextEnd, nextPrompt, storyEnd, treePrompt } from './story-script.ts';

/** The story as a model server tells it. */
const replies: readonly (readonly ScriptBlock[])[] = [
  [thinking('where to begin'), text('I look first.'), ...[1, 2, 3].map((n) => toolCall('look', { n }))],
  [toolCall('charge', { n: 1 }), toolCall('put', { n: 1 }), toolCall('patch', { n: 1 })],
  [toolCall('look', { n: 4, large: true }), toolCall('charge', { n: 2 })],
  [text(storyEnd)],
];

export const wireReplies = replies.length;

const spawn = (n: number): ScriptBlock => toolCall('agents.spawn', { agent: agentName, task: `help ${n}` });

/** Two agents at once, one of whom has an agent of its own, between calls of the root. */
const treeReplies: readonly (readonly ScriptBlock[])[] = [
  [toolCall('charge', { n: 1 })],
  [text('Together now.'), spawn(1), spawn(2)],
  [toolCall('put', { n: 1 })],
  [text(storyEnd)],
];

const agentReplies = (n: number): readonly (readonly ScriptBlock[])[] => [
  [toolCall('look', { n: n * 10 }), toolCall('charge', { n: n * 10 + 1 }), toolCall('patch', { n: n * 10 + 2 })],
  n === 2 ? [spawn(3)] : [toolCall('put', { n: n * 10 + 3 })],
  [text(`helped ${n}`)],
];

/** What the server answers follows from the conversation alone, so that a request sent again gets the same. */
export function wireReply({ body }: RecordedRequest): readonly ScriptBlock[] {
  const messages = (body as { messages: readonly { role: string; content: unknown }[] }).messages;
  const last = messages.at(-1)?.content;
  if (JSON.stringify(last).includes(`"text":"${nextPrompt}"`)) return [text(nextEnd)];
  const told = firstText(messages[0]);
  const helped = /^help (\d+)$/.exec(told)?.[1];
  const story = helped !== undefined ? agentReplies(Number(helped)) : told === treePrompt ? treeReplies : replies;
  const reply = story[wireStep(messages)];
  if (reply === undefined) throw new Error('the story has no further reply');
  const { tools = [] } = body as { tools?: readonly { readonly name: string }[] };
  return reply.map((block) => offered(block, tools));
}

/** A model calls a tool by the name under which it was told of it, which begins with its own. */
function offered(block: ScriptBlock, tools: readonly { readonly name: string }[]): ScriptBlock {
  if (block.type !== 'tool_call' || !block.name.includes('.')) return block;
  const name = tools.find((tool) => tool.name.startsWith(block.name.replace('.', '_')))?.name;
  return name === undefined ? block : { ...block, name };
}

/** What a conversation begins with says which story it is. */
function firstText(message: { readonly content: unknown } | undefined): string {
  const content = message?.content;
  if (typeof content === 'string') return content;
  const blocks = Array.isArray(content) ? (content as readonly { readonly text?: unknown }[]) : [];
  return blocks.map(({ text: said }) => (typeof said === 'string' ? said : '')).join('');
}

/** Which reply of the story the conversation has come to. */
export function wireStep(messages: readonly { role: string }[]): number {
  return messages.filter(({ role }) => role === 'assistant').length;
}
