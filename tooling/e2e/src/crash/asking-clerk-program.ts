// An agent that asks before its tool runs: waits with the question open, or takes the session up and answers it.
import { appendFileSync } from 'node:fs';
import { Agent, allowApproval, defineTool } from '@rondo/sdk/agent';

const [, , model = '', how = '', sessionId = '', orders = ''] = process.argv;

const ship = defineTool({
  name: 'ship_order',
  description: 'Ships an order.',
  input: { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] },
  run({ id }) {
    appendFileSync(orders, `${id}\n`);
    return `shipped ${id}`;
  },
});

await using clerk = new Agent({
  model,
  name: 'asking clerk',
  tools: [ship],
  permissionMode: 'ask',
});

function say(line: unknown): void {
  process.stdout.write(`${JSON.stringify(line)}\n`);
}

if (how === 'start') {
  const session = await clerk.startSession();
  const record = await session.run('Ship order 7.');
  say({ sessionId: session.id, questions: record.type === 'blocked' ? record.callbacks.map(questionId) : [] });
  // Whoever asks waits; this process is killed meanwhile.
  setInterval(() => {}, 1_000_000);
} else {
  const { session, openTurn, parked } = await clerk.openSession(sessionId);
  if (openTurn === undefined) throw new Error('no turn is open');
  const blocked = await openTurn.result();
  const questions = blocked.type === 'blocked' ? blocked.callbacks.map(questionId) : [];
  for (const question of questions) await openTurn.answer(question, allowApproval());
  const record = await openTurn.result({ after: blocked });
  say({ sessionId: session.id, questions, parked, record: record.type, text: record.text });
}

function questionId(callback: { readonly type: string; readonly id?: string }): string {
  return callback.id ?? '';
}
