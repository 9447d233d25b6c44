// A tool that lives with the program that uses the session, not with the agent: its calls are answered by a handler while
// somebody waits, or later by their ID.
import assert from 'node:assert/strict';
import { Agent, clientTool, clientToolAnswers, SdkError } from '@rondo/sdk/agent';
import { call, say, scriptedModel } from '@rondo/runtime/testing';
import { z } from 'zod';

const pickFile = clientTool({
  name: 'pick_file',
  description: 'Lets the person pick a file.',
  inputSchema: z.object({ ext: z.string() }),
  outputSchema: z.object({ path: z.string() }),
});

const model = scriptedModel([
  call('pick_file', { ext: 'ts' }),
  say('You picked main.ts.'),
  call('pick_file', { ext: 'md' }),
  say('And README.md.'),
]);
await using agent = new Agent({ model, tools: [pickFile], store: 'memory' });
const session = await agent.startSession();

// With a handler the wait never ends for these calls. The handler runs once a call, however many waits there are.
const dialog = clientToolAnswers({ pick_file: () => ({ path: 'main.ts' }) });
const first = await agent.session(session.id, { onClientTool: dialog }).run('Which file?');
assert.equal(first.type, 'completed');
assert.equal(first.output, 'You picked main.ts.');

// Without one the turn is blocked, and whoever knows the question's ID answers it.
const blocked = await session.run('And which page?');
assert.equal(blocked.type, 'blocked');
const [question] = blocked.callbacks;
assert.equal(question?.type, 'client_tool');
const turn = session.turn(blocked.turnId);
// The tool is known here, so a result of another shape is refused before anything is sent.
await assert.rejects(turn.answer(question.id, 'README.md'), SdkError);
await turn.answer(question.id, { path: 'README.md' });
const second = await turn.result({ after: blocked });
assert.equal(second.text, 'And README.md.');

model.assertDone();
process.stdout.write(`${first.text} ${second.text}\n`);
