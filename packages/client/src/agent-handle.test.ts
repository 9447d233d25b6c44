import type { MethodParams } from '@rondo/protocol';
import { expect, test, vi } from 'vitest';
import { allowApproval, denyApproval } from './index.ts';
import {
  approval,
  blocked,
  collect,
  ended,
  hostDouble,
  opened,
  SESSION,
  settle,
  started,
} from './testing/host-double.ts';

function agentHost() {
  const host = hostDouble({
    'session/create': () => ({ sessionId: SESSION }),
    'session/list': () => ({
      sessions: [
        { id: 'new', agentName: 'clerk' },
        { id: 'foreign', agentName: 'cook' },
        { id: 'old', agentName: 'clerk' },
      ],
    }),
    'callback/answer': () => {
      host.emit(ended('t1', 's:4'));
      return { type: 'answered', sessionId: SESSION, answer: null };
    },
  });
  return host;
}

test('an agent handle sends nothing until it is used, and finds its agent by its name', async () => {
  const { client, requests } = agentHost();
  const agent = client.agent('clerk');
  const session = agent.session('s1');
  expect([agent.name, session.id]).toEqual(['clerk', 's1']);
  await settle();
  expect(requests).toEqual([]);
  const sessionInputs = { 'acme.ticket': { repo: 'a' } };
  await agent.startSession({ idempotencyKey: 'alert:4711', title: 'Alert', sessionInputs });
  await agent.session('s1').startTurn('hi');
  await client.agent('clerk', { bindingId: 'other' }).startSession();
  const params = requests.map((request) => request.params as MethodParams<'turn/start'>);
  const started = { bindingId: 'agent:clerk', idempotencyKey: 'alert:4711', title: 'Alert', inputs: sessionInputs };
  expect(params[0]).toEqual(started);
  await expect(agent.startSession({ sessionInputs: { at: new Date() } })).rejects.toBeInstanceOf(TypeError);
  expect(params[1]).toMatchObject({ bindingId: 'agent:clerk', sessionId: 's1' });
  expect(params.at(-1)).toEqual({ bindingId: 'other' });
});

test('run is a session of its own and one wait, with the handlers of the call before those of the agent', async () => {
  const { client, methods, emit, records } = agentHost();
  const [ofAgent, ofCall] = [vi.fn(() => denyApproval()), vi.fn(() => allowApproval())];
  const running = client.agent('clerk', { onApproval: ofAgent }).run('hi', { onApproval: ofCall });
  records.set('t1', blocked('t1', 's:2', approval()));
  emit(started('t1'), opened('t1', approval()));
  expect(await running).toMatchObject({ type: 'completed', output: 'done' });
  expect([ofAgent.mock.calls.length, ofCall.mock.calls.length]).toEqual([0, 1]);
  expect(methods().slice(0, 2)).toEqual(['session/create', 'turn/start']);
});

test('sessions are those of the agent, in the order of the list, read when they are asked for', async () => {
  const { client, requests } = agentHost();
  const sessions = client.agent('clerk').sessions();
  await settle();
  expect(requests).toEqual([]);
  expect((await collect(sessions)).map(({ id }) => id)).toEqual(['new', 'old']);
});
