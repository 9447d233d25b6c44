// A process asks a question and ends. The question stays open in the session's log, under its ID; another process, which
// knows the session's ID only, reads it and answers it, and the turn goes on there.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { appendFileSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Agent, allowApproval, defineTool } from '@rondo/sdk/agent';
import { call, say, scriptedModel, type ScriptedStep } from '@rondo/runtime/testing';
import { z } from 'zod';

const folder = process.env['STORY_FOLDER'] ?? mkdtempSync(join(tmpdir(), 'rondo-answer-'));
const ledger = join(folder, 'ledger.txt');

/** The same agent in both processes. Every call of its tool is asked about. */
function cashier(steps: ScriptedStep[]) {
  const refund = defineTool({
    name: 'refund',
    description: 'Pays an order back.',
    input: z.object({ order: z.string() }),
    run: ({ order }) => {
      appendFileSync(ledger, `${order}\n`);
      return 'paid back';
    },
  });
  const model = scriptedModel(steps);
  const options = { model, name: 'cashier', tools: [refund], home: join(folder, 'home'), cwd: folder } as const;
  return { agent: new Agent({ ...options, permissionMode: 'ask' }), model };
}

if (process.env['STORY_FOLDER'] !== undefined) {
  const { agent } = cashier([call('refund', { order: '4711' })]);
  // A webhook that is delivered twice starts the turn once.
  const session = await agent.startSession();
  const deliver = () => session.startTurn('Order 4711 came back.', { idempotencyKey: 'order:4711' });
  const [turn, same] = [await deliver(), await deliver()];
  assert.ok(turn.type === 'turn' && same.type === 'turn' && turn.equals(same));
  const record = await turn.result();
  process.stdout.write(record.type === 'blocked' ? session.id : '');
  await agent.close();
  process.exit(0);
}

const first = spawnSync(process.execPath, [...process.execArgv, import.meta.filename], {
  env: { ...process.env, STORY_FOLDER: folder },
  encoding: 'utf8',
});
assert.equal(first.status, 0, first.stderr);

const { agent, model } = cashier([say('The order is paid back.')]);
const { session, openTurn } = await agent.openSession(first.stdout);
assert.ok(openTurn);
const blocked = await openTurn.get();
assert.equal(blocked.type, 'blocked');
const [question] = blocked.callbacks;
assert.equal(question?.type, 'approval');
assert.deepEqual(question.request.input, { order: '4711' });

// Which turn is asked does not matter; the first answer counts, and everybody is told which that was.
const outcome = await session.turn(blocked.turnId).answer(question.id, allowApproval());
assert.deepEqual(outcome, { type: 'answered', sessionId: session.id, answer: { type: 'allow', scope: 'once' } });
const again = await openTurn.answer(question.id, allowApproval());
assert.equal(again.type, 'alreadySettled');

const record = await openTurn.result({ after: blocked });
assert.equal(record.type, 'completed');
assert.equal(readFileSync(ledger, 'utf8'), '4711\n');
model.assertDone();
await agent.close();
process.stdout.write(`${record.text}\n`);
