import type { ContentBlock, ModelBlock } from '@rondo/protocol';
import { imageBlockFromBytes } from '@rondo/protocol/values';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ConversationItem } from '../event/conversation.ts';
import type { ModelInput } from '../model/model.ts';
import {
  callBlock,
  messageItem as message,
  replyItem as reply,
  resultItem as result,
  textBlock as text,
} from '../testing/conversation.ts';
import { freezeDeep } from '../testing/freeze-deep.ts';
import { pictureBytes } from '../testing/picture.ts';
import { checkConversation, describeProblems } from './check-conversation.ts';
import { type ContextBuilderOptions, createContextBuilder } from './context-builder.ts';
import { toolAlias } from './tool-alias.ts';

const model = 'test/one';
const png = pictureBytes();
const noBlobs = { readBlob: () => Promise.reject(new Error('there is no blob')) };

interface BuildOptions extends Partial<ContextBuilderOptions> {
  readonly input?: ModelInput;
}

async function build(items: readonly ConversationItem[], { input, ...options }: BuildOptions = {}) {
  const asked = { model, ...(input && { input }) };
  const built = await createContextBuilder({ ...noBlobs, ...options }).build(freezeDeep([...items]), asked);
  expect(describeProblems(checkConversation(built.messages, asked))).toBe('');
  return built;
}

describe('pairing', () => {
  test('results come first and in call order, whatever order they finished in; what was said follows', async () => {
    const { messages, notices } = await build([
      message('m1', text('go')),
      message('m2', text('on')),
      reply('a1', [text('reading'), callBlock('c1'), callBlock('c2')]),
      message('m3', text('steer')),
      result('a1', 2, 'c2', [text('two')]),
      result('a1', 1, 'c1', [text('one')], true),
    ]);
    expect(messages).toEqual([
      { role: 'user', content: [text('go'), text('on')] },
      { role: 'assistant', model, content: [text('reading'), callBlock('c1'), callBlock('c2')] },
      {
        role: 'user',
        content: [
          { type: 'tool_result', toolCallId: 'c1', isError: true, content: [text('one')] },
          { type: 'tool_result', toolCallId: 'c2', isError: false, content: [text('two')] },
          text('steer'),
        ],
      },
    ]);
    expect(notices).toEqual([]);
  });

  test('a call without a result gets one that says so, and a result that comes after the next reply is too late', async () => {
    const items = [
      message('m', text('go')),
      reply('a1', [callBlock('c1')]),
      reply('a2', [text('hm')]),
      result('a1', 0, 'c1', [text('late')]),
    ];
    const { messages } = await build(items);
    expect(messages[2]?.content).toMatchObject([{ type: 'tool_result', toolCallId: 'c1', isError: true }]);
    expect(JSON.stringify(messages)).not.toContain('late');
    expect(messages.at(-1)).toEqual({ role: 'user', content: [text('Continue.')] });
  });

  test('IDs that repeat or cannot be sent are renamed in both places, the same way every time', async () => {
    const items = [
      message('m', text('go')),
      reply('a1', [callBlock('call-1'), callBlock('call-1'), callBlock('a b/ü')]),
      result('a1', 1, 'call-1', [text('second')]),
      result('a1', 0, 'call-1', [text('first')]),
      result('a1', 2, 'a b/ü', [text('third')]),
      reply('a2', [callBlock('call-1-2'), callBlock('x'.repeat(80), 'bad name!')]),
    ];
    const { messages } = await build(items);
    const ids = messages.flatMap(({ content }) =>
      content.flatMap((block) =>
        block.type === 'tool_call' || block.type === 'tool_result' ? [block.toolCallId] : [],
      ),
    );
    const renamed = ['call-1', 'call-1-2', 'a_b__', 'call-1-2-2', 'x'.repeat(64)];
    expect(ids).toEqual([...renamed.slice(0, 3), ...renamed.slice(0, 3), ...renamed.slice(3), ...renamed.slice(3)]);
    expect(messages[2]?.content).toMatchObject([
      { content: [text('first')] },
      { content: [text('second')] },
      { content: [text('third')] },
    ]);
    expect(messages[3]?.content[1]).toMatchObject({ name: toolAlias('bad name!') });
  });
});

