// Tests of an agent that need no model: against a recording, which fails with a diff when the agent asks its model
// something else, and against a script for what a model will not do on demand. Record anew with RECORD=1 and a key.
import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { recordModel } from '@rondo/providers/scripted';
import { resolveModel } from '@rondo/providers';
import { createStoreKeeper } from './store-keeper.ts';

const question = 'What is left of pens?';
const stock = new Map([['pens', 12]]);

if (process.env['RECORD'] === '1') {
  const file = join(import.meta.dirname, 'recorded.yaml');
  rmSync(file, { force: true });
  const model = await recordModel(await resolveModel('sonnet', { env: process.env }), { file });
  await using agent = createStoreKeeper({ model, stock });
  await agent.run(question);
}

{
  await using agent = createStoreKeeper({ model: 'scripted/recorded.yaml', stock });
  const record = await agent.run(question);
  assert.equal(record.text, 'There are 12 pens left.');
}

{
  // Somebody changes the prompt: the test tells what the model would be asked now.
  await using agent = createStoreKeeper({
    model: 'scripted/recorded.yaml',
    stock,
    instructions: 'You guard the safe.',
  });
  const record = await agent.run(question);
  assert.equal(record.type, 'failed');
  assert.match(record.error.message, /-system: You keep the store room\.\n\+system: You guard the safe\./);
}

{
  // The tool gives another result: the same.
  await using agent = createStoreKeeper({ model: 'scripted/recorded.yaml', stock: new Map() });
  const record = await agent.run(question);
  assert.equal(record.type, 'failed');
  assert.match(record.error.message, /- {4}text: 12 pens\n\+ {4}text: 0 pens/);
}

{
  // An overloaded vendor, arguments that are no JSON, a reply that breaks off: the agent gets over them.
  await using agent = createStoreKeeper({ model: 'scripted/trouble.yaml', stock });
  const record = await agent.run(question);
  assert.equal(record.text, '12, in spite of everything.');
}

process.stdout.write('Four tests, no model.\n');
