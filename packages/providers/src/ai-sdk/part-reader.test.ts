import type { LanguageModelV4StreamPart } from '@ai-sdk/provider';
import { RondoError } from '@rondo/protocol/values';
import type { ModelPart } from '@rondo/runtime';
import { describe, expect, test } from 'vitest';
import type { AiSdkPart } from './language-model.ts';
import { createPartReader, type PartReaderOptions } from './part-reader.ts';

function read(parts: readonly AiSdkPart[], options: Partial<PartReaderOptions> = {}): readonly ModelPart[] {
  const emitted: ModelPart[] = [];
  const reader = createPartReader({
    emit: (part) => emitted.push(part),
    provider: 'acme',
    broken: (reason) => new RondoError('model.stream_broken', reason),
    failed: (error) => new RondoError('model.server_error', String(error)),
    ...options,
  });
  for (const part of parts) reader.read(part);
  expect(reader.ended()).toBe(parts.some(({ type }) => type === 'finish'));
  return emitted;
}

/** Blocks must not interleave, and each begins and ends once under its number. */
function blocksOf(parts: readonly ModelPart[]) {
  let open: number | undefined;
  const blocks = [];
  for (const part of parts) {
    if (part.type === 'start' || part.type === 'end') continue;
    if (part.type === 'block-start') expect(open).toBeUndefined();
    else expect(part.index).toBe(open);
    open = part.type === 'block-end' ? undefined : part.index;
    if (part.type === 'block-end') {
      expect(part.index).toBe(blocks.length);
      blocks.push(part.block);
    }
  }
  expect(open).toBeUndefined();
  return blocks;
}

const usage = {
  inputTokens: { total: 30, noCache: 18, cacheRead: 10, cacheWrite: 2 },
  outputTokens: { total: 7, text: 4, reasoning: 3 },
};
const finish = { type: 'finish', finishReason: { unified: 'stop', raw: 'done' }, usage } as const;
const started: AiSdkPart = { type: 'stream-start', warnings: [] };
const said = (id: string, ...deltas: readonly string[]): LanguageModelV4StreamPart[] => [
  { type: 'text-start', id },
  ...deltas.map((delta) => ({ type: 'text-delta', id, delta }) as const),
  { type: 'text-end', id },
];

