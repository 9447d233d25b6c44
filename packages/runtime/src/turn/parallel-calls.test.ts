import type { ToolCallBlock } from '@rondo/protocol';
import { describe, expect, test } from 'vitest';
import { toolAlias } from '../context/tool-alias.ts';
import type { Model, ModelPart } from '../model/model.ts';
import { recordingTool } from '../testing/recording-tool.ts';
import { type ScriptedModel, scriptedModel } from '../testing/scripted-model.ts';
import { call, callMalformed, pauseUntil, say, stopWith } from '../testing/scripted-step.ts';
import { type Scene, sessionScene } from '../testing/session-scene.ts';

/** The results in the last message of a request: the ID of the call, and what it gave. */
function results(model: ScriptedModel, request: number): [string, string][] {
  const message = model.requests[request]?.messages.at(-1);
  if (message?.role !== 'user') return [];
  return message.content.flatMap((block): [string, string][] => {
    if (block.type !== 'tool_result') return [];
    return [[block.toolCallId, block.content.map((part) => (part.type === 'text' ? part.text : part.type)).join('')]];
  });
}

function callsSent(model: ScriptedModel, request: number): [string, string][] {
  return (model.requests[request]?.messages ?? []).flatMap(({ content }) =>
    content.flatMap((block): [string, string][] =>
      block.type === 'tool_call' ? [[block.toolCallId, block.name]] : [],
    ),
  );
}

async function eventsOf(scene: Scene, type: string) {
  return (await scene.events()).filter((event) => event.type === type) as unknown as { callId: string; name: string }[];
}

const echo = (name: string, effect: 'none' | 'once' = 'none') =>
  recordingTool({
    name,
    effect,
    results: Array.from({ length: 20 }, () => (input) => `${name} ${JSON.stringify(input)}`),
  });

/** The model, whose calls of that name come as a provider's adapter mended them. */
function mending(model: Model, name: string): Model {
  async function* stream(...asked: Parameters<Model['stream']>): AsyncGenerator<ModelPart, void> {
    for await (const part of model.stream(...asked)) {
      if (part.type !== 'block-end' || part.block.type !== 'tool_call' || part.block.name !== name) yield part;
      else yield { ...part, block: { ...part.block, repaired: { text: '{"n":1,}', mended: 'a comma too many' } } };
    }
  }
  return { ...model, stream };
}

