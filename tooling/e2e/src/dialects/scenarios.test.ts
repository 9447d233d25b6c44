import { readFileSync } from 'node:fs';
import type { Session, Turn } from '@rondo/client';
import { imageBlockFromBytes } from '@rondo/protocol/values';
import {
  hold,
  malformedToolCall,
  reply,
  startModelServer,
  text,
  thinking,
  toolCall,
  type ModelServer,
  type Step,
} from '@rondo/providers/testing';
import { Agent, defineTool } from '@rondo/sdk/agent';
import { describe, expect, test } from 'vitest';
import { wireKey, wires, type Wire } from './wires.ts';

const tricky = 'Grüße, 世界 👩‍👩‍👧 \u2028 end\r\n';
const dot = imageBlockFromBytes(readFileSync(new URL('dot.png', import.meta.url)), { altText: 'a dot' });

const weigh = defineTool({
  name: 'weigh',
  description: 'Weighs an article.',
  input: { type: 'object', properties: { article: { type: 'string' } }, required: ['article'] },
  effect: 'none',
  run: ({ article }) => `${String(article)}: 7 g`,
});

const photograph = defineTool({
  name: 'photograph',
  description: 'Takes a picture of an article.',
  input: { type: 'object', properties: { article: { type: 'string' } } },
  effect: 'none',
  run: () => ({ content: [{ type: 'text', text: 'here it is' }, dot] }),
});

interface Scene extends AsyncDisposable {
  readonly server: ModelServer;
  readonly agent: Agent;
}

/** An agent on the wire, and the strict server behind it, which fails the test when it had to refuse anything. */
async function stage(wire: Wire, script: readonly Step[]): Promise<Scene> {
  const server = await startModelServer({ script, apiKey: wireKey });
  const agent = new Agent({
    model: wire.model,
    instructions: 'You keep the store room.',
    tools: [weigh, photograph],
    reasoningEffort: 'high',
    store: 'memory',
    env: wire.env(server.url),
  });
  return {
    server,
    agent,
    async [Symbol.asyncDispose]() {
      await agent.close();
      await server.close();
    },
  };
}

async function startTurn(session: Session, message: string): Promise<Turn> {
  const turn = await session.startTurn(message);
  if (turn.type === 'busy') throw new Error('a new session is busy');
  return turn;
}

/** All that was streamed of one kind until the turn ended. */
async function shown(turn: Turn, type: 'text.delta' | 'reasoning.delta'): Promise<string> {
  let text = '';
  for await (const event of turn.events({ deltas: true })) if (event.type === type) text += event.text;
  return text;
}