describe('parts become blocks', () => {
  test('a text that goes on behind what its provider ran keeps the places of its pieces', () => {
    const parts = read([
      started,
      { type: 'text-start', id: '0' },
      { type: 'text-delta', id: '0', delta: 'Before.' },
      { type: 'tool-call', toolCallId: 'c1', toolName: 'look', input: '{}', providerExecuted: true },
      { type: 'text-delta', id: '0', delta: 'Aft' },
      { type: 'text-delta', id: '0', delta: 'er.' },
      { type: 'text-end', id: '0', providerMetadata: { acme: { signature: 'abc=' } } },
      finish,
    ]);
    expect(blocksOf(parts)).toEqual([
      { type: 'text', text: 'Before.' },
      { type: 'opaque', provider: 'acme', raw: expect.objectContaining({ toolName: 'look' }) },
      { type: 'text', text: 'After.', providerData: { acme: { signature: 'abc=' } } },
    ]);
  });

  test('a whole reply, with its usage and its words for the end', () => {
    const parts = read([
      started,
      { type: 'response-metadata', id: 'resp-1', modelId: 'm-2', timestamp: new Date(0) },
      { type: 'reasoning-start', id: 'r' },
      { type: 'reasoning-delta', id: 'r', delta: 'Hm.' },
      { type: 'reasoning-end', id: 'r', providerMetadata: { acme: { signature: 'abc=' } } },
      ...said('0', 'Hello ', 'you'),
      { type: 'tool-input-start', id: 'c1', toolName: 'Read' },
      { type: 'tool-input-delta', id: 'c1', delta: '{"path":' },
      { type: 'tool-input-delta', id: 'c1', delta: '"a"}' },
      { type: 'tool-input-end', id: 'c1' },
      { type: 'tool-call', toolCallId: 'c1', toolName: 'Read', input: '{"path":"a"}' },
      { ...finish, finishReason: { unified: 'tool-calls', raw: 'tool_calls' } },
    ]);
    expect(parts[0]).toEqual({ type: 'start', providerMessageId: 'resp-1', model: 'm-2' });
    expect(blocksOf(parts)).toEqual([
      { type: 'reasoning', text: 'Hm.', providerData: { acme: { signature: 'abc=' } } },
      { type: 'text', text: 'Hello you' },
      { type: 'tool_call', toolCallId: 'c1', name: 'Read', input: { path: 'a' } },
    ]);
    expect(parts.at(-1)).toEqual({
      type: 'end',
      stopReason: 'tool_use',
      usage: { inputTokens: 18, outputTokens: 7, cacheReadInputTokens: 10, cacheCreationInputTokens: 2, model: 'm-2' },
    });
  });

  test('what comes of several at once is put one behind the other, in the order in which they began', () => {
    const parts = read([
      started,
      { type: 'text-start', id: '1' },
      { type: 'text-delta', id: '1', delta: 'one' },
      { type: 'tool-input-start', id: 'c', toolName: 'Read' },
      { type: 'tool-input-delta', id: 'c', delta: '{}' },
      { type: 'reasoning-start', id: '1' },
      { type: 'reasoning-delta', id: '1', delta: 'aside' },
      { type: 'text-delta', id: '1', delta: ' two' },
      { type: 'reasoning-end', id: '1' },
      { type: 'tool-call', toolCallId: 'c', toolName: 'Read', input: '{}' },
      { type: 'text-end', id: '1' },
      finish,
    ]);
    expect(blocksOf(parts).map(({ type }) => type)).toEqual(['text', 'tool_call', 'reasoning']);
    expect(parts.filter(({ type }) => type === 'delta')).toEqual([
      { type: 'delta', index: 0, text: 'one' },
      { type: 'delta', index: 0, text: ' two' },
      { type: 'delta', index: 1, text: '{}' },
      { type: 'delta', index: 2, text: 'aside' },
    ]);
  });

  test('the latest data of a block stands for it, byte for byte; reasoning without any goes back all the same', () => {
    const data = { acme: { z: 1, a: 'Zg==', list: [null, { b: false }] } };
    const blocks = blocksOf(
      read([
        { type: 'text-start', id: '0', providerMetadata: { acme: { early: true } } },
        { type: 'text-delta', id: '0', delta: 'a', providerMetadata: data },
        { type: 'text-delta', id: '0', delta: 'b' },
        { type: 'text-end', id: '0' },
        { type: 'reasoning-start', id: '1' },
        { type: 'reasoning-delta', id: '1', delta: 'plain' },
        { type: 'reasoning-end', id: '1' },
        { type: 'tool-call', toolCallId: 'c', toolName: 'Read', input: '{}', providerMetadata: data },
        finish,
      ]),
    );
    const [text, reasoning, call] = blocks.map((block) =>
      JSON.stringify('providerData' in block && block.providerData),
    );
    expect([text, reasoning, call]).toEqual([JSON.stringify(data), '{}', JSON.stringify(data)]);
  });

  test('a text without words is no block, unless it carries data: that goes back as it came', () => {
    const providerMetadata = { acme: { thoughtSignature: 'c2ln' } };
    expect(
      blocksOf(
        read([
          ...said('0', '', ''),
          { type: 'reasoning-start', id: '1' },
          { type: 'reasoning-end', id: '1' },
          { type: 'text-start', id: '2', providerMetadata },
          { type: 'text-delta', id: '2', delta: '', providerMetadata },
          { type: 'text-end', id: '2' },
          finish,
        ]),
      ),
    ).toEqual([{ type: 'opaque', provider: 'acme', raw: { type: 'text', text: '', providerMetadata } }]);
  });

  test('half a character waits for its other half', () => {
    const [high = '', low = ''] = '😀'.split('');
    const parts = read([...said('0', `a${high}`, `${low}b`), finish]);
    expect(parts.flatMap((part) => (part.type === 'delta' ? [part.text] : []))).toEqual(['a', '😀b']);
    expect(blocksOf(parts)).toMatchObject([{ text: 'a😀b' }]);
  });

  test('a call that only comes whole is shown whole; one without arguments has none', () => {
    const parts = read([
      { type: 'tool-call', toolCallId: 'c1', toolName: 'Read', input: '{"path":"a"}' },
      { type: 'tool-call', toolCallId: 'c2', toolName: 'List', input: '' },
      finish,
    ]);
    expect(parts).toContainEqual({ type: 'delta', index: 0, text: '{"path":"a"}' });
    expect(blocksOf(parts)).toMatchObject([{ input: { path: 'a' } }, { input: {} }]);
    expect(parts.at(-1)).toMatchObject({ stopReason: 'tool_use' });
  });

  test('arguments that are no JSON, and a call that never came to its end, are malformed', () => {
    const blocks = blocksOf(
      read([
        { type: 'tool-call', toolCallId: 'c1', toolName: 'Read', input: '{"path": "a' },
        { type: 'tool-input-start', id: 'c2', toolName: 'Read' },
        { type: 'tool-input-delta', id: 'c2', delta: '{"pa' },
        { ...finish, finishReason: { unified: 'length', raw: 'length' } },
      ]),
    );
    expect(blocks).toMatchObject([
      { input: {}, malformed: { text: '{"path": "a' } },
      { toolCallId: 'c2', input: {}, malformed: { text: '{"pa' } },
    ]);
  });
});

