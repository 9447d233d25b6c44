// An agent with a tool of its own, in process. The model is a script, so that the example runs anywhere; put the name of
// a real one in its place (`anthropic/claude-…`) and set its key.
import assert from 'node:assert/strict';
import { Agent, defineTool } from '@rondo/sdk/agent';
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

const agent = new Agent({
  model: 'scripted/story.yaml',
  cwd: import.meta.dirname,
  instructions: 'You keep the store room.',
  tools: [countStock],
  store: 'memory',
});
const record = await agent.run('What is left of pens and paper?');

assert.equal(record.type, 'completed');
assert.equal(record.text, '12 pens are left, and no paper.');
// Rejects when a step of the script was not used.
await agent.close();
process.stdout.write(`${record.text}\n`);