describe('replies', () => {
  test('reasoning goes back to its own model, signed, unchanged, and never last', async () => {
    const signed: ModelBlock = { type: 'reasoning', text: 'hm', signature: 's' };
    const redacted: ModelBlock = { type: 'reasoning', text: '', redacted: 'r' };
    const { messages } = await build([
      message('m', text('go')),
      reply('a1', [signed, redacted, { type: 'reasoning', text: 'unsigned' }, text('a'), signed]),
      message('m2', text('go')),
      reply('a2', [signed, text('b')], { model: 'test/other' }),
      message('m3', text('go')),
      reply('a3', [signed], { aborted: true }),
      reply('a4', [], { aborted: true }),
    ]);
    expect(messages[1]?.content).toEqual([signed, redacted, text('a')]);
    expect(messages[1]?.content[0]).toBe(signed);
    expect(messages[3]?.content).toEqual([text('b')]);
    expect(messages).toHaveLength(5);
  });

  test('a malformed call keeps an empty input, half an emoji does not break the body, opaque blocks stay with their provider', async () => {
    const opaque: ModelBlock = { type: 'opaque', provider: 'test', raw: { a: 1 } };
    const { messages, notices } = await build([
      message('m', text('cut \ud83d')),
      reply(
        'a',
        [
          opaque,
          { type: 'opaque', provider: 'foreign', raw: 1 },
          callBlock('c', 'Read', ['not', 'an', 'object']),
          callBlock('d', 'Read', { 'k\ud83d': ['\ude00'] }),
        ],
        { model: 'test/two' },
      ),
    ]);
    expect(messages[0]?.content).toEqual([text('cut \ufffd')]);
    expect(messages[1]?.content).toEqual([opaque, callBlock('c'), callBlock('d', 'Read', { 'k\ufffd': ['\ufffd'] })]);
    expect(notices).toEqual([]);
  });
});

describe('a reply that its provider paused', () => {
  const search: ModelBlock = { type: 'opaque', provider: 'test', raw: { id: 's1' } };
  const paused = reply('a1', [text('I look.'), search], { stopReason: 'pause_turn' });

  test('goes back as it is, and nobody says anything for it', async () => {
    const { messages } = await build([message('m', text('go')), paused]);
    expect(messages).toEqual([
      { role: 'user', content: [text('go')] },
      { role: 'assistant', model, content: [text('I look.'), search], paused: true },
    ]);
  });

  test('is one with what goes on with it', async () => {
    const items = [message('m', text('go')), paused, reply('a2', [text('More.')], { stopReason: 'pause_turn' })];
    const whole = [text('I look.'), search, text('More.')];
    expect((await build(items)).messages[1]).toEqual({ role: 'assistant', model, content: whole, paused: true });
    items.push(reply('a3', [text('Found.'), callBlock('c1')]), result('a3', 1, 'c1', [text('one')]));
    expect((await build(items)).messages).toMatchObject([
      { role: 'user' },
      { role: 'assistant', content: [...whole, text('Found.'), callBlock('c1')] },
      { role: 'user', content: [{ type: 'tool_result', toolCallId: 'c1' }] },
    ]);
    expect((await build(items)).messages[1]).not.toHaveProperty('paused');
  });

  test('is answered like any other by what is said meanwhile, and by another model', async () => {
    const { messages } = await build([message('m', text('go')), paused, message('m2', text('stop'))]);
    expect(messages.at(-1)).toEqual({ role: 'user', content: [text('stop')] });
    const foreign = reply('a1', [text('I look.')], { stopReason: 'pause_turn', model: 'test/two' });
    expect((await build([message('m', text('go')), foreign])).messages.at(-1)).toEqual({
      role: 'user',
      content: [text('Continue.')],
    });
    const taken = [message('m', text('go')), paused, reply('a2', [text('Mine.')], { model: 'test/two' })];
    expect((await build(taken)).messages.map(({ role }) => role)).toEqual([
      'user',
      'assistant',
      'user',
      'assistant',
      'user',
    ]);
  });
});