describe.each(wires)('issue 3, accept 1: $name', (wire) => {
  test('text comes as it was said, a byte at a time', async () => {
    const style = { bytesPerWrite: 1, lineEnding: '\r\n' } as const;
    await using scene = await stage(wire, [reply(text(tricky, { pieceLength: 1 }), { wire: style })]);
    const turn = await startTurn(await scene.agent.startSession(), tricky);
    expect(await shown(turn, 'text.delta')).toBe(tricky);
    expect(await turn.result()).toMatchObject({ type: 'completed', text: tricky });
    expect(scene.server.requests.map(({ dialect }) => dialect)).toEqual([wire.dialect]);
    // What was asked stands in the request as it was written, whatever the wire calls it.
    expect(scene.server.requests[0]?.text).toContain(JSON.stringify(tricky).slice(1, -1));
    expect(scene.server.requests[0]?.text).toContain('You keep the store room.');
  });

  test('reasoning is shown, and goes back with its call as it came', async () => {
    await using scene = await stage(wire, [
      [thinking('It is 世界 👩‍👩‍👧 heavy.'), text('I will weigh it.'), toolCall('weigh', { article: 'pen' })],
      [thinking('Seven grams.'), text('It weighs 7 g.')],
      text('And so it does now.'),
    ]);
    const session = await scene.agent.startSession();
    const turn = await startTurn(session, 'How heavy is a pen?');
    expect(await shown(turn, 'reasoning.delta')).toBe('It is 世界 👩‍👩‍👧 heavy.Seven grams.');
    expect(await turn.result()).toMatchObject({ type: 'completed', text: expect.stringContaining('It weighs 7 g.') });
    await session.run('And now?');
    const [, second, third] = scene.server.requests;
    expect(second?.text.includes('It is 世界 👩‍👩‍👧 heavy.')).toBe(wire.returnsReasoning);
    expect(third?.text).toContain('7 g');
  });

  test('calls of one reply run each once, and their results go back in order', async () => {
    await using scene = await stage(wire, [
      [1, 2, 3].map((count) => toolCall('weigh', { article: `pen ${count}` })),
      text('All weigh the same.'),
    ]);
    const record = await scene.agent.run('Weigh three.');
    expect(record).toMatchObject({
      type: 'completed',
      toolCalls: [1, 2, 3].map((count) => ({ name: 'weigh', arguments: { article: `pen ${count}` } })),
    });
    const sent = scene.server.requests[1]?.text ?? '';
    const places = [1, 2, 3].map((count) => sent.indexOf(`pen ${count}: 7 g`));
    expect(places).toEqual([...places].sort((a, b) => a - b));
    expect(places).not.toContain(-1);
  });

  test('pictures go in a message and in a result', async () => {
    await using scene = await stage(wire, [toolCall('photograph', { article: 'pen' }), text('A dot, twice.')]);
    const record = await scene.agent.run([{ type: 'text', text: 'What is this?' }, dot]);
    expect(record).toMatchObject({ type: 'completed', text: 'A dot, twice.' });
    const data = dot.uri.split(',')[1] ?? '';
    expect(scene.server.requests[0]?.text.split(data)).toHaveLength(2);
    expect(scene.server.requests[1]?.text.split(data)).toHaveLength(3);
  });

  test('a long loop repeats every earlier byte of its conversation', async () => {
    const count = 40;
    const steps = Array.from({ length: count }, (_, step) => [
      thinking(`Step ${step}.`),
      toolCall('weigh', { article: `pen ${step}` }),
    ]);
    await using scene = await stage(wire, [...steps, text('Done.')]);
    const record = await scene.agent.run('Weigh them all.');
    expect(record).toMatchObject({ type: 'completed', text: 'Done.' });
    expect(scene.server.requests).toHaveLength(count + 1);
    expect(scene.server.requests.at(-1)?.text.split(': 7 g')).toHaveLength(count + 1);
  });

  test('arguments that are no JSON are told to the model, and do not run', async () => {
    await using scene = await stage(wire, [
      [malformedToolCall('weigh', '{"article": "pe'), toolCall('weigh', { article: 'ink' })],
      text('One was broken.'),
    ]);
    const record = await scene.agent.run('Weigh two.');
    expect(record).toMatchObject({ type: 'completed', text: 'One was broken.' });
    const sent = scene.server.requests[1]?.text ?? '';
    expect(sent).toContain('ink: 7 g');
    expect(sent).not.toContain('pe: 7 g');
  });

  test('arguments that were mended go back as they ran', async () => {
    await using scene = await stage(wire, [
      malformedToolCall('weigh', '```json\n{"article": "pen",}\n```'),
      text('It weighs 7 g.'),
    ]);
    const record = await scene.agent.run('Weigh one.');
    expect(record).toMatchObject({ type: 'completed', toolCalls: [{ arguments: { article: 'pen' } }] });
    const sent = scene.server.requests[1]?.text ?? '';
    expect(sent).toContain('pen: 7 g');
    expect(sent).not.toContain('```');
  });

  test.each([
    ['reasoning', (held: Promise<void>): Step => [thinking('Let me see.'), hold(held), text('never')]],
    ['text', (held: Promise<void>): Step => text(['once upon ', held, 'a time'])],
    ['a call', (held: Promise<void>): Step => [toolCall('weigh', { article: 'pen' }), hold(held), text('never')]],
  ])('an interrupt in %s closes the connection, and the session goes on', async (_where, step) => {
    const held = Promise.withResolvers<void>();
    await using scene = await stage(wire, [step(held.promise), text('Here I am.')]);
    const session = await scene.agent.startSession();
    const turn = await startTurn(session, 'Begin.');
    for await (const event of turn.events({ deltas: true })) if (event.type.endsWith('.delta')) break;
    await turn.interrupt();
    expect(await turn.result()).toMatchObject({ type: 'interrupted' });
    expect(await scene.server.requests[0]?.ended).toBe('left');
    held.resolve();
    expect(await session.run('Go on.')).toMatchObject({ type: 'completed', text: 'Here I am.' });
  });
});