describe('what only the provider understands', () => {
  test('its own tools, files and parts of tomorrow are kept whole, and are no calls of ours', () => {
    const bytes = new Uint8Array([104, 105]);
    const parts = read([
      { type: 'tool-input-start', id: 's1', toolName: 'web_search', providerExecuted: true },
      { type: 'tool-input-delta', id: 's1', delta: '{"q"' },
      { type: 'tool-call', toolCallId: 's1', toolName: 'web_search', input: '{"q":1}', providerExecuted: true },
      { type: 'tool-result', toolCallId: 's1', toolName: 'web_search', result: { found: 2 } },
      { type: 'file', mediaType: 'image/png', data: { type: 'data', data: bytes } },
      { type: 'part-of-tomorrow', more: [1] } as unknown as AiSdkPart,
      finish,
    ]);
    expect(blocksOf(parts)).toEqual([
      expect.objectContaining({
        type: 'opaque',
        raw: expect.objectContaining({ type: 'tool-call', providerExecuted: true }),
      }),
      expect.objectContaining({ raw: expect.objectContaining({ type: 'tool-result', result: { found: 2 } }) }),
      expect.objectContaining({ raw: { type: 'file', mediaType: 'image/png', data: { type: 'data', data: 'aGk=' } } }),
      expect.objectContaining({ raw: { type: 'part-of-tomorrow', more: [1] } }),
    ]);
    expect(parts.at(-1)).toMatchObject({ stopReason: 'end_turn' });
  });

  test('a call that turns out to run on the provider’s side is none of ours', () => {
    const parts = read([
      { type: 'tool-input-start', id: 's1', toolName: 'search' },
      { type: 'tool-input-delta', id: 's1', delta: '{}' },
      { type: 'tool-call', toolCallId: 's1', toolName: 'search', input: '{}', providerExecuted: true },
      finish,
    ]);
    expect(blocksOf(parts)).toMatchObject([{ type: 'opaque' }]);
    expect(parts.at(-1)).toMatchObject({ stopReason: 'end_turn' });
  });

  test('sources stand with the text that they are of, or by themselves', () => {
    const source = (id: string) => ({ type: 'source', sourceType: 'url', id, url: `https://${id}.example` }) as const;
    const blocks = blocksOf(read([source('a'), ...said('0', 'It rains.'), source('b'), finish]));
    expect(blocks).toEqual([
      { type: 'text', text: 'It rains.', meta: { sources: [source('a')] } },
      { type: 'opaque', provider: 'acme', raw: { type: 'sources', sources: [source('b')] } },
    ]);
  });
});

describe('ends', () => {
  test.each([
    ['stop', 'done', 'end_turn'],
    ['length', 'max', 'max_tokens'],
    ['content-filter', 'SAFETY', 'refusal'],
    ['tool-calls', 'x', 'tool_use'],
    ['other', 'insufficient_system_resource', 'insufficient_system_resource'],
  ] as const)('%s (%s) is %s', (unified, raw, stopReason) => {
    const parts = read([...said('0', 'x'), { ...finish, finishReason: { unified, raw } }]);
    expect(parts.at(-1)).toMatchObject({ type: 'end', stopReason });
  });

  test('AI SDK 5 says it in one word, and counts in another shape', () => {
    const v2 = { inputTokens: 30, outputTokens: 5, totalTokens: 35, reasoningTokens: 2, cachedInputTokens: 12 };
    const end = read([...said('0', 'x'), { type: 'finish', finishReason: 'content-filter', usage: v2 }]).at(-1);
    expect(end).toMatchObject({
      stopReason: 'refusal',
      usage: { inputTokens: 18, outputTokens: 5, cacheReadInputTokens: 12 },
    });
    const unsaid = { inputTokens: undefined, outputTokens: Number.NaN, totalTokens: undefined };
    expect(read([...said('0', 'x'), { type: 'finish', finishReason: 'unknown', usage: unsaid }]).at(-1)).toMatchObject({
      stopReason: 'unknown',
      usage: { inputTokens: 0, outputTokens: 0 },
    });
  });

  test('what a refusal says of itself is kept, and what was not sent is told', () => {
    const told: string[] = [];
    const warnings = [
      { type: 'unsupported', feature: 'topK', details: 'not here' },
      { type: 'other', message: 'mind the gap' },
    ] as const;
    const providerMetadata = { acme: { blockReason: 'SPII' } };
    const end = read(
      [
        { type: 'stream-start', warnings: [...warnings] },
        { ...finish, finishReason: { unified: 'content-filter', raw: 'SPII' }, providerMetadata },
      ],
      { onWarning: (warning) => told.push(warning) },
    ).at(-1);
    expect(told).toEqual(['unsupported: topK: not here', 'other: mind the gap']);
    expect(end).toMatchObject({ stopDetails: { reason: 'SPII', providerMetadata, warnings: told } });
  });

  test.each([
    ['an end without a reason', { ...finish, finishReason: { unified: 'interrupted', raw: undefined } }],
    ['an end by an error', { ...finish, finishReason: { unified: 'error', raw: 'MALFORMED' } }],
    ['a piece of no block', { type: 'text-delta', id: '9', delta: 'x' }],
  ] as const)('%s is no reply', (_name, part) => {
    expect(() => read([...said('0', 'x'), part])).toThrow(RondoError);
  });

  test('an error in the stream is that error', () => {
    expect(() => read([{ type: 'error', error: 'too busy' }])).toThrow('too busy');
  });
});