describe('content', () => {
  test('blocks for others and empty texts are left out, and an empty result says so', async () => {
    const { messages } = await build([
      message('m', text('go'), text(' \n'), { ...text('secret'), annotations: { audience: ['user'] } }),
      reply('a', [callBlock('c'), callBlock('d')]),
      result('a', 0, 'c', [{ ...text('for the user'), annotations: { audience: ['user'] } }]),
      result('a', 1, 'd', [{ ...text('both'), annotations: { audience: ['user', 'assistant'] } }]),
    ]);
    expect(messages[0]?.content).toEqual([text('go')]);
    expect(messages[2]?.content).toMatchObject([{ content: [text('(no output)')] }, { content: [{ text: 'both' }] }]);
  });

  test('an image is sent as what its bytes are; what is none is replaced and reported, once', async () => {
    const image = imageBlockFromBytes(png);
    const items = [
      message(
        'm',
        image,
        { ...image, mediaType: 'image/jpeg', uri: image.uri.replace('png', 'jpeg') },
        { type: 'image', uri: 'https://example.com/x.png', altText: 'a cat' },
        { type: 'image', uri: `data:image/png;base64,${btoa('no image at all')}` },
        { type: 'image', uri: 'data:image/png;base64,!!!!' },
        { type: 'unknown', originalType: 'video', raw: {} },
      ),
    ];
    const { messages, notices } = await build(items);
    expect(messages[0]?.content.slice(0, 2)).toEqual([image, image]);
    expect(messages[0]?.content[0]).toBe(image);
    expect(messages[0]?.content.slice(2)).toEqual([
      text('[image left out: it is not inline base64 data; described as: a cat; at https://example.com/x.png]'),
      text('[image (image/png, 15 bytes) left out: its data is no PNG, JPEG, GIF or WebP]'),
      text('[image (image/png, 3 bytes) left out: its data is not base64]'),
      text('[video left out: this version does not know its kind]'),
    ]);
    expect(notices.map(({ entryId, block }) => [entryId, block])).toEqual([
      ['m', 2],
      ['m', 3],
      ['m', 4],
      ['m', 5],
    ]);
    const builder = createContextBuilder(noBlobs);
    await builder.build(items, { model });
    expect((await builder.build(items, { model })).notices).toEqual([]);
  });

  test('what was spilled comes back whole; what cannot be read is a reference with its beginning', async () => {
    const bytes = (value: string) => new TextEncoder().encode(value);
    const blobs: Record<string, Uint8Array> = {
      'sha256-t': bytes('the whole text'),
      'sha256-i': png,
      'sha256-c': bytes('{"path":"x"}'),
    };
    const spilled = (hash: string) => ({ spilled: { hash, bytes: 10 } });
    const { messages, notices } = await build(
      [
        message(
          'm',
          { type: 'text', text: 'the wh', ...spilled('sha256-t') },
          { type: 'image', uri: 'blob:', mediaType: 'image/png', ...spilled('sha256-i') },
        ),
        reply('a', [
          { type: 'text', text: 'the wh', ...spilled('sha256-t') },
          { ...callBlock('c'), ...spilled('sha256-c') } as ModelBlock,
        ]),
        result('a', 1, 'c', [{ type: 'text', text: 'begin', ...spilled('sha256-gone') }]),
      ],
      { readBlob: (hash) => (blobs[hash] ? Promise.resolve(blobs[hash]) : Promise.reject(new Error('gone'))) },
    );
    expect(messages[0]?.content).toEqual([text('the whole text'), imageBlockFromBytes(png)]);
    expect(messages[1]?.content).toEqual([text('the whole text'), callBlock('c', 'Read', { path: 'x' })]);
    expect(messages[2]?.content).toMatchObject([
      { content: [text('[text (10 bytes) left out: its stored content could not be read: gone; it begins: begin]')] },
    ]);
    expect(notices).toEqual([
      {
        entryId: 'a',
        callId: 'a#1',
        block: 0,
        what: 'text (10 bytes)',
        reason: 'its stored content could not be read: gone',
      },
    ]);
  });

  test('when the request grows over its limits the oldest go, some at once, and a builder that starts later sends the same', async () => {
    const input = { maxImages: 5 };
    const items: ConversationItem[] = [message('m', text('go'))];
    const builder = createContextBuilder(noBlobs);
    const live: unknown[] = [];
    for (let index = 0; index < 9; index += 1) {
      items.push(
        reply(`a${index}`, [callBlock(`c${index}`)]),
        result(`a${index}`, 0, `c${index}`, [imageBlockFromBytes(png)]),
      );
      const { messages } = await builder.build(items, { model, input });
      expect(describeProblems(checkConversation(messages, { model, input }))).toBe('');
      live.push(messages);
    }
    const kept = JSON.stringify(live.at(-1)).match(/data:image/g)?.length;
    expect(kept).toBe(5);
    expect((await build(items, { input })).messages).toEqual(live.at(-1));
  });

  test('a session that sends gigabytes of text is not bricked', async () => {
    const input = { maxRequestCharacters: 100_000 };
    const large = text('x'.repeat(30_000));
    const { messages } = await build([message('m', ...Array.from({ length: 9 }, () => ({ ...large })))], { input });
    expect(JSON.stringify(messages).length).toBeLessThan(100_000);
    expect(messages[0]?.content.at(-1)).toEqual(large);
  });
});

