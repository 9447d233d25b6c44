import { readFileSync } from 'node:fs';
import { isRondoError } from '@rondo/protocol/values';
import type { ModelPart } from '@rondo/runtime';
import { describe, expect, test } from 'vitest';
import { anthropicDialect } from '../anthropic/dialect.ts';
import { readReply } from './read-reply.ts';

const endpoint = {
  vendor: 'Anthropic',
  url: new URL('https://api.anthropic.com/v1/messages'),
  keySource: 'ANTHROPIC_API_KEY',
  baseUrlSource: 'ANTHROPIC_BASE_URL',
  secrets: [],
};
const names = [
  'text',
  'thinking',
  'tool-use',
  'parallel-tools',
  'server-error',
  'refusal',
  'server-tool',
  'code-execution',
  'citations',
] as const;
const fixtures = new Map(
  names.map((name) => [name, readFileSync(new URL(`../../fixtures/anthropic/${name}.sse`, import.meta.url))]),
);

function fixture(name: (typeof names)[number]): Buffer {
  return fixtures.get(name) ?? Buffer.alloc(0);
}

/** What comes of a body: parts, and every outcome that was reported (there should be one). */
function read(chunks: readonly Buffer[]): { readonly parts: ModelPart[]; readonly outcomes: (Error | 'ended')[] } {
  const parts: ModelPart[] = [];
  const outcomes: (Error | 'ended')[] = [];
  const reply = readReply(anthropicDialect, endpoint, {
    emit: (part) => parts.push(part),
    fail: (error) => outcomes.push(error),
    ended: () => outcomes.push('ended'),
  });
  reply.response(200, { 'content-type': 'text/event-stream' });
  for (const chunk of chunks) if (outcomes.length === 0) reply.data(chunk);
  if (outcomes.length === 0) reply.end();
  return { parts, outcomes };
}

function blocks(parts: readonly ModelPart[]) {
  return parts.flatMap((part) => (part.type === 'block-end' ? [part.block] : []));
}

