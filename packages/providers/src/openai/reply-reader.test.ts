import { readFileSync } from 'node:fs';
import type { ModelBlock } from '@rondo/protocol';
import { RondoError } from '@rondo/protocol/values';
import type { ModelPart } from '@rondo/runtime';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createEventStreamDecoder } from '../http/event-stream-decoder.ts';
import { openaiDialect } from './dialect.ts';
import { createReplyReader } from './reply-reader.ts';

interface Reply {
  readonly parts: readonly ModelPart[];
  readonly blocks: readonly ModelBlock[];
  readonly position: string;
  readonly error?: unknown;
}

/** What comes of a stream cut at the given places, with and without the way around the parser. */
function read(stream: Buffer, cuts: readonly number[] = [], ahead = true): Reply {
  const parts: ModelPart[] = [];
  const reader = createReplyReader({
    emit: (part) => parts.push(part),
    broken: (reason) => new RondoError('model.stream_broken', reason),
    failed: (error) => new RondoError(openaiDialect.errorCode(error) ?? 'internal', error.message),
  });
  const decoder = createEventStreamDecoder(reader.read, ahead ? reader.readAhead : undefined);
  const places = [0, ...cuts, stream.length];
  let error: unknown;
  try {
    for (const [index, start] of places.slice(0, -1).entries())
      decoder.write(stream.subarray(start, places[index + 1]));
  } catch (thrown) {
    error = thrown;
  }
  const blocks = parts.flatMap((part) => (part.type === 'block-end' ? [part.block] : []));
  return { parts, blocks, position: reader.position(), ...(error !== undefined && { error }) };
}

function fixture(name: string): Buffer {
  return readFileSync(new URL(`../../fixtures/openai-responses/${name}.sse`, import.meta.url));
}

function endOf({ parts }: Reply): ModelPart | undefined {
  return parts.at(-1);
}

