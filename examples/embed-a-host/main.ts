// A host in a program of one's own: an agent bound to the runtime of a home, served over WebSocket to two tokens. One
// drives a session and answers its question; the other may only read.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { allowApproval, connect } from '@rondo/client';
import { listen } from '@rondo/host/node';
import { isRondoError } from '@rondo/protocol/values';
import { compilePolicy, defineTool } from '@rondo/runtime';
import { call, refusingSandbox, say, scriptedModel } from '@rondo/runtime/testing';
import { agentBindingId, openHome } from '@rondo/sdk/host';

const folder = mkdtempSync(join(tmpdir(), 'rondo-host-'));
const refund = defineTool({
  name: 'refund',
  description: 'Pays an order back.',
  input: { type: 'object', properties: { order: { type: 'string' } }, required: ['order'] },
  effect: 'once',
  run: ({ order }) => `order ${String(order)}: paid back`,
});

const home = await openHome({ home: join(folder, 'home') });
const bindingId = home.runtime.bind(
  {
    agent: { name: 'clerk', fingerprint: 'clerk 1' },
    cwd: folder,
    model: scriptedModel([call('refund', { order: '7' }), say('Order 7 is paid back.')]),
    system: 'Help with orders.',
    tools: [refund],
    policy: compilePolicy({ directories: [folder], tools: [refund] }),
    unattended: 'wait',
    sandbox: refusingSandbox,
    env: {},
  },
  agentBindingId('clerk'),
);

const host = await listen(home.runtime, {
  tokens: [
    { name: 'desk', token: 'desk-token', rights: ['read', 'answer', 'drive'] },
    { name: 'auditor', token: 'auditor-token', rights: ['read'] },
  ],
});
await home.runtime.recover({ bindingIds: [bindingId] });
const address = host.url.replace('http', 'ws');

const desk = connect(address, { token: 'desk-token' });
const session = await desk.createSession({ bindingId: 'agent:clerk' });
const blocked = await session.run('Pay order 7 back.');
assert.equal(blocked.type, 'blocked');
const [question] = blocked.callbacks;
assert.equal(question?.type, 'approval');

const auditor = connect(address, { token: 'auditor-token' });
const seen = auditor.session(session.id).turn(blocked.turnId);
assert.equal((await seen.get()).type, 'blocked');
await assert.rejects(seen.interrupt(), (error) => isRondoError(error, 'access.denied'));

const turn = session.turn(blocked.turnId);
await turn.answer(question.id, allowApproval());
const record = await turn.result({ after: blocked });
assert.equal(record.type, 'completed');
assert.equal(record.text, 'Order 7 is paid back.');

for await (const event of auditor.session(session.id).events()) {
  if (event.type === 'callback.resolved') assert.equal(event.by, 'desk');
  if (event.type === 'turn.ended') break;
}

desk.close();
auditor.close();
await host.close();
await home.close();
rmSync(folder, { recursive: true });
process.stdout.write(`${record.text}\n`);
