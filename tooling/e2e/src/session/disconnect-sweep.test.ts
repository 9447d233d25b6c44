import { allowApproval, type Client, connect, httpChannel, type Session } from '@rondo/client';
import { webSocketChannel } from '@rondo/client/node';
import { listen } from '@rondo/host/node';
import type { AnyEvent, StreamEvent } from '@rondo/protocol';
import { createMemoryStore, createRuntime } from '@rondo/runtime';
import { call, pauseUntil, say, scriptedModel, sha256, stall, temporaryBinding } from '@rondo/runtime/testing';
import { describe, expect, test } from 'vitest';
import { type Breakable, breakable, type Lost } from './breakable.ts';
import { collect, stage, type Stage, start } from './session-stage.ts';
import { wires } from './wires.ts';

// Every place of a long session is swept by `npm run chaos`, and a sample of it by its own test.

const overWires = wires.filter(({ name }) => !name.startsWith('memory'));
const losses: readonly Lost[] = ['request', 'response'];
const reconnect = { delaysMs: Array.from({ length: 50 }, () => 0) };

/** A client whose channel breaks where the test says. */
async function breakableStage(
  ...given: Parameters<typeof stage>
): Promise<Stage & { client: Client; line: Breakable }> {
  const at = await stage(...given);
  const line = breakable(at.open);
  const client = connect(line.open, { place: 'stage', reconnect });
  return {
    ...at,
    client,
    line,
    async [Symbol.asyncDispose]() {
      client.close();
      await at[Symbol.asyncDispose]();
    },
  };
}

describe.each(overWires)('over $name', (wire) => {
  test.each(losses)('a lost %s of a start or a send is applied once', async (lost) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    await using at = await breakableStage(wire, [[pauseUntil(promise), say('one')], say('two')]);
    const session = await at.client.createSession({ bindingId: at.bindingId });
    at.line.lose(lost, 'turn/start');
    const turn = await start(session, 'start');
    expect(turn.started).toBe(true);
    at.line.lose(lost, 'turn/send');
    const joined = await session.sendMessage('join');
    expect(joined.equals(turn)).toBe(true);
    at.line.lose(lost, 'turn/steer');
    expect(await turn.steer('steer')).toMatchObject({ type: 'turn', id: turn.id });
    resolve();
    expect(await turn.result()).toMatchObject({ type: 'completed' });
    const texts = (await collect(turn.events())).flatMap(userText);
    expect(texts).toEqual(['start', 'join', 'steer']);
    expect(at.line.openings()).toBe(4);
  });

  test.each(losses)('a lost %s of a session’s beginning makes one session', async (lost) => {
    await using at = await breakableStage(wire, []);
    at.line.lose(lost, 'session/create');
    const session = await at.client.createSession({ bindingId: at.bindingId, title: 'First' });
    at.line.lose(lost, 'session/fork');
    const fork = await at.client.forkSession(session.id, { bindingId: at.bindingId });
    const ids = (await collect(at.client.listSessions())).map(({ id }) => id);
    expect(ids.toSorted()).toEqual([session.id, fork.id].toSorted());
    expect(at.line.openings()).toBe(3);
  });

  test.each(losses)('a lost %s of an answer or an interrupt: both say what they did', async (lost) => {
    await using at = await breakableStage(wire, [call('Charge', { amount: 3 }), stall()]);
    const session = await at.client.createSession({ bindingId: at.bindingId });
    const blocked = await session.run('pay');
    if (blocked.type !== 'blocked') throw new Error(`it is ${blocked.type}`);
    const [question] = blocked.callbacks;
    if (question?.type !== 'approval') throw new Error('no approval');
    const turn = session.turn(blocked.turnId);
    at.line.lose(lost, 'callback/answer');
    expect(await turn.answer(question.id, allowApproval())).toEqual({
      type: 'answered',
      sessionId: session.id,
      answer: { type: 'allow', scope: 'once' },
    });
    at.line.lose(lost, 'turn/interrupt');
    expect(await turn.interrupt()).toMatchObject({ type: 'turn', id: turn.id });
    expect(await turn.get()).toMatchObject({ type: 'interrupted', cause: 'interrupted' });
    expect(at.charge.calls).toHaveLength(1);
  });

  test('dropped in the middle of an entry, again and again, deltas alone join to its text', async () => {
    const words = ['alpha', 'beta', 'gamma', 'delta'];
    const gates = Array.from({ length: words.length + 1 }, () => Promise.withResolvers<void>());
    const said = words.map((word, index) => [
      pauseUntil(gates[index]?.promise ?? Promise.reject(new Error('no gate'))),
      say([word.slice(0, 2), word.slice(2)]),
    ]);
    await using at = await breakableStage(wire, [
      [...said.flat(), pauseUntil(gates.at(-1)?.promise ?? Promise.reject(new Error('no gate')))],
    ]);
    const session = await at.client.createSession({ bindingId: at.bindingId });
    const turn = await start(session, 'go');
    const watched = watchInProcess(at, session);
    const shown: string[] = [];
    let completed: unknown;
    for await (const event of turn.events({ deltas: true })) {
      if (event.type === 'model.requested') gates[0]?.resolve();
      if (event.type === 'entry.completed' && event.entry.type === 'assistant') completed = event.entry.content;
      if (event.type !== 'text.delta') continue;
      shown[event.block] = (shown[event.block] ?? '') + event.text;
      if (shown[event.block] !== words[event.block]) continue;
      const next = words[event.block + 1];
      if (next !== undefined) {
        // The model goes on while nobody is connected; the next channel opens when more has been said.
        at.line.holdOpening(watched.has(next.slice(0, 2)));
        at.line.drop();
      }
      gates[event.block + 1]?.resolve();
    }
    expect(shown).toEqual(words);
    expect(completed).toEqual(shown.map((text) => ({ type: 'text', text })));
    expect(at.line.openings()).toBe(words.length);
  });
});

