import { createAnthropicModel } from '@rondo/providers/anthropic';
import { type ModelServer, startModelServer, text, thinking, toolCall } from '@rondo/providers/testing';
import { type Binding, type Tool } from '@rondo/runtime';
import { createNodeRuntime } from '@rondo/runtime/node';
import { manualClock, recordingTool, temporaryBinding } from '@rondo/runtime/testing';
import { expect, test } from 'vitest';
import { createPlace } from '../harness/place.ts';
import { prefixOf } from '../harness/request-prefix.ts';

const day = 24 * 60 * 60 * 1000;
const start = Date.UTC(2026, 0, 31, 23, 59);

interface Sitting {
  readonly home: string;
  readonly server: ModelServer;
  readonly binding: Binding;
  readonly now: number;
  readonly sessionId?: string;
}

/** One turn by a runtime of its own, as a process at that time has it. */
async function sit({ home, server, binding, now, sessionId }: Sitting): Promise<string> {
  const clock = manualClock(now);
  const runtime = createNodeRuntime({ home, clock });
  const bindingId = runtime.bind({
    ...binding,
    model: createAnthropicModel({ model: 'claude-sonnet-4-5', apiKey: 'sk-e2e', baseUrl: server.url }),
    environment: () => `It is ${new Date(clock.now()).toISOString().slice(0, 10)}.`,
  });
  const session = sessionId ?? (await runtime.createSession({ bindingId })).sessionId;
  const content = [{ type: 'text' as const, text: `What now, ${now}?` }];
  const started = await runtime.startTurn({ sessionId: session, bindingId, content });
  if (started.type !== 'started') throw new Error('the session is busy');
  for await (const batch of runtime.subscribe(session, { signal: new AbortController().signal })) {
    if (batch.some((event) => event.type === 'turn.ended' && event.turnId === started.turnId)) break;
  }
  expect(await runtime.readTurn({ sessionId: session, turnId: started.turnId })).toMatchObject({ type: 'completed' });
  await runtime.close();
  return session;
}

test('issue 2, accept 3: the prefix stays the same over midnight, in another process, with the tools in another order', async () => {
  using place = createPlace();
  await using server = await startModelServer({
    script: [[thinking('hm'), toolCall('look', { n: 1 })], text('seen'), text('the next day')],
  });
  const tools: Tool[] = ['look', 'act', 'wait'].map((name) => recordingTool({ name, effect: 'none' }));
  await using first = await temporaryBinding({ model: createAnthropicModel({ model: 'claude-sonnet-4-5' }), tools });
  const { home } = place;
  const sessionId = await sit({ home, server, binding: first.binding, now: start });
  const turned = { ...first.binding, tools: [...tools].reverse() };
  await sit({ home, server, binding: turned, now: start + day, sessionId });

  const [one, two, three] = server.requests.map(prefixOf);
  for (const later of [two, three]) {
    expect(later?.system).toBe(one?.system);
    expect(later?.tools).toBe(one?.tools);
  }
  expect(two?.messages.slice(0, one?.messages.length)).toEqual(one?.messages);
  expect(three?.messages.slice(0, two?.messages.length)).toEqual(two?.messages);
  expect(one?.messages.join()).toContain('2026-01-31');
  expect(three?.messages.slice(two?.messages.length).join()).toContain('2026-02-01');
});
