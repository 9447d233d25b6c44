// A guardrail that keeps numbers of cards from the model and from answers, a hook that has a person asked before money
// moves, and a session input that says whose money it is.
import assert from 'node:assert/strict';
import {
  Agent,
  allowApproval,
  ask,
  continueWith,
  defineSessionInput,
  defineTool,
  Hook,
  retry,
  type HookContext,
  type PostLlmCall,
  type PreAgentTurn,
  type PreToolCall,
} from '@rondo/sdk/agent';
import { call, say, scriptedModel } from '@rondo/runtime/testing';
import { z } from 'zod';

const Account = defineSessionInput('acme.account', z.object({ holder: z.string() }));
const paid: string[] = [];
const pay = defineTool({
  name: 'pay',
  description: 'Pays an amount.',
  input: z.object({ amount: z.number() }),
  inputs: { account: Account },
  run({ amount }, { inputs }) {
    paid.push(`${inputs.account.holder}: ${amount}`);
    return `paid ${amount}`;
  },
});

class NoCards extends Hook {
  override readonly name = 'acme.no-cards';
  override preAgentTurn(_context: HookContext, { userContent }: PreAgentTurn) {
    const masked = userContent.map((block) => (block.type === 'text' ? { ...block, text: mask(block.text) } : block));
    return continueWith({ userContent: masked });
  }
  override postLlmCall(_context: HookContext, { text }: PostLlmCall) {
    return mask(text) === text ? undefined : retry('Answer without the number of a card.');
  }
}

class AskFirst extends Hook {
  override readonly name = 'acme.ask-first';
  override preToolCall(_context: HookContext, { toolId, arguments: args }: PreToolCall) {
    return toolId === 'client.pay' && Number(args['amount']) > 100 ? ask('That is more than 100.') : undefined;
  }
}

function mask(text: string): string {
  return text.replaceAll(/\d{4}( ?\d{4}){3}/g, '[card]');
}

const model = scriptedModel([
  call('pay', { amount: 250 }),
  say('Paid with 4111 1111 1111 1111.'),
  say('Paid with your card.'),
]);
await using agent = new Agent({
  model,
  tools: [pay],
  guardrails: [new NoCards()],
  hooks: [new AskFirst()],
  store: 'memory',
});
const session = await agent.startSession({ sessionInputs: [Account.value({ holder: 'Ada' })] });

const blocked = await session.run('Pay 250 with 4111 1111 1111 1111');
assert.equal(blocked.type, 'blocked');
const [question] = blocked.callbacks;
assert.ok(question?.type === 'approval' && question.request.source === 'hook');
const turn = session.turn(blocked.turnId);
await turn.answer(question.id, allowApproval());
const record = await turn.result({ after: blocked });

assert.equal(record.text, 'Paid with your card.');
assert.deepEqual(paid, ['Ada: 250']);
const asked = JSON.stringify(model.requests);
assert.ok(!asked.includes('4111'), 'the model has seen the number');
assert.ok(!asked.includes('Ada'), 'the model has seen the input');
process.stdout.write(`${record.text}\n`);