describe.each(['WebSocket', 'HTTP+SSE'])('over %s', (name) => {
  test('a host that closes and comes back is gone on with: waits, iterations and sends', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const model = scriptedModel([[pauseUntil(promise), say('one')], say('two')]);
    await using temporary = await temporaryBinding({ model });
    const runtime = createRuntime({ store: createMemoryStore(), sha256 });
    const bindingId = runtime.bind(temporary.binding);
    let host = await listen(runtime);
    const { port, url } = host;
    const statuses: string[] = [];
    const client = connect(
      ({ signal }) =>
        name === 'WebSocket' ? webSocketChannel(`ws://127.0.0.1:${port}/ws`, { signal }) : httpChannel(url),
      {
        reconnect: { delaysMs: Array.from({ length: 1000 }, () => 2) },
        onConnection: ({ type }) => statuses.push(type),
      },
    );
    const session = await client.createSession({ bindingId });
    const turn = await start(session, 'go');
    const controller = new AbortController();
    const ids: string[] = [];
    const iterating = (async () => {
      for await (const event of session.events({ signal: controller.signal })) ids.push(event.id);
    })();
    const result = turn.result();
    while (ids.length < 3) await new Promise((done) => setImmediate(done));
    await host.close();
    resolve();
    host = await listen(runtime, { port });
    expect(await result).toMatchObject({ type: 'completed', text: 'one' });
    expect(await session.run('again')).toMatchObject({ type: 'completed', text: 'two' });
    const stored: AnyEvent[] = [];
    const { cursor } = await session.read();
    while (ids.at(-1) !== cursor) await new Promise((done) => setImmediate(done));
    controller.abort();
    await expect(iterating).rejects.toMatchObject({ code: 'operation.aborted' });
    for await (const event of turn.events({ after: `${session.id}:0` })) stored.push(event);
    expect(ids).toEqual(Array.from(ids, (_, index) => `${session.id}:${index + 1}`));
    expect(stored.map(({ id }) => id)).toEqual(
      ids.slice(stored[0] === undefined ? 0 : stored[0].seq - 1, stored.at(-1)?.seq),
    );
    expect(statuses.filter((type) => type === 'waiting').length).toBeGreaterThan(0);
    client.close();
    await client.closed;
    expect(statuses.at(-1)).toBe('closed');
    await host.close();
    await runtime.close();
  });
});

function userText(event: AnyEvent): string[] {
  if (event.type !== 'entry.completed' || event.entry.type !== 'message' || event.entry.role !== 'user') return [];
  return event.entry.content.flatMap((block) => (block.type === 'text' ? [block.text] : []));
}

/** Follows the session without a wire. */
function watchInProcess({ runtime }: Stage, session: Session): { has(text: string): Promise<void> } {
  const waiting: { readonly text: string; readonly resolve: () => void }[] = [];
  const seen = new Set<string>();
  const signal = AbortSignal.timeout(60_000);
  void (async () => {
    for await (const batch of runtime.subscribe(session.id, { deltas: true, signal })) {
      for (const event of batch as readonly StreamEvent[]) {
        if (event.type !== 'text.delta') continue;
        seen.add(event.text);
        for (const { text, resolve } of waiting) if (text === event.text) resolve();
      }
    }
  })();
  return {
    has: (text) =>
      new Promise((resolve) => {
        if (seen.has(text)) resolve();
        else waiting.push({ text, resolve });
      }),
  };
}
