import { connect, type TurnInput } from '@rondo/client';
import type { Channel, ContentBlock, Frame, JsonValue, StreamEvent } from '@rondo/protocol';
import { call, pauseUntil, recordingTool, say } from '@rondo/runtime/testing';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, test } from 'vitest';
import { collect, type Stage, stage, start } from './session-stage.ts';
import { wires } from './wires.ts';

const hologram = { type: 'hologram', depth_map: { rows: [1, null], scale: null }, takenAt: 'here' };
const known = [
  { type: 'text', text: 'before' },
  { type: 'image', uri: 'data:image/png;base64,iVBORw0KGgo=' },
] as const;

describe.each(wires)('over $name', (wire) => {
  test('content.annotations.audienceHidesFromModel, content.annotations.audienceMayHideFromUser, content.annotations.audienceDefaultBoth', async () => {
    const content: ContentBlock[] = [
      { type: 'text', text: 'for the person', annotations: { audience: ['user'] } },
      { type: 'text', text: 'for the model', annotations: { audience: ['assistant'], priority: 0.5 } },
      { type: 'text', text: 'for both' },
    ];
    const show = recordingTool({ name: 'Show', effect: 'none', results: [{ content }] });
    await using at = await stage(wire, [call('Show'), say('ok')], {
      tools: [show],
      policy: { allowedTools: ['Show'] },
    });
    const session = await at.client.createSession({ bindingId: at.bindingId });
    const record = await session.run('show');
    if (record.type !== 'completed') throw new Error(`it is ${record.type}`);

    const asked = JSON.stringify(at.model.requests.at(-1));
    expect(asked).toContain('for the model');
    expect(asked).toContain('for both');
    expect(asked).not.toContain('for the person');

    const other = (await at.connectAnother()).session(session.id);
    expect(resultsIn(await collect(other.turn(record.turnId).events()))).toEqual(content);
    const results = (await collect(other.history())).filter((item) => item.type === 'tool_result');
    expect(results).toMatchObject([{ name: 'Show', content }]);
  });

  test('content.unknown.newerType, content.unknown.matchStillWorks: unknown, between known ones in order', async () => {
    await using at = await stage(wire, [say('ok')]);
    const { said } = await readFromNewer(at);
    expect(said.map(({ type }) => type)).toEqual(['text', 'unknown', 'image']);
    expect([said[0], said[2]]).toEqual(known);
  });

  test('content.unknown.originalType, content.unknown.fieldsKept: with all that the host sent', async () => {
    await using at = await stage(wire, [say('ok')]);
    const { said, listed } = await readFromNewer(at);
    const unknown = { type: 'unknown', originalType: 'hologram', raw: hologram };
    expect(said[1]).toStrictEqual(unknown);
    expect(listed).toContainEqual(unknown);
  });

  test.each([
    ['as it came', { type: 'unknown', originalType: 'hologram', raw: hologram }],
    ['of a newer kind', hologram],
  ])('content.unknown.refusedInTurnInput: %s, in whatever way', async (_what, block) => {
    const gate = Promise.withResolvers<void>();
    await using at = await stage(wire, [[pauseUntil(gate.promise), say('ok')]]);
    const session = await at.client.createSession({ bindingId: at.bindingId });
    const content = [{ type: 'text', text: 'refused' }, block] as unknown as TurnInput;
    for (const send of [session.sendMessage, session.startTurn, session.run])
      await expect(send(content)).rejects.toBeInstanceOf(TypeError);
    expect(await session.read()).toMatchObject({ turns: 0, status: 'waiting' });

    const turn = await start(session, 'go');
    await expect(turn.steer(content)).rejects.toBeInstanceOf(TypeError);
    // Nor does a host take it from whoever checks nothing.
    const params = { sessionId: session.id, turnId: turn.id, content: content as never };
    await expect(at.client.request('turn/steer', params)).rejects.toMatchObject({ code: 'protocol.params_invalid' });
    gate.resolve();
    await turn.result();
    expect(JSON.stringify(await collect(turn.events()))).not.toMatch(/refused|hologram/);
    at.model.assertDone();
  });
});

test('content.resourceLink.notIncluded: nobody fetches what is linked', async () => {
  let requests = 0;
  const server = createServer((_request, response) => {
    requests += 1;
    response.end('the content');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const [wire] = wires;
  if (wire === undefined) throw new Error('no wire');
  try {
    await using at = await stage(wire, [say('ok')]);
    const session = await at.client.createSession({ bindingId: at.bindingId });
    const link = {
      type: 'resource_link',
      uri: `http://127.0.0.1:${port}/it`,
      name: 'it',
      mediaType: 'text/plain',
    } as const;
    const record = await session.run([{ type: 'text', text: 'look' }, link]);
    if (record.type !== 'completed') throw new Error(`it is ${record.type}`);
    const said = saidIn(await collect(session.turn(record.turnId).events()));
    expect(said[1]).toEqual(link);
    expect(said[1]).not.toHaveProperty('text');
    expect(said[1]).not.toHaveProperty('blob');
    expect(JSON.stringify(at.model.requests)).toContain(link.uri);
    expect(requests).toBe(0);
  } finally {
    server.close();
  }
});

/** What a client reads of a host that is newer: where a marked text was said, a block of another kind arrives. */
async function readFromNewer(at: Stage) {
  const session = await at.client.createSession({ bindingId: at.bindingId });
  const mark = { type: 'text', text: 'hologram' } as const;
  const record = await session.run([known[0], mark, known[1]]);
  if (record.type === 'busy') throw new Error('busy');
  const newer = connect(withHologram(await at.open()), { place: 'newer' }).session(session.id);
  const said = saidIn(await collect(newer.turn(record.turnId).events()));
  const listed: ContentBlock[] = [];
  for await (const item of newer.history())
    if ('content' in item && Array.isArray(item.content)) listed.push(...(item.content as ContentBlock[]));
  return { said, listed };
}

function withHologram(channel: Channel): Channel {
  async function* frames(): AsyncGenerator<Frame, void, void> {
    for await (const frame of channel.frames) yield replaced(frame as unknown as JsonValue) as unknown as Frame;
  }
  return {
    send: (frame) => channel.send(frame),
    frames: frames(),
    signal: channel.signal,
    closed: channel.closed,
    close: () => channel.close(),
  };
}

function replaced(value: JsonValue): JsonValue {
  if (typeof value !== 'object' || value === null) return value;
  if (isArray(value)) return value.map(replaced);
  if (value['type'] === 'text' && value['text'] === 'hologram') return hologram;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, replaced(member)]));
}

const isArray = (value: JsonValue): value is readonly JsonValue[] => Array.isArray(value);

function saidIn(events: readonly StreamEvent[]): readonly ContentBlock[] {
  return events.flatMap((event) =>
    event.type === 'entry.completed' && event.entry.type === 'message' && event.entry.role === 'user'
      ? event.entry.content
      : [],
  );
}

function resultsIn(events: readonly StreamEvent[]): readonly unknown[] {
  return events.flatMap((event) => (event.type === 'tool.completed' ? event.content : []));
}
