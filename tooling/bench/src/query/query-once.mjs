import { query } from '@rondo/sdk';

const options = { allowedTools: ['Read'], includePartialMessages: true };
for await (const message of query({ prompt: process.argv[2] ?? '', options })) {
  if (message.type === 'result' && message.subtype === 'success') process.stdout.write(`${message.result}\n`);
}