const anyText = fc.oneof(fc.constantFrom('', ' ', 'hi', 'x\ud800', '\0'), fc.string({ unit: 'binary', maxLength: 8 }));
const anyId = fc.oneof(fc.constantFrom('call-1', 'call-1-2', '', 'ü b', 'x'.repeat(70)), anyText);
const anyBlock: fc.Arbitrary<ContentBlock> = fc.oneof(
  fc.record({ type: fc.constant('text' as const), text: anyText }),
  fc.constant(imageBlockFromBytes(png)),
  fc.record({ type: fc.constant('image' as const), uri: anyText }),
  fc.record({
    type: fc.constant('image' as const),
    uri: fc.base64String({ maxLength: 40 }).map((data) => `data:image/png;base64,${data}`),
  }),
  fc.record({ type: fc.constant('audio' as const), uri: anyText }),
  fc.record({ type: fc.constant('resource_link' as const), uri: anyText }),
  fc.record({
    type: fc.constant('text' as const),
    text: anyText,
    spilled: fc.constant({ hash: 'sha256-x', bytes: 3 }),
  }),
  fc.record({
    type: fc.constant('text' as const),
    text: anyText,
    annotations: fc.record({ audience: fc.subarray(['user', 'assistant']) }),
  }),
  fc.record({ type: fc.constant('embedded_resource' as const), uri: anyText }),
  fc.record({ type: fc.constant('unknown' as const), originalType: anyText, raw: fc.constant({}) }),
);
const anyModelBlock: fc.Arbitrary<ModelBlock> = fc.oneof(
  anyBlock.filter((block) => block.type === 'text' || block.type === 'image' || block.type === 'unknown'),
  fc.record({ type: fc.constant('reasoning' as const), text: anyText, signature: fc.constantFrom('', 's') }),
  fc.record({ type: fc.constant('reasoning' as const), text: anyText }),
  fc.record({
    type: fc.constant('opaque' as const),
    provider: fc.constantFrom('test', 'foreign'),
    raw: fc.constant(1),
  }),
  fc.record({
    type: fc.constant('tool_call' as const),
    toolCallId: anyId,
    name: anyText,
    input: fc.jsonValue({ maxDepth: 2 }) as fc.Arbitrary<object>,
  }) as fc.Arbitrary<ModelBlock>,
);
const entryId = fc.constantFrom('a1', 'a2', 'a3');
const anyItem: fc.Arbitrary<ConversationItem> = fc.oneof(
  fc.array(anyBlock, { maxLength: 4 }).map((content) => message('m', ...content)),
  fc
    .tuple(
      entryId,
      fc.array(anyModelBlock, { maxLength: 5 }),
      fc.constantFrom(model, 'test/other', 'foreign/x'),
      fc.boolean(),
      fc.constantFrom('end_turn', 'pause_turn'),
    )
    .map(([id, content, by, aborted, stopReason]) => reply(id, content, { model: by, aborted, stopReason })),
  fc
    .tuple(entryId, fc.nat(4), anyId, fc.array(anyBlock, { maxLength: 3 }), fc.boolean())
    .map(([id, block, callId, content, isError]) => result(id, block, callId, content, isError)),
);

