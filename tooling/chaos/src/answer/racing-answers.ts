import assert from 'node:assert/strict';
import { allowApproval, type Client, connect, denyApproval } from '@rondo/client';
import { webSocketChannel } from '@rondo/client/node';
import { serveRuntime } from '@rondo/host';
import { listen } from '@rondo/host/node';
import { createSerializingChannel } from '@rondo/protocol';
import { createMemoryStore, createRuntime, type Runtime } from '@rondo/runtime';
import { call, recordingTool, say, scriptedModel, sha256, temporaryBinding } from '@rondo/runtime/testing';
import type { ChaosCase, ChaosFamily } from '../chaos-case.ts';

const races = 1000;
/** Every so many races go over sockets. */
const overSockets = 10;

const answers = [
  () => allowApproval(),
  () => denyApproval({ message: 'not today' }),
  () => allowApproval({ updatedInput: { amount: 1 } }),
  () => denyApproval(),
  () => allowApproval({ scope: 'session' }),
] as const;

/** Two clients that have seen the same question open, and answer it at once. */
export const racingAnswers: ChaosFamily = {
  name: 'racing answers',
  atOnce: 4,
  cases: async () =>
    Array.from({ length: races }, (_, number): ChaosCase => {
      const wire = number % overSockets === 0 ? 'sockets' : 'memory';
      return {
        name: `race ${number}, over ${wire}`,
        essential: number === 0,
        run: () => race(number, wire),
      };
    }),
};

async function race(number: number, wire: 'sockets' | 'memory'): Promise<void> {
  const charge = recordingTool({ name: 'Charge', effect: 'once' });
  const model = scriptedModel([call('Charge', { amount: 5 }), say('done')]);
  await using temporary = await temporaryBinding({ model, tools: [charge], policy: { allowedTools: [] } });
  const runtime = createRuntime({ store: createMemoryStore(), sha256 });
  const bindingId = runtime.bind(temporary.binding);
  await using clients = await (wire === 'sockets' ? overSocket : overMemory)(meeting(runtime, number % 2 === 1));
  const [one, other] = clients.pair;

  const session = await one.createSession({ bindingId });
  const blocked = await session.run('pay');
  assert.equal(blocked.type, 'blocked');
  const [question] = blocked.type === 'blocked' ? blocked.callbacks : [];
  assert.equal(question?.type, 'approval');
  const id = question?.type === 'approval' ? question.id : '';
  const turnId = blocked.type === 'blocked' ? blocked.turnId : '';

  const given = [answerOf(number), answerOf(Math.floor(number / answers.length) + number + 1)];
  const outcomes = await Promise.all(
    [one, other].map((client, index) =>
      client
        .session(session.id)
        .turn(turnId)
        .answer(id, given[index] ?? allowApproval()),
    ),
  );
  const record = await session.turn(turnId).result({ after: blocked.type === 'blocked' ? blocked : '' });
  assert.equal(record.type, 'completed');

  const { events } = await runtime.readEvents({ sessionId: session.id });
  const resolved = events.filter((event) => event.type === 'callback.resolved');
  assert.equal(resolved.length, 1, 'the question was settled once');
  const counted = resolved[0]?.answer;
  assert.ok(
    given.some((answer) => JSON.stringify(answer) === JSON.stringify(counted)),
    'one of the two answers counted',
  );
  for (const outcome of outcomes) {
    assert.equal(outcome.type, 'answered');
    assert.deepEqual(outcome.type === 'answered' ? outcome.answer : undefined, counted, 'both are told the winner’s');
  }
  assert.equal(charge.calls.length, counted?.type === 'allow' ? 1 : 0, 'the tool ran once, or not at all');
  await runtime.close();
}

function answerOf(number: number) {
  return (answers[number % answers.length] ?? answers[0])();
}

/** The runtime, which takes answers only once both have come: each client has read the question as open by then. */
function meeting(runtime: Runtime, isReversed: boolean): Runtime {
  const waiting: (() => void)[] = [];
  return {
    ...runtime,
    async answerCallback(...answer) {
      await new Promise<void>((resolve) => {
        waiting.push(resolve);
        if (waiting.length < 2) return;
        for (const release of isReversed ? waiting.reverse() : waiting) release();
      });
      return await runtime.answerCallback(...answer);
    },
  };
}

interface Clients extends AsyncDisposable {
  readonly pair: readonly [Client, Client];
}

async function overMemory(runtime: Runtime): Promise<Clients> {
  const served: AsyncDisposable[] = [];
  const make = (): Client => {
    const [near, far] = createSerializingChannel();
    served.push(serveRuntime(runtime, far));
    return connect(near);
  };
  return {
    pair: [make(), make()],
    async [Symbol.asyncDispose]() {
      for (const one of served) await one[Symbol.asyncDispose]();
    },
  };
}

async function overSocket(runtime: Runtime): Promise<Clients> {
  const token = 'a-token-of-the-races';
  const host = await listen(runtime, { tokens: [{ name: 'racer', rights: ['read', 'answer', 'drive'], token }] });
  const url = `${host.url.replace('http:', 'ws:')}/ws`;
  const make = async (): Promise<Client> => connect(await webSocketChannel(url, { token }));
  return {
    pair: [await make(), await make()],
    [Symbol.asyncDispose]: () => host.close(),
  };
}
