import { query, type SDKUserMessage } from '@rondo/sdk';

// What the reference leaves to its reader: messages as they come. The next one waits until the last has its answer.
const turns = [Promise.withResolvers<void>(), Promise.withResolvers<void>(), Promise.withResolvers<void>()];
async function* say(): AsyncGenerator<SDKUserMessage> {
  for (const [index, text] of ['First.', 'Second.', 'Third.'].entries()) {
    if (index > 0) await turns[index - 1]?.promise;
    yield { type: 'user', message: { role: 'user', content: text }, parent_tool_use_id: null };
  }
}
const messageStream = say();
const { OTHER_MODEL: other = '' } = process.env;

const q = query({ prompt: messageStream });
const results = read();
await results.next();

await q.applyFlagSettings({ model: other });
turns[0]?.resolve();
await results.next();

await q.applyFlagSettings({ model: null });
turns[1]?.resolve();
await results.next();

// ---- what follows is not of the reference

async function* read() {
  for await (const message of q) {
    if (message.type === 'system' && message.subtype === 'init') console.log(`model: ${message.model}`);
    if (message.type === 'result') yield message;
  }
}
await results.next();
