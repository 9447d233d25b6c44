// Every session is a test already: its log holds what the model was asked and what it said. `replay/SESSION` is a model that
// answers from it, as long as the agent asks the same. `replaySession` works the session itself again, without any model, and
// says where it goes another way than it went.
import assert from 'node:assert/strict';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { replaySession } from '@rondo/sdk';
import { Agent, type AgentOptions, defineTool } from '@rondo/sdk/agent';
import { z } from 'zod';

const home = mkdtempSync(join(tmpdir(), 'rondo-replay-'));

function shopkeeper(model: string, price: string): AgentOptions {
  const priceOf = defineTool({
    name: 'price_of',
    description: 'The price of an article.',
    input: z.object({ article: z.string() }),
    effect: 'none',
    run: () => Promise.resolve({ content: price }),
  });
  return { model, tools: [priceOf], home, cwd: import.meta.dirname };
}

async function visit(options: AgentOptions) {
  const agent = new Agent(options);
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
const before = shopkeeper('scripted/story.yaml', '2 euros');
const report = await replaySession(first.id, { home, agent: before });
assert.equal(report.divergence, undefined);
assert.equal(report.requests, 3);

// With `liveTools`, tools that only read really run: what they give today is held against what they gave then.
const today = await replaySession(first.id, {
  home,
  agent: shopkeeper('scripted/story.yaml', '3 euros'),
  liveTools: true,
});
assert.equal(today.divergence?.type, 'tool.completed');
assert.deepEqual([today.divergence.recorded, today.divergence.replayed], ['2 euros', '3 euros']);

// Another policy judges the recorded call otherwise.
const strict: AgentOptions = { ...before, permissionPolicy: { default: 'deny', rules: [] } };
const judged = await replaySession(first.id, { home, agent: strict, mode: 'behavioural' });
assert.deepEqual(
  judged.changes.map(({ tool, recorded, today: now }) => [tool, recorded.decision, now.decision]),
  [['price_of', 'allow', 'deny']],
);
process.stdout.write(`${again.answer.text} ${again.farewell.text}\n`);