describe('several calls of one reply', () => {
  test('have one result each, in their order, whatever they are', async () => {
    const model = scriptedModel([
      [
        call('read', { n: 1 }, 'call-1'),
        call('nothing', {}, 'call-2'),
        callMalformed('read', '{"n":', 'call-3'),
        call('mended', { n: 1 }, 'call-4'),
        call('act', { n: 5 }, 'call-5'),
        call('read', { n: 6 }, 'call-6'),
      ],
      say('done'),
    ]);
    const tools = [echo('read'), echo('act', 'once'), echo('mended')];
    const scene = await sessionScene({ model: mending(model, 'mended'), tools });
    expect(await scene.run('go')).toMatchObject({ type: 'completed' });
    expect(results(model, 1)).toEqual([
      ['call-1', 'read {"n":1}'],
      ['call-2', 'No such tool: nothing. The tools are read, act, mended.'],
      ['call-3', expect.stringMatching(/^The call of read was not run.*not JSON.*5 characters.*\{"n":$/)],
      ['call-4', 'mended {"n":1}'],
      ['call-5', 'act {"n":5}'],
      ['call-6', 'read {"n":6}'],
    ]);
    model.assertDone();
  });

  test('of a server that numbers them badly are told apart, and come back to the right one', async () => {
    const twice = [call('read', { n: 1 }, 'call-1'), call('read', { n: 2 }, 'call-1'), call('read', { n: 3 }, '')];
    const model = scriptedModel([twice, twice, call('read', { n: 4 }, ''), say('done')]);
    const scene = await sessionScene({ model, tools: [echo('read')] });
    expect(await scene.run('go')).toMatchObject({ type: 'completed' });
    expect(results(model, 1)).toEqual([
      ['call-1', 'read {"n":1}'],
      ['call-1-2', 'read {"n":2}'],
      ['call', 'read {"n":3}'],
    ]);
    expect(results(model, 2)).toEqual([
      ['call-1-3', 'read {"n":1}'],
      ['call-1-4', 'read {"n":2}'],
      ['call-2', 'read {"n":3}'],
    ]);
    expect(results(model, 3)).toEqual([['call-3', 'read {"n":4}']]);
    expect(new Set((await eventsOf(scene, 'tool.completed')).map(({ callId }) => callId)).size).toBe(7);
    model.assertDone();
  });
});

describe('a reply that was cut off in a call', () => {
  test('by its length never runs it, and says so', async () => {
    const act = echo('act', 'once');
    const model = scriptedModel([
      [call('act', { n: 1 }), callMalformed('act', '{"path":"/tmp/a', 'c2'), stopWith('max_tokens')],
      say('done'),
    ]);
    const scene = await sessionScene({ model, tools: [act] });
    await scene.run('go');
    expect(act.calls.map(({ input }) => input)).toEqual([{ n: 1 }]);
    expect(results(model, 1)[1]?.[1]).toContain('the reply was cut off (max_tokens) before they were whole');
  });

  test('does not run what was mended, nor what had no arguments yet, and runs what was whole', async () => {
    const act = echo('act', 'once');
    const mended = echo('mended', 'once');
    const empty: Model = {
      name: 'empty',
      async *stream() {
        yield { type: 'start' };
        yield { type: 'block-start', index: 0, block: 'tool_call', toolCallId: 'c', name: 'act' };
        const block: ToolCallBlock = { type: 'tool_call', toolCallId: 'c', name: 'act', input: {} };
        yield { type: 'block-end', index: 0, block };
        yield { type: 'end', stopReason: 'max_tokens', usage: { inputTokens: 1, outputTokens: 1 } };
      },
    };
    const cut = scriptedModel([[call('mended', { n: 1 }), stopWith('max_tokens')], say('done')]);
    await (await sessionScene({ model: mending(cut, 'mended'), tools: [mended] })).run('go');
    expect(mended.calls).toEqual([]);
    await (await sessionScene({ model: empty, tools: [act], binding: { limits: { maxTurns: 1 } } })).run('go');
    expect(act.calls).toEqual([]);
    const whole = scriptedModel([[call('act', { n: 1 }), stopWith('max_tokens')], say('done')]);
    await (await sessionScene({ model: whole, tools: [act] })).run('go');
    expect(act.calls).toHaveLength(1);
  });
});

describe('a tool under a name that no provider takes', () => {
  const names = ['files.read', '天気予報', `mcp__server__${'long_'.repeat(20)}tool`, '2fast', toolAlias('files.read')];

  test('is offered, called and answered under its alias, and is itself everywhere else', async () => {
    const tools = names.map((name) => echo(name));
    const gate = Promise.withResolvers<void>();
    const model = scriptedModel([
      [names.map((name) => call(toolAlias(name), { of: name })), pauseUntil(gate.promise)],
      say('done'),
    ]);
    const scene = await sessionScene({ model, tools });
    const turnId = await scene.start('go');
    const delta = await scene.until((event) => event.type === 'tool_input.delta', { deltas: true });
    expect(delta).toMatchObject({ name: names[0] });
    gate.resolve();
    const record = await scene.ended(turnId);
    expect(record).toMatchObject({ type: 'completed', toolCalls: names.map((name) => ({ name })) });
    expect(model.requests[0]?.tools.map(({ name }) => name)).toEqual(names.map(toolAlias).sort());
    expect(results(model, 1).map(([, text]) => text)).toEqual(
      names.map((name) => `${name} ${JSON.stringify({ of: name })}`),
    );
    expect(callsSent(model, 1).map(([, name]) => name)).toEqual(names.map(toolAlias));
    for (const type of ['tool.requested', 'tool.decided', 'tool.completed'])
      expect((await eventsOf(scene, type)).map(({ name }) => name).sort()).toEqual([...names].sort());
    model.assertDone();
  });

  test('keeps its alias when it is gone, when another model called it by its own name, and in another process', async () => {
    const first = scriptedModel([call(toolAlias('files.read')), say('done')], { name: 'test/one' });
    const scene = await sessionScene({ model: first, tools: [echo('files.read')] });
    await scene.run('go');
    const second = scriptedModel([call('files.read'), call(toolAlias('files.read')), say('done')], {
      name: 'test/two',
    });
    const bindingId = scene.runtime.bind({ ...scene.binding, model: second, tools: [] });
    await scene.ended(await scene.start('again', { bindingId }));
    const alias = toolAlias('files.read');
    expect(callsSent(second, 2).map(([, name]) => name)).toEqual([alias, alias, alias]);
    expect((await eventsOf(scene, 'tool.requested')).map(({ name }) => name)).toEqual(Array(3).fill('files.read'));
    expect(results(second, 1)[0]?.[1]).toBe('No such tool: files.read. There are no tools.');
    second.assertDone();
  });

  test('is offered once where two tools have one name, in the same order whatever order they came in', async () => {
    const offered = async (...tools: string[]) => {
      const model = scriptedModel([say('done')]);
      await (await sessionScene({ model, tools: tools.map((name) => echo(name)) })).run('go');
      return model.requests[0]?.tools.map(({ name }) => name);
    };
    const all = await offered('b.b', 'a', 'a', 'c');
    expect(all).toEqual(['a', toolAlias('b.b'), 'c']);
    expect(await offered('c', 'a', 'b.b')).toEqual(all);
  });
});
