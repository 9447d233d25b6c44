import { isRondoError } from '@rondo/protocol';
import { expect, test } from 'vitest';
import type { ModelMessage, ModelPart, ModelRequest } from '../model/model.ts';
import { scriptedModel } from './scripted-model.ts';
import { call, callMalformed, cutAfter, fail, pauseUntil, say, stall, stopWith, think, use } from './scripted-step.ts';

const hello: ModelMessage = { role: 'user', content: [{ type: 'text', text: 'hello' }] };
const ask = (...messages: ModelMessage[]): ModelRequest => ({
  system: '',
  tools: [],
  messages: messages.length === 0 ? [hello] : messages,
});
const never = new AbortController().signal;

async function partsOf(stream: AsyncIterable<ModelPart>): Promise<ModelPart[]> {
  const parts: ModelPart[] = [];
  for await (const part of stream) parts.push(part);
  return parts;
}

test('one reply of several blocks comes as whole, ordered parts', async () => {
  const model = scriptedModel([
    [think('hm', 'sig'), say(['a', 'b']), call('Read', { path: 'x' }), call('Read', {}, 'mine')],
  ]);
  const parts = await partsOf(model.stream(ask(), { signal: never }));
  expect(parts.map((part) => part.type)).toEqual([
    'start',
    'block-start',
    'delta',
    'block-end',
    'block-start',
    'delta',
    'delta',
    'block-end',
    'block-start',
    'delta',
    'block-end',
    'block-start',
    'delta',
    'block-end',
    'end',
  ]);
  expect(parts.filter((part) => part.type === 'block-end').map((part) => part.block)).toEqual([
    { type: 'reasoning', text: 'hm', signature: 'sig' },
    { type: 'text', text: 'ab' },
    { type: 'tool_call', toolCallId: 'call-1', name: 'Read', input: { path: 'x' } },
    { type: 'tool_call', toolCallId: 'mine', name: 'Read', input: {} },
  ]);
  expect(parts.at(-1)).toEqual({ type: 'end', stopReason: 'tool_use', usage: { inputTokens: 10, outputTokens: 5 } });
  model.assertDone();
});

test('a step may be a function of the request, and set usage and stop reason', async () => {
  const model = scriptedModel([
    (request) => say(`${request.messages.length} messages`),
    [say('x'), stopWith('max_tokens'), use({ inputTokens: 1, outputTokens: 2 })],
    callMalformed('Read', '{"a":'),
  ]);
  expect((await partsOf(model.stream(ask(), { signal: never })))[2]).toMatchObject({ text: '1 messages' });
  expect((await partsOf(model.stream(ask(), { signal: never }))).at(-1)).toEqual({
    type: 'end',
    stopReason: 'max_tokens',
    usage: { inputTokens: 1, outputTokens: 2 },
  });
  expect((await partsOf(model.stream(ask(), { signal: never })))[3]).toMatchObject({
    block: { input: {}, malformed: { text: '{"a":' } },
  });
  expect(model.requests).toHaveLength(3);
});

test('failures: at once, in the middle, and a broken stream after n parts', async () => {
  const model = scriptedModel([
    fail('model.overloaded', { status: 529 }),
    [say('a'), fail('model.server_error')],
    cutAfter(2, say('abc')),
  ]);
  const outcome = async () => {
    const parts: string[] = [];
    try {
      for await (const part of model.stream(ask(), { signal: never })) parts.push(part.type);
    } catch (error) {
      if (isRondoError(error)) parts.push(error.code);
    }
    return parts;
  };
  expect(await outcome()).toEqual(['model.overloaded']);
  expect(await outcome()).toEqual(['start', 'block-start', 'delta', 'block-end', 'model.server_error']);
  expect(await outcome()).toEqual(['start', 'block-start', 'model.stream_broken']);
});

test('stall ends by abort alone, pauseUntil by its promise', async () => {
  const model = scriptedModel([
    [say('a'), stall()],
    [pauseUntil(Promise.resolve()), say('b')],
  ]);
  const controller = new AbortController();
  const stream = model.stream(ask(), { signal: controller.signal })[Symbol.asyncIterator]();
  for (let count = 0; count < 4; count += 1) expect((await stream.next()).done).toBe(false);
  const stalled = stream.next();
  controller.abort();
  await expect(stalled).rejects.toMatchObject({ code: 'operation.aborted' });
  expect(await partsOf(model.stream(ask(), { signal: never }))).toHaveLength(5);
});

test('missing and unused steps fail, also when the engine swallows the error', () => {
  const empty = scriptedModel([]);
  expect(() => empty.stream(ask(), { signal: never })).toThrow(/has no step: the script has 0/);
  expect(() => empty.assertDone()).toThrow(/has no step/);
  expect(() => scriptedModel([say('x')]).assertDone()).toThrow(/1 steps of scripted\/model were not used/);
});

test('a request that a provider would refuse is refused, with everything that is wrong', () => {
  const model = scriptedModel([say('x')]);
  const broken = ask(
    hello,
    {
      role: 'assistant',
      model: 'scripted/model',
      content: [{ type: 'tool_call', toolCallId: 'a', name: 'Read', input: {} }],
    },
    {
      role: 'user',
      content: [
        { type: 'text', text: 'and?' },
        { type: 'tool_result', toolCallId: 'b', isError: false, content: [] },
      ],
    },
  );
  expect(() => model.stream(broken, { signal: never })).toThrow(
    /result of b comes after other content[^]*result of b is empty[^]*expected the results of \[a\] in this order, found \[b\]/,
  );
  expect(() => model.assertDone()).toThrow(/breaks invariants/);
});

test('who changes a request afterwards throws where it happens', () => {
  const model = scriptedModel([say('x')]);
  const request = ask({ role: 'user', content: [{ type: 'text', text: 'mine' }] });
  model.stream(request, { signal: never });
  expect(() => (request.messages as ModelMessage[]).push(hello)).toThrow(TypeError);
  expect(() => Object.assign(request.messages[0]?.content[0] ?? {}, { text: 'changed' })).toThrow(TypeError);
});
