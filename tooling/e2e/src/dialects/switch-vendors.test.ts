import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hold, startModelServer, text, thinking, toolCall, type Step } from '@rondo/providers/testing';
import { Agent, defineTool } from '@rondo/sdk/agent';
import { expect, onTestFinished, test } from 'vitest';
import { wireKey, wires, type Wire } from './wires.ts';

const weigh = defineTool({
  name: 'weigh',
  description: 'Weighs an article.',
  input: { type: 'object', properties: { article: { type: 'string' } }, required: ['article'] },
  effect: 'none',
  run: ({ article }) => `${String(article)}: 7 g`,
});

/** An agent of one vendor's, over sessions that all of them share. */
function agentOn(wire: Wire, { url, home }: { readonly url: string; readonly home: string }): Agent {
  const agent = new Agent({
    name: 'keeper',
    model: wire.model,
    instructions: 'You keep the store room.',
    tools: [weigh],
    reasoningEffort: 'high',
    home,
    cwd: home,
    env: wire.env(url),
  });
  onTestFinished(() => agent.close());
  return agent;
}

function newHome(): string {
  const home = mkdtempSync(join(tmpdir(), 'rondo-switch-'));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  return home;
}

test('issue 3, accept 1: a session goes from vendor to vendor and back, and none refuses what another said', async () => {
  const round = [...wires, ...wires.toReversed()];
  const turn = (index: number): Step[] => [
    [thinking(`Turn ${index}, 世界.`), text('I will weigh it.'), toolCall('weigh', { article: `pen ${index}` })],
    [thinking('Seven.'), text(`It weighs 7 g, in turn ${index}.`)],
  ];
  const server = await startModelServer({ script: round.flatMap((_, index) => turn(index)), apiKey: wireKey });
  const home = newHome();
  let id: string | undefined;
  for (const [index, wire] of round.entries()) {
    const agent = agentOn(wire, { url: server.url, home });
    const session = id === undefined ? await agent.startSession() : (await agent.openSession(id)).session;
    id = session.id;
    expect(await session.run(`Weigh pen ${index}.`)).toMatchObject({
      type: 'completed',
      text: expect.stringContaining(`in turn ${index}`),
    });
    await agent.close();
  }
  expect(server.requests.map(({ dialect }) => dialect)).toEqual(round.flatMap(({ dialect }) => [dialect, dialect]));
  const last = server.requests.at(-1)?.text ?? '';
  for (const index of round.keys()) expect(last).toContain(`pen ${index}: 7 g`);
  await server.close();
});

test.each(wires)(
  'issue 3, accept 1: on $name a turn that was stopped in its reasoning is gone on with by another agent',
  async (wire) => {
    const held = Promise.withResolvers<void>();
    const script: readonly Step[] = [
      [thinking('I look.'), toolCall('weigh', { article: 'pen' })],
      [thinking('It is '), hold(held.promise), text('never')],
      [thinking('Seven.'), text('7 g.')],
    ];
    const server = await startModelServer({ script, apiKey: wireKey });
    const place = { url: server.url, home: newHome() };
    const first = agentOn(wire, place);
    const { id } = await first.startSession().then(async (session) => {
      const turn = await session.startTurn('How heavy is a pen?');
      if (turn.type === 'busy') throw new Error('a new session is busy');
      await server.request(1);
      for await (const event of turn.events({ deltas: true })) {
        if (event.type === 'reasoning.delta' && event.text.includes('It is')) break;
      }
      await turn.interrupt();
      expect(await turn.result()).toMatchObject({ type: 'interrupted' });
      return session;
    });
    expect(await server.requests[1]?.ended).toBe('left');
    held.resolve();
    await first.close();
    const { session } = await agentOn(wire, place).openSession(id);
    expect(await session.run('Go on.')).toMatchObject({ type: 'completed', text: '7 g.' });
    expect(server.requests[2]?.text).toContain('pen: 7 g');
    await server.close();
  },
);
