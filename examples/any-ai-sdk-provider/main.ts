// Any provider package of the Vercel AI SDK plugs in with three lines: import it, make its model, hand it over. Two of
// them work here against a model server of this machine; leave the base URLs out and set the keys for the real ones.
import assert from 'node:assert/strict';
import { startModelServer, text, toolCall } from '@rondo/providers/testing';
import { Agent, defineTool } from '@rondo/sdk/agent';
import { z } from 'zod';

import { createMistral } from '@ai-sdk/mistral';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { fromAiSdk } from '@rondo/providers/ai-sdk';

const weighing = [toolCall('weigh', { article: 'pen' }), text('The pen weighs 7 g.')];
const server = await startModelServer({ script: [...weighing, ...weighing], apiKey: 'any' });

const mistral = createMistral({ apiKey: 'any', baseURL: `${server.url}/mistral/v1` });
const workshop = createOpenAICompatible({ name: 'workshop', apiKey: 'any', baseURL: `${server.url}/v1` });

const models = [fromAiSdk(mistral('mistral-medium-latest')), fromAiSdk(workshop('llama-4'))];
assert.deepEqual(
  models.map(({ name }) => name),
  ['mistral/mistral-medium-latest', 'workshop/llama-4'],
);

const weigh = defineTool({
  name: 'weigh',
  description: 'Weighs an article.',
  input: z.object({ article: z.string() }),
  effect: 'none',
  run: ({ article }) => Promise.resolve({ content: `${article}: 7 g` }),
});

for (const model of models) {
  await using agent = new Agent({ model, instructions: 'You keep the store room.', tools: [weigh], store: 'memory' });
  const record = await agent.run('How heavy is a pen?');
  assert.equal(record.type, 'completed');
  assert.equal(record.text, 'The pen weighs 7 g.');
  process.stdout.write(`${model.name}: ${record.text}\n`);
}
assert.deepEqual(
  server.requests.map(({ dialect }) => dialect),
  ['mistral', 'mistral', 'chat-completions', 'chat-completions'],
);
await server.close();