describe('recorded replies', () => {
  test('text comes in its pieces', () => {
    const { parts } = read(fixture('text'));
    const pieces = ['Grüße', ', 世', '界: 👩‍💻', ' and a \u2028 line', ' "quoted"\n'];
    expect(parts).toEqual([
      { type: 'start', providerMessageId: 'resp_0a11', model: 'gpt-6.2-sol' },
      { type: 'block-start', index: 0, block: 'text' },
      ...pieces.map((text) => ({ type: 'delta', index: 0, text })),
      {
        type: 'block-end',
        index: 0,
        block: { type: 'text', text: pieces.join(''), providerData: { item: { id: 'msg_0a11', status: 'completed' } } },
      },
      {
        type: 'end',
        stopReason: 'end_turn',
        usage: { inputTokens: 25, outputTokens: 15, cacheReadInputTokens: 0, totalTokens: 40, model: 'gpt-6.2-sol' },
      },
    ]);
  });

  test('reasoning is kept as it came, and usage is told apart', () => {
    const reply = read(fixture('reasoning'));
    expect(reply.blocks).toEqual([
      {
        type: 'reasoning',
        text: '**Adding** the numbers\n\nTwo plus two is 四.',
        providerData: {
          id: 'rs_0b22',
          encrypted_content: 'gAAAAABpLEw1-3vRz_Qk8+/=fP2bV0nE7xW==',
          summary: [
            { type: 'summary_text', text: '**Adding** the numbers' },
            { type: 'summary_text', text: 'Two plus two is 四.' },
          ],
        },
      },
      {
        type: 'text',
        text: 'Four is the answer.',
        providerData: { item: { id: 'msg_0b22', status: 'completed', phase: 'final_answer' } },
      },
    ]);
    expect(endOf(reply)).toMatchObject({
      usage: { inputTokens: 12, cacheReadInputTokens: 2048, cacheCreationInputTokens: 300, outputTokens: 57 },
    });
  });

  test('calls of one reply, and how the model spelled their arguments', () => {
    const reply = read(fixture('parallel-calls'));
    const call = (toolCallId: string, name: string, input: object, providerData: object) => ({
      type: 'tool_call',
      toolCallId,
      name,
      input,
      providerData,
    });
    expect(reply.blocks.slice(2)).toEqual([
      call('call_A1', 'Read', { path: 'src/größe.ts' }, { item: { id: 'fc_0c33a', status: 'completed' } }),
      call(
        'call_B2',
        'Read',
        { path: 'b.ts', limit: 20 },
        { item: { id: 'fc_0c33b', status: 'completed' }, arguments: '{"path": "b.ts", "limit": 20}' },
      ),
      call('call_C3', 'Now', {}, { item: { id: 'fc_0c33c', status: 'completed' } }),
    ]);
    expect(reply.blocks[0]).toMatchObject({ type: 'reasoning', text: '' });
    expect(endOf(reply)).toMatchObject({ stopReason: 'tool_use' });
  });

  test('a refusal is text, and the reason to stop', () => {
    const reply = read(fixture('refusal'));
    expect(reply.blocks).toEqual([
      {
        type: 'text',
        text: 'I cannot help with that.',
        providerData: { item: { id: 'msg_0d44', status: 'completed' }, part: { type: 'refusal' } },
      },
    ]);
    expect(endOf(reply)).toMatchObject({ stopReason: 'refusal' });
  });

  test('a call that the limit cut off never runs', () => {
    const reply = read(fixture('incomplete-max-tokens'));
    expect(reply.blocks[1]).toMatchObject({
      type: 'tool_call',
      input: {},
      malformed: { text: '{"path":"a.ts","text":"let a', error: expect.stringContaining('cut off') },
    });
    expect(endOf(reply)).toMatchObject({ stopReason: 'max_tokens' });
  });

  test('a filtered reply is a refusal that says why', () => {
    const reply = read(fixture('incomplete-content-filter'));
    expect(reply.blocks).toMatchObject([{ text: 'Once upon', providerData: { item: { status: 'incomplete' } } }]);
    expect(endOf(reply)).toMatchObject({ stopReason: 'refusal', stopDetails: { reason: 'content_filter' } });
  });

  test('items that only the vendor knows are kept whole, citations with their text', () => {
    const { blocks, error } = read(fixture('web-search'));
    expect(error).toBeUndefined();
    expect(blocks.slice(1)).toEqual([
      {
        type: 'opaque',
        provider: 'openai',
        raw: {
          id: 'ws_1a77',
          type: 'web_search_call',
          status: 'completed',
          action: { type: 'search', queries: ['weather Bern'], query: 'weather Bern' },
        },
      },
      {
        type: 'text',
        text: 'It is sunny.',
        providerData: {
          item: { id: 'msg_1a77', status: 'completed', phase: 'final_answer' },
          part: { annotations: [expect.objectContaining({ type: 'url_citation', title: 'Weather' })] },
        },
      },
    ]);
  });

  test('blocks whose events come through each other come one after the other', () => {
    const { parts, blocks } = read(fixture('interleaved'));
    const order = parts.map((part) => `${part.type}${'index' in part ? ` ${part.index}` : ''}`).join(', ');
    expect(order).toBe(
      [
        'start',
        'block-start 0, delta 0, delta 0, block-end 0',
        'block-start 1, delta 1, block-end 1',
        'block-start 2, delta 2, delta 2, block-end 2',
        'block-start 3, delta 3, block-end 3',
        'end',
      ].join(', '),
    );
    expect(blocks).toMatchObject([
      { input: { path: 'a' } },
      { input: { path: 'b' } },
      { text: 'first part' },
      { text: 'second', providerData: { item: { id: 'msg_1ebb' } } },
    ]);
  });

  test('a message that ends before the reasoning it came from stands behind it all the same', () => {
    const reply = read(fixture('message-before-reasoning'));
    expect(reply.blocks).toMatchObject([
      {
        type: 'reasoning',
        text: 'Two and two.',
        providerData: { id: 'rs_tmp_a1', summary: [], content: [{ type: 'reasoning_text', text: 'Two and two.' }] },
      },
      { type: 'text', text: '4' },
    ]);
    expect(endOf(reply)).toMatchObject({ stopReason: 'end_turn', usage: { inputTokens: 78, outputTokens: 37 } });
  });

  test('a server that says no more than it must is understood', () => {
    const reply = read(fixture('sparse'));
    expect(reply.blocks).toEqual([{ type: 'text', text: 'Hello there' }]);
    expect(endOf(reply)).toMatchObject({ stopReason: 'end_turn', usage: { inputTokens: 3, outputTokens: 2 } });
  });

  test.each([
    ['error-event', 'model.server_error', /had an error/],
    ['error-quota', 'model.permission_denied', /current quota/],
    ['failed', 'model.rate_limited', /Rate limit reached/],
  ])('%s is %s', (name, code, message) => {
    const { error } = read(fixture(name));
    expect(error).toMatchObject({ code, message: expect.stringMatching(message) });
  });

  const names = [
    'text',
    'reasoning',
    'parallel-calls',
    'refusal',
    'web-search',
    'interleaved',
    'message-before-reasoning',
    'incomplete-max-tokens',
  ];
  test.each(names)('%s is the same byte by byte, with any ends of lines', (name) => {
    const stream = fixture(name);
    const whole = joined(read(stream).parts);
    const everywhere = (bytes: Buffer): readonly number[] =>
      Array.from({ length: bytes.length - 1 }, (_, index) => index + 1);
    for (const end of ['\n', '\r\n', '\r']) {
      const bytes = Buffer.from(stream.toString().replaceAll('\n', end));
      const { parts, error } = read(bytes, everywhere(bytes));
      expect(error).toBeUndefined();
      expect(joined(parts)).toEqual(whole);
      expect(JSON.stringify(parts)).not.toContain('\ufffd');
    }
  });
});

