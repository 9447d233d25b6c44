// A program on query() that decides on calls: lets the question stand open, or answers it when it is asked again.
import { setTimeout } from 'node:timers/promises';
import { query, type SDKUserMessage } from '@rondo/sdk';

const [, , model = '', how = '', sessionId = ''] = process.argv;

function say(line: unknown): void {
  process.stdout.write(`${JSON.stringify(line)}\n`);
}

async function* spoken(): AsyncGenerator<SDKUserMessage> {
  // While this waits the program has said nothing, as a person who has not typed yet.
  if (how === 'answer') return;
  yield {
    type: 'user',
    message: { role: 'user', content: how === 'start' ? 'make it' : 'leave it' },
    parent_tool_use_id: null,
  };
}

const messages = query({
  prompt: spoken(),
  options: {
    ...(how === 'start' ? { sessionId } : { resume: sessionId }),
    model,
    async canUseTool(tool, input, { requestId, signal }) {
      say({ asked: requestId, tool, input });
      // A person who thinks about it until the question is withdrawn.
      if (how !== 'answer') await setTimeout(1_000_000, undefined, { signal });
      return { behavior: 'allow', updatedInput: input };
    },
  },
});
for await (const message of messages)
  if (message.type === 'result')
    say({ result: message.subtype, text: 'result' in message ? message.result : message.errors.join() });
