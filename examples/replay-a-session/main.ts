// Every session is a test already: its log holds what the model was asked and what it said. `replay/SESSION` answers from
// it, as long as the agent asks the same.
import assert from 'node:assert/strict';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Agent, defineTool } from '@rondo/sdk/agent';
import { z } from 'zod';

const home = mkdtempSync(join(tmpdir(), 'rondo-replay-'));

function shopkeeper(model: string, price: string): Agent {
  const priceOf = defineTool({
    name: 'price_of',
    description: 'The price of an article.',
    input: z.object({ article: z.string() }),
    effect: 'none',
    run: () => Promise.resolve({ content: price }),
  });
  return new Agent({ model, tools: [priceOf], home, cwd: import.meta.dirname });
}

async function visit(agent: Agent) {
  const session = await agent.startSession();
  const answer = await session.run('What is a pen?');
  const farewell = await session.run('Thank you.');
  await agent.close();
  assert.ok(answer.type !== 'busy' && farewell.type !== 'busy');
  return { id: session.id, answer, farewell };
}

// The model is a script here, so that the example runs anywhere; with a real one the rest is the same.
const first = await visit(shopkeeper('scripted/story.yaml', '2 euros'));
assert.equal(first.answer.text, 'A pen is 2 euros.');

const again = await visit(shopkeeper(`replay/${first.id}?unused=error`, '2 euros'));
assert.equal(again.answer.text, 'A pen is 2 euros.');
assert.equal(again.farewell.text, 'You are welcome.');

const dearer = await visit(shopkeeper(`replay/${first.id}`, '3 euros'));
assert.equal(dearer.answer.type, 'failed');
assert.match(dearer.answer.error.message, /- {8}text: 2 euros\n\+ {8}text: 3 euros/);
process.stdout.write(`${again.answer.text} ${again.farewell.text}\n`);
