// An agent with a tool of its own, in process. The model is scripted, so that the example runs anywhere; put the name of
// a real one in its place (`anthropic/claude-…`) and set its key.
import assert from 'node:assert/strict';
import { Agent, defineTool } from '@rondo/sdk/agent';
import { call, say, scriptedModel } from '@rondo/runtime/testing';
import { z } from 'zod';

const stock = new Map([
  ['pens', 12],
  ['paper', 0],
]);

const countStock = defineTool({
  name: 'count_stock',
  description: 'How many of an article are in the store room.',
  input: z.object({ article: z.string() }),
  effect: 'none',
  run: ({ article }) => Promise.resolve({ content: `${stock.get(article) ?? 0} ${article}` }),
});

const model = scriptedModel([
  [call('count_stock', { article: 'pens' }), call('count_stock', { article: 'paper' })],
  (request) =>
    say(
      `Counted: ${JSON.stringify(request.messages.at(-1)?.content).includes('12 pens') ? '12 pens, no paper' : '?'}.`,
    ),
]);

await using agent = new Agent({
  model,
  instructions: 'You keep the store room.',
  tools: [countStock],
  store: 'memory',
});
const record = await agent.run('What is left of pens and paper?');

assert.equal(record.type, 'completed');
assert.equal(record.text, 'Counted: 12 pens, no paper.');
model.assertDone();
process.stdout.write(`${record.text}\n`);