describe('a reply that leaves something out', () => {
  const events = (...list: readonly object[]): Buffer =>
    Buffer.from(list.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(''));
  const message = {
    type: 'message',
    id: 'msg_1',
    role: 'assistant',
    status: 'completed',
    content: [{ type: 'output_text', text: 'All of it.' }],
  };

  test('has all at its end', () => {
    const reply = read(
      events({ type: 'response.completed', response: { id: 'r', status: 'completed', output: [message] } }),
    );
    expect(reply.blocks).toMatchObject([{ type: 'text', text: 'All of it.' }]);
  });

  test.each([
    ['by their IDs, in another place', { id: 'msg_1' }, 3],
    ['by their place, with another ID', { id: 'msg_other' }, 0],
    ['by their kind, without one', {}, 3],
  ])('knows the items of its end %s', (_name, fields, index) => {
    const begun = { type: 'message', ...fields };
    const reply = read(
      events(
        { type: 'response.output_item.added', output_index: index, item: begun },
        { type: 'response.output_item.done', output_index: index, item: { ...message, ...fields } },
        { type: 'response.completed', response: { status: 'completed', output: [message] } },
      ),
    );
    expect(reply.blocks.map(({ type }) => type)).toEqual(['text']);
  });

  test('names an item by its place here and by its ID there', () => {
    const reply = read(
      events(
        { type: 'response.output_item.added', output_index: 0, item: { type: 'message', id: 'msg_1' } },
        { type: 'response.output_text.delta', item_id: 'msg_1', delta: 'All of ' },
        { type: 'response.output_text.delta', output_index: 0, content_index: 0, delta: 'it.' },
        { type: 'response.completed', response: { output: [] } },
      ),
    );
    expect(reply.blocks).toEqual([{ type: 'text', text: 'All of it.', providerData: { item: { id: 'msg_1' } } }]);
  });

  test('has what only its end holds', () => {
    const reply = read(
      events(
        { type: 'response.output_item.done', output_index: 0, item: message },
        {
          type: 'response.completed',
          response: {
            output: [
              { ...message, id: 'msg_0' },
              { ...message, id: 'msg_2' },
            ],
          },
        },
      ),
    );
    expect(reply.blocks).toHaveLength(2);
  });

  test('gets the rest of a text from the whole', () => {
    const reply = read(
      events(
        { type: 'response.output_text.delta', output_index: 0, item_id: 'msg_1', content_index: 0, delta: 'All ' },
        { type: 'response.output_item.done', output_index: 0, item: message },
        { type: 'response.completed', response: { status: 'completed', output: [message] } },
      ),
    );
    expect(reply.parts.flatMap((part) => (part.type === 'delta' ? [part.text] : []))).toEqual(['All ', 'of it.']);
    expect(reply.blocks).toHaveLength(1);
  });

  test('reasoning that holds nothing for the model is not returned to it', () => {
    const item = {
      type: 'reasoning',
      id: 'rs_1',
      encrypted_content: null,
      summary: [{ type: 'summary_text', text: 'Hm.' }],
    };
    const reply = read(
      events({ type: 'response.completed', response: { status: 'completed', output: [item, message] } }),
    );
    expect(reply.blocks[0]).toEqual({ type: 'reasoning', text: 'Hm.' });
  });

  test('reasoning whose whole never came is not given back', () => {
    const item = { type: 'reasoning', id: 'rs_1', encrypted_content: 'half', summary: [] };
    const reply = read(
      events(
        { type: 'response.output_item.added', output_index: 0, item },
        { type: 'response.reasoning_summary_text.delta', output_index: 0, summary_index: 0, delta: 'Hm.' },
        { type: 'response.completed', response: { status: 'completed', output: [] } },
      ),
    );
    expect(reply.blocks).toEqual([{ type: 'reasoning', text: 'Hm.' }]);
  });

  test.each([
    ['an item without a type', { type: 'response.output_item.added', output_index: 0, item: {} }],
    ['an event without a type', { hello: 1 }],
    ['an end without a response', { type: 'response.completed' }],
  ])('%s is broken', (_name, event) => {
    expect(read(events(event)).error).toMatchObject({ code: 'model.stream_broken' });
  });

  test('an item that begins twice, or ends as another kind, is broken', () => {
    const added = { type: 'response.output_item.added', output_index: 0, item: { type: 'message', id: 'msg_1' } };
    const done = { type: 'response.output_item.done', output_index: 0, item: { type: 'reasoning', id: 'rs_1' } };
    expect(read(events(added, done)).error).toMatchObject({ code: 'model.stream_broken' });
    expect(read(events(added, added)).error).toMatchObject({ code: 'model.stream_broken' });
  });
});

