import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startModelServer, text, thinking, toolCall, type ModelServer } from '@rondo/providers/testing';
import { createFileStore } from '@rondo/runtime/node';
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

function newHome(): string {
  const home = mkdtempSync(join(tmpdir(), 'rondo-rejected-'));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  return home;
}

interface AgentPlace {
  readonly server: ModelServer;
  readonly home: string;
}

function agentOn(wire: Wire, { server, home }: AgentPlace): Agent {
  const agent = new Agent({
    name: 'keeper',
    model: wire.model,
    instructions: 'You keep the store room.',
    tools: [weigh],
    reasoningEffort: 'high',
    home,
    cwd: home,
    env: wire.env(server.url),
  });
  onTestFinished(() => agent.close());
  return agent;
}

/** Wires whose servers know their own reasoning again. */
const sealed = wires.filter(({ dialect }) => ['anthropic', 'openai-responses', 'google'].includes(dialect));

async function rejections(home: string, sessionId: string): Promise<number> {
  const store = createFileStore({ home });
  const events = await Array.fromAsync(store.read(sessionId));
  await store.close();
  return events.filter((event) => event.type === 'notice' && event.details?.['status'] === 'reasoning_rejected').length;
}

test.each(sealed)(
  'on $name a session whose reasoning another account does not know goes on without it, in every process',
  async (wire) => {
    const home = newHome();
    const before = await startModelServer({
      apiKey: wireKey,
      signingKey: 'one account',
      script: [
        [thinking('First.'), text('I weigh.'), toolCall('weigh', { article: 'pen' })],
        [thinking('7.'), text('7 g')],
      ],
    });
    const one = agentOn(wire, { server: before, home });
    const { id } = await one.startSession().then(async (session) => {
      expect(await session.run('Weigh a pen.')).toMatchObject({ type: 'completed', text: '7 g' });
      return session;
    });
    await one.close();
    await before.close();

    const after = await startModelServer({
      apiKey: wireKey,
      signingKey: 'another account',
      script: [[thinking('Anew.'), text('As I said.')], text('Yes.'), text('Still.')],
    });
    for (const [turn, said] of ['As I said.', 'Yes.', 'Still.'].entries()) {
      const agent = agentOn(wire, { server: after, home });
      const { session } = await agent.openSession(id);
      expect(await session.run(`Sure? ${turn}`)).toMatchObject({ type: 'completed', text: said });
      await agent.close();
    }
    const [refused, bare, next, last] = after.requests;
    expect(after.requests.map((request) => request.refused !== undefined)).toEqual([true, false, false, false]);
    expect(refused?.text).toContain('First.');
    for (const request of [bare, next, last]) {
      expect(request?.text).toContain('pen: 7 g');
      expect(request?.text).not.toContain('First.');
    }
    // What it reasoned for this account is its own again.
    expect(next?.text).toContain('Anew.');
    expect(last?.text).toContain('Anew.');
    expect(await rejections(home, id)).toBe(1);
    await expect(after.close()).rejects.toThrow('request 0 was refused');
  },
);
