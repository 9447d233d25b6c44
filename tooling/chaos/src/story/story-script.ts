import type { ModelMessage } from '@rondo/runtime';
import { call, say, think, type ScriptedStep } from '@rondo/runtime/testing';

export const storyPrompt = 'go';
/** The same with agents, who do some of it. */
export const treePrompt = 'go together';
export const agentName = 'helper';
export const nextPrompt = 'next';
export const storyEnd = 'done';
export const nextEnd = 'went on';

/** Three calls at once, then one of each effect, then an output that is spilled: every batch but the first has several events. */
const replies: readonly ScriptedStep[] = [
  [think('where to begin', 'signed'), say('I look first.'), ...[1, 2, 3].map((n) => call('look', { n }, `look-${n}`))],
  [call('charge', { n: 1 }, 'charge-1'), call('put', { n: 1 }, 'put-1'), call('patch', { n: 1 }, 'patch-1')],
  [call('look', { n: 4, large: true }, 'look-4'), call('charge', { n: 2 }, 'charge-2')],
  say(storyEnd),
];

/** What the model answers: where the story is depends on nothing but the conversation, so that a request sent again gets the same. */
export function storyReply(messages: readonly ModelMessage[]): ScriptedStep {
  const last = messages.at(-1);
  const asked =
    last?.role === 'user' && last.content.some((block) => block.type === 'text' && block.text === nextPrompt);
  if (asked) return say(nextEnd);
  const step = replies[messages.filter((message) => message.role === 'assistant').length];
  if (step === undefined) throw new Error('the story has no further reply');
  return step;
}
