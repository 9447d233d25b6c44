// A program that decides what it can by itself and leaves the rest to a person: the handler answers while the program
// waits, the loop asks the person about what is left, and the output is checked.
import assert from 'node:assert/strict';
import {
  Agent,
  allowApproval,
  defineTool,
  denyApproval,
  keepCallbackOpen,
  type ApprovalHandler,
} from '@rondo/sdk/agent';
import { call, say, scriptedModel } from '@rondo/runtime/testing';
import { z } from 'zod';

const readAlert = defineTool({
  name: 'read_alert',
  description: 'Reads an alert.',
  input: z.object({ id: z.string() }),
  effect: 'none',
  annotations: { readOnlyHint: true },
  run: ({ id }) => `alert ${id}: disk full`,
});
const wipeDisk = defineTool({
  name: 'wipe_disk',
  description: 'Wipes a disk.',
  input: z.object({ disk: z.string() }),
  run: () => {
    throw new Error('nobody allowed this');
  },
});

const model = scriptedModel([
  [call('read_alert', { id: '4711' }), call('wipe_disk', { disk: 'sda' })],
  say('{"closed":false,"why":"nobody may wipe sda"}'),
]);
const readsOnly: ApprovalHandler = (_context, { tool }) =>
  tool.annotations?.readOnlyHint === true ? allowApproval() : keepCallbackOpen();
const asked: string[] = [];
const askPerson = (title: string) => {
  asked.push(title);
  return denyApproval({ message: 'never' });
};

await using agent = new Agent({
  model,
  tools: [readAlert, wipeDisk],
  permissionMode: 'ask',
  onApproval: readsOnly,
  outputType: z.object({ closed: z.boolean(), why: z.string() }),
  store: 'memory',
});
const session = await agent.startSession();

let state = await session.run('Review alert 4711', { idempotencyKey: 'alert:4711:review' });
if (state.type === 'busy') state = await state.turn.result();
while (state.type === 'blocked') {
  const turn = session.turn(state.turnId);
  for (const question of state.callbacks)
    if (question.type === 'approval') await turn.answer(question.id, askPerson(question.title));
  // Past what was just answered.
  state = await turn.result({ after: state });
}

assert.equal(state.type, 'completed');
assert.deepEqual(state.output, { closed: false, why: 'nobody may wipe sda' });
assert.deepEqual(asked, ['wipe_disk']);
model.assertDone();
process.stdout.write(`${state.text}\n`);