test('whatever a conversation holds, the messages pass the checker, and a later builder makes the same', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(anyItem, { maxLength: 14 }), async (items) => {
      const { messages } = await build(items);
      expect(await build(items).then((again) => again.messages)).toEqual(messages);
    }),
    { numRuns: 300 },
  );
});

test('building after appending keeps every message object but the last user one', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(anyItem, { maxLength: 14 }), fc.nat(14), async (items, cut) => {
      const builder = createContextBuilder(noBlobs);
      const conversation = items.slice(0, cut);
      const before = (await builder.build(conversation, { model })).messages;
      expect((await builder.build(conversation, { model })).messages).toEqual(before);
      conversation.push(...items.slice(cut));
      const after = (await builder.build(conversation, { model })).messages;
      const stable = before.slice(0, -1);
      expect(stable.every((each, index) => each === after[index])).toBe(true);
      expect(after).toEqual((await build(items)).messages);
    }),
    { numRuns: 200 },
  );
});

test('an entry that is discarded afterwards is gone, and another model gets no foreign reasoning', async () => {
  const builder = createContextBuilder(noBlobs);
  const items = [
    message('m', text('go')),
    reply('a', [{ type: 'reasoning', text: 'r', signature: 's' }, text('x')]),
    message('m2', text('on')),
  ];
  expect((await builder.build(items, { model })).messages).toHaveLength(3);
  const other = await builder.build(items, { model: 'test/other' });
  expect(other.messages[1]?.content).toEqual([text('x')]);
  items.splice(1, 1);
  expect((await builder.build(items, { model: 'test/other' })).messages).toEqual([
    { role: 'user', content: [text('go'), text('on')] },
  ]);
});

test('the checker sees each broken invariant', () => {
  const problems = (messages: Parameters<typeof checkConversation>[0]) =>
    checkConversation(messages, { model }).map(({ problem }) => problem);
  expect(problems([])).toEqual(['the conversation is empty']);
  expect(problems([{ role: 'assistant', model, content: [text('a')] }])).toEqual([
    'role is assistant, expected user',
    'the last message is not from the user',
  ]);
  expect(
    problems([
      { role: 'user', content: [] },
      { role: 'assistant', model: 'test/other', content: [text(' '), { type: 'reasoning', text: '' }] },
      { role: 'user', content: [{ type: 'image', uri: 'blob:x' }] },
    ]),
  ).toEqual([
    'has no content',
    'text is empty',
    'reasoning is not signed',
    'reasoning of test/other goes to test/one',
    'ends with reasoning',
    'image is not inline base64 data',
  ]);
});
