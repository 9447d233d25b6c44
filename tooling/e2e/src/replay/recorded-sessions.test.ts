import { startModelServer } from '@rondo/providers/testing';
import { replaySession } from '@rondo/sdk';
import { Agent } from '@rondo/sdk/agent';
import { describe, expect, test } from 'vitest';
import { wireKey, wires } from '../dialects/wires.ts';
import { createPlace } from '../harness/place.ts';
import { keeper, stories } from './stories.ts';

describe.each(wires)('issue 4, accept 9: $name', (wire) => {
  test.each(stories)('replays as it was recorded: $name', async ({ script, tell, options: more = {} }) => {
    using place = createPlace();
    const door = Promise.withResolvers<void>();
    await using server = await startModelServer({ script: script(door.promise), apiKey: wireKey });
    const doors = { opened: door.promise };
    const { home, project: cwd } = place;
    const env = wire.env(server.url);
    const options = keeper({ model: wire.model, env, home, cwd, maxIterations: 10, ...more }, doors);
    let agent = new Agent(options);
    const renew = async (): Promise<Agent> => {
      await agent.close();
      return (agent = new Agent(options));
    };
    const sessions = await tell({ agent, home, openDoor: door.resolve, renew });
    await agent.close();
    for (const sessionId of sessions) {
      const alone = await replaySession(sessionId, { home });
      expect(alone.divergence).toBeUndefined();
      expect(alone.requests).toBeGreaterThan(0);
      const { divergence, notes } = await replaySession(sessionId, { home, agent: options });
      expect(divergence).toBeUndefined();
      expect(notes.filter((note) => !note.startsWith('turns that a fork'))).toEqual([]);
      const { changes } = await replaySession(sessionId, { home, agent: options, mode: 'behavioural' });
      expect(changes).toEqual([]);
    }
  });
});