describe('the way around the parser', () => {
  test('reads what the parser reads, however the stream is cut', () => {
    const text = fc.oneof(
      fc.string({ unit: 'grapheme' }),
      fc.constantFrom('plain', '"', '\\', 'a\nb', '\ud83d', '\ude00', '"}\n\n'),
    );
    fc.assert(
      fc.property(
        fc.array(fc.array(text, { maxLength: 40 }), { maxLength: 3 }),
        fc.constantFrom('\n', '\n', '\r\n', '\r'),
        fc.constantFrom('older', 'newer', 'other'),
        fc.array(fc.nat()),
        (messages, end, spelling, cuts) => {
          const stream = streamOf(messages, end, spelling);
          const places = [...new Set(cuts.map((cut) => cut % (stream.length + 1)))].sort((left, right) => left - right);
          const parsed = read(stream, places, false);
          const ahead = read(stream, places, true);
          expect(parsed.error).toBeUndefined();
          expect(joined(ahead.parts)).toEqual(joined(parsed.parts));
          expect(ahead.position).toBe(parsed.position);
        },
      ),
      { numRuns: 300 },
    );
  });

  test.each(['older', 'newer'] as const)('knows the %s spelling, and joins a flood of pieces', (spelling) => {
    const stream = streamOf([Array.from({ length: 40 }, () => 'ab')], '\n', spelling);
    const deltas = ({ parts }: Reply): number => parts.filter(({ type }) => type === 'delta').length;
    expect(deltas(read(stream, [], false))).toBe(40);
    expect(deltas(read(stream))).toBe(1 + 17);
  });
});

type Spelling = 'older' | 'newer' | 'other';

function streamOf(messages: readonly (readonly string[])[], end: string, spelling: Spelling): Buffer {
  let sequence = 0;
  const event = (type: string, fields: object): string => {
    const json = JSON.stringify({ type, ...fields });
    return `event: ${type}${end}data: ${json}${end}${end}`;
  };
  const delta = (index: number, text: string): string => {
    sequence += 1;
    const id = `msg_${index}`;
    const noise = { logprobs: [], obfuscation: 'aB3_-'.slice(sequence % 5) };
    const orders = {
      older: { sequence_number: sequence, item_id: id, output_index: index, content_index: 0, delta: text, ...noise },
      newer: { content_index: 0, delta: text, item_id: id, ...noise, output_index: index, sequence_number: sequence },
      other: { delta: text, output_index: index, ...noise, item_id: id, content_index: 0 },
    };
    return event('response.output_text.delta', orders[spelling]);
  };
  const chunks = messages.map((texts, index) => {
    const item = { id: `msg_${index}`, type: 'message', status: 'in_progress', content: [], role: 'assistant' };
    return [
      event('response.output_item.added', { output_index: index, item }),
      ...texts.map((text) => delta(index, text)),
      event('response.output_item.done', { output_index: index, item: { ...item, status: 'completed' } }),
    ].join('');
  });
  return Buffer.from([...chunks, event('response.completed', { response: { status: 'completed' } })].join(''));
}

/** Adjacent deltas as one: where a text was cut says nothing. */
function joined(parts: readonly ModelPart[]): ModelPart[] {
  const whole: ModelPart[] = [];
  for (const part of parts) {
    const last = whole.at(-1);
    if (part.type === 'delta' && last?.type === 'delta' && last.index === part.index)
      whole[whole.length - 1] = { ...last, text: last.text + part.text };
    else whole.push(part);
  }
  return whole;
}
