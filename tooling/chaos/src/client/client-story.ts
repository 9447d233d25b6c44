import { type RecordedRequest, type Step, mute, text, toolCall } from '@rondo/providers/testing';
import { wireStep } from '../story/wire-story.ts';

export const prompt = 'go';
/** The turn in which a command runs until it is killed, and the one in which the model says nothing. */
export const endlessPrompt = 'go on and on';
export const silentPrompt = 'go silently';
export const storyEnd = 'All is done.';
export const nextPrompt = 'next';
export const nextEnd = 'Went on.';

/** A command, a call that is asked about, and a tool of the client. */
const replies: readonly Step[] = [
  [text('I look first.', { pieceLength: 4 }), toolCall('Bash', { command: 'echo bash >> ../world' })],
  [toolCall('Write', { file_path: 'w.txt', content: 'w' })],
  [toolCall('mcp__world__charge', { n: 1 })],
  text(storyEnd),
];
const endless = 'echo $$ > ../endless; exec tail -f /dev/null';

/** What the model says follows from the conversation alone, so that a request sent again gets the same. */
export function clientReply({ body }: RecordedRequest): Step | undefined {
  const { messages } = body as { messages: readonly { role: string; content: unknown }[] };
  if (isSaid(messages.at(-1), nextPrompt)) return text(nextEnd);
  const step = wireStep(messages);
  if (isSaid(messages[0], silentPrompt)) return mute();
  if (isSaid(messages[0], endlessPrompt)) return step === 0 ? [toolCall('Bash', { command: endless })] : text(storyEnd);
  return replies[step];
}

function isSaid(message: { readonly content: unknown } | undefined, said: string): boolean {
  return JSON.stringify(message?.content ?? '').includes(`"${said}"`);
}