describe('recorded replies', () => {
  test('text, with every character whole', () => {
    const { parts, outcomes } = read([fixture('text')]);
    expect(outcomes).toEqual(['ended']);
    expect(parts).toEqual([
      {
        type: 'start',
        providerMessageId: 'msg_01Text',
        model: 'claude-sonnet-5-5',
        usage: expect.objectContaining({ inputTokens: 25 }),
      },
      { type: 'block-start', index: 0, block: 'text' },
      ...['Grüße', ', 世', '界: 👩‍💻', ' and a \u2028 line'].map((text) => ({ type: 'delta', index: 0, text })),
      { type: 'block-end', index: 0, block: { type: 'text', text: 'Grüße, 世界: 👩‍💻 and a \u2028 line' } },
      { type: 'end', stopReason: 'end_turn', usage: { inputTokens: 25, outputTokens: 15, model: 'claude-sonnet-5-5' } },
    ]);
  });

  test('thinking with its signature byte for byte, and usage with its cache fields', () => {
    const { parts } = read([fixture('thinking')]);
    expect(blocks(parts)).toEqual([
      {
        type: 'reasoning',
        text: 'Two plus two is four.',
        signature: 'EqQBCgIYAhIM1gbcDa9GJwZA2b3hGgxBdjrkzLoky3dl1pkiMOYds+/==',
      },
      { type: 'reasoning', text: '', redacted: 'EmwKAhgBEgy3va3pzix/LafPsn4aDFIT2Xlxh0L5L8rLVyIwxtE3rAFBa8cr3qpP' },
      { type: 'text', text: 'Four is the answer.' },
    ]);
    expect(parts.at(-1)).toMatchObject({
      usage: {
        inputTokens: 12,
        outputTokens: 57,
        cacheReadInputTokens: 2048,
        cacheCreationInputTokens: 300,
        cacheCreationOneHourInputTokens: 200,
      },
    });
  });

  test('tool calls, one and many, with and without input', () => {
    expect(blocks(read([fixture('tool-use')]).parts)).toEqual([
      { type: 'text', text: 'Let me look.' },
      { type: 'tool_call', toolCallId: 'toolu_01A', name: 'Read', input: { path: 'src/größe.ts', limit: 20 } },
    ]);
    const { parts } = read([fixture('parallel-tools')]);
    expect(blocks(parts).map((block) => block.type === 'tool_call' && [block.toolCallId, block.input])).toEqual([
      ['toolu_01A', { path: 'a.ts' }],
      ['toolu_01B', { path: 'b.ts' }],
      ['toolu_01C', {}],
    ]);
    expect(parts.at(-1)).toMatchObject({ type: 'end', stopReason: 'tool_use' });
  });

  test('a refusal keeps what the vendor says about it', () => {
    expect(read([fixture('refusal')]).parts.at(-1)).toMatchObject({
      stopReason: 'refusal',
      stopDetails: { category: 'cyber', explanation: 'This request was declined.' },
    });
  });

  test('blocks and events of kinds that only the vendor knows are kept whole or passed over', () => {
    const { parts, outcomes } = read([fixture('server-tool')]);
    expect(outcomes).toEqual(['ended']);
    expect(blocks(parts)).toEqual([
      {
        type: 'opaque',
        provider: 'anthropic',
        raw: { type: 'server_tool_use', id: 'srvtoolu_01', name: 'web_search', input: { query: 'weather' } },
      },
      { type: 'opaque', provider: 'anthropic', raw: expect.objectContaining({ type: 'web_search_tool_result' }) },
      {
        type: 'text',
        text: 'It is sunny.',
        providerData: { citations: [expect.objectContaining({ cited_text: 'Sunny' })] },
      },
    ]);
  });

  test('who made a call and where it ran is kept with what it belongs to', () => {
    const { parts, outcomes } = read([fixture('code-execution')]);
    expect(outcomes).toEqual(['ended']);
    expect(blocks(parts)).toEqual([
      { type: 'text', text: 'Ich rechne: 世界 😀' },
      { type: 'opaque', provider: 'anthropic', raw: expect.objectContaining({ input: { command: 'echo $((6*7))' } }) },
      { type: 'opaque', provider: 'anthropic', raw: expect.objectContaining({ tool_use_id: 'srvtoolu_01Code' }) },
      {
        type: 'tool_call',
        toolCallId: 'toolu_01Code',
        name: 'Read',
        input: { path: 'größe.ts' },
        providerData: { caller: { type: 'code_execution_20250825', tool_id: 'srvtoolu_01Code' } },
      },
      {
        type: 'opaque',
        provider: 'anthropic',
        raw: { type: 'container', id: 'container_011', expires_at: '2026-11-30T12:00:00Z' },
      },
    ]);
  });

  test('citations are kept with their text as they came', () => {
    const cited = blocks(read([fixture('citations')]).parts)[1];
    expect(cited).toMatchObject({ type: 'text', text: 'the grass is green' });
    expect(cited?.type === 'text' && cited.providerData?.['citations']).toEqual([
      expect.objectContaining({ type: 'char_location', cited_text: 'Das Gras ist grün. ', file_id: null }),
      expect.objectContaining({ type: 'page_location', file_id: 'file_011' }),
    ]);
  });

  test('an error event ends the reply by its type', () => {
    const [outcome] = read([fixture('server-error')]).outcomes;
    expect(isRondoError(outcome, 'model.overloaded')).toBe(true);
  });
});

test.each(names)('%s: one byte at a time gives the same parts', (name) => {
  const bytes = fixture(name);
  const single = Array.from(bytes, (_, index) => bytes.subarray(index, index + 1));
  expect(read(single).parts).toEqual(read([bytes]).parts);
  expect(JSON.stringify(read(single).parts)).not.toContain('\ufffd');
});

test('a character cut into two escapes in two deltas is shown whole', () => {
  const half = (escape: string) =>
    `data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"${escape}"}}\n\n`;
  const body = fixture('text')
    .toString()
    .replace(/event: content_block_delta\ndata: [^\n]*\n\n/, `${half('a\\ud83d')}${half('\\ude00b')}`);
  const { parts } = read([Buffer.from(body)]);
  const deltas = parts.flatMap((part) => (part.type === 'delta' ? [part.text] : []));
  expect(deltas.slice(0, 2)).toEqual(['a', '😀b']);
  expect(deltas.every((text) => text.isWellFormed())).toBe(true);
});

describe('replies that break the protocol', () => {
  const [start = '', open = '', ping = '', first = ''] = fixture('text')
    .toString()
    .split(/(?<=\n\n)/);
  const stop = 'data: {"type":"message_stop"}\n\n';
  test.each([
    ['nothing', ''],
    ['no start', open],
    ['two starts', start + start],
    ['a block in a block', start + open + open],
    ['a delta of no block', start + first],
    ['a stop inside a block', start + open + ping + stop],
    ['a stop without a reason', start + stop],
    ['no JSON', `${start}data: {"type":\n\n`],
    ['JSON that is no event', `${start}data: 17\n\n`],
    ['an end before the end', start + open + first],
    ['half an event', start + open + first.slice(0, 40)],
  ])('%s', (_name, body) => {
    const { outcomes } = read([Buffer.from(body)]);
    expect(outcomes).toHaveLength(1);
    expect(isRondoError(outcomes[0], 'model.stream_broken')).toBe(true);
  });
});
