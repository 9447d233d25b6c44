import { readdirSync, readFileSync } from 'node:fs';
import { isRondoError } from '@rondo/protocol/values';
import type { ModelPart } from '@rondo/runtime';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readReply } from '../dialect/read-reply.ts';
import { createEventStreamDecoder } from '../http/event-stream-decoder.ts';
import { createCompatibleDialect } from './dialect.ts';
import { createReplyReader } from './reply-reader.ts';
import { serverQuirks } from './server-quirks.ts';

const folder = new URL('../../fixtures/chat-completions/', import.meta.url);
const fixtures = new Map(
  readdirSync(folder).map((file) => [file.replace('.sse', ''), readFileSync(new URL(file, folder))]),
);

function named(prefix: string): readonly string[] {
  return [...fixtures.keys()].filter((name) => name.startsWith(prefix));
}

function fixture(name: string): Buffer {
  const bytes = fixtures.get(name);
  if (bytes === undefined) throw new Error(`there is no fixture ${name}`);
  return bytes;
}

interface Outcome {
  readonly parts: readonly ModelPart[];
  readonly outcomes: readonly (Error | 'ended')[];
}

/** What comes of a body: parts, and every outcome that was reported (there should be one). */
function read(chunks: readonly Buffer[], kind?: string): Outcome {
  const parts: ModelPart[] = [];
  const outcomes: (Error | 'ended')[] = [];
  const url = new URL('http://127.0.0.1:1/v1/chat/completions');
  const endpoint = { vendor: 'The server', url, keySource: '', baseUrlSource: '', secrets: [] };
  const reply = readReply(createCompatibleDialect(serverQuirks(kind)), endpoint, {
    emit: (part) => parts.push(part),
    fail: (error) => outcomes.push(error),
    ended: () => outcomes.push('ended'),
  });
  reply.response(200, { 'content-type': 'text/event-stream' });
  for (const chunk of chunks) if (outcomes.length === 0) reply.data(chunk);
  if (outcomes.length === 0) reply.end();
  return { parts, outcomes };
}

function bytesOf(stream: Buffer): Buffer[] {
  return Array.from(stream, (_, index) => stream.subarray(index, index + 1));
}

function blocks({ parts }: Outcome) {
  return parts.flatMap((part) => (part.type === 'block-end' ? [part.block] : []));
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

const reasoning = 'Zwei Größen: 世界.';
const text = 'Grüße 👩‍💻 und \u2028 mehr "Text"\n';
const firstInput = { path: 'größe.ts', limit: 20 };

/** What a server counts, and what of a reply goes back to it. */
const servers: Readonly<
  Record<string, { readonly usage: object; readonly ids: readonly string[]; readonly back?: object }>
> = {
  vllm: {
    usage: { inputTokens: 20, outputTokens: 40, cacheReadInputTokens: 100 },
    ids: ['chatcmpl-tool-b8b152bb035fc619', 'chatcmpl-tool-c5d152bb035fc620'],
    back: { field: 'reasoning' },
  },
  ollama: {
    usage: { inputTokens: 120, outputTokens: 40 },
    ids: ['call_ab12cd34', 'call_ef56ab78'],
    back: { field: 'reasoning' },
  },
  lmstudio: { usage: { inputTokens: 120, outputTokens: 40 }, ids: ['365174485', '365174486'] },
  llamacpp: {
    usage: { inputTokens: 20, outputTokens: 40, cacheReadInputTokens: 100 },
    ids: ['HhFIs6Q2w9', 'KkFIs6Q2w9'],
    back: { field: 'reasoning_content' },
  },
  openrouter: {
    usage: { inputTokens: 20, outputTokens: 40, cacheReadInputTokens: 90, cacheCreationInputTokens: 10 },
    ids: ['toolu_01', 'toolu_02'],
    back: {
      reasoning_details: [
        {
          type: 'reasoning.text',
          text: reasoning,
          format: 'anthropic-claude-v1',
          index: 0,
          signature: 'EqQBCgIYAhIM+/==',
        },
      ],
    },
  },
  deepseek: {
    usage: { inputTokens: 20, outputTokens: 40, cacheReadInputTokens: 100 },
    ids: ['call_00_aB3', 'call_01_cD4'],
    back: { field: 'reasoning_content' },
  },
  groq: { usage: { inputTokens: 20, outputTokens: 40, cacheReadInputTokens: 100 }, ids: ['fc_1', 'fc_2'] },
};

describe.each(Object.entries(servers))('a reply as %s sends it', (kind, { usage, ids, back }) => {
  const whole = read([fixture(kind)], kind);

  test('has the same blocks as everywhere', () => {
    expect(whole.outcomes).toEqual(['ended']);
    expect(blocks(whole)).toEqual([
      { type: 'reasoning', text: reasoning, ...(back && { providerData: back }) },
      { type: 'text', text },
      { type: 'tool_call', toolCallId: ids[0], name: 'Read', input: firstInput },
      { type: 'tool_call', toolCallId: ids[1], name: 'Read', input: { path: 'b.ts' } },
    ]);
  });

  test('says its name, why it stopped and what it cost', () => {
    expect(whole.parts[0]).toMatchObject({
      type: 'start',
      providerMessageId: expect.any(String),
      model: expect.any(String),
    });
    const end = whole.parts.at(-1);
    expect(end).toEqual({ type: 'end', stopReason: 'tool_use', usage: { ...usage, model: expect.any(String) } });
  });

  test('streams every block in order, and the deltas are the block', () => {
    const open: number[] = [];
    for (const part of whole.parts) {
      if (part.type === 'block-start') open.push(part.index);
      if (part.type === 'delta') expect(open).toEqual([part.index]);
      if (part.type === 'block-end') expect(open.pop()).toBe(part.index);
    }
    const shown = joined(whole.parts).flatMap((part) => (part.type === 'delta' ? [part.text] : []));
    expect(shown.slice(0, 2)).toEqual([reasoning, text]);
    expect(shown.slice(2).map((json) => JSON.parse(json) as unknown)).toEqual([firstInput, { path: 'b.ts' }]);
  });

  test('is the same byte by byte, with no character broken', () => {
    const { parts, outcomes } = read(bytesOf(fixture(kind)), kind);
    expect(outcomes).toEqual(['ended']);
    expect(joined(parts)).toEqual(joined(whole.parts));
    expect(JSON.stringify(parts)).not.toContain('\ufffd');
  });
});

describe('habits of some servers', () => {
  const repaired: Readonly<Record<string, object>> = {
    'habit-arguments-again': {
      repaired: { text: '{"path":"b.ts"}{"path":"b.ts"}', mended: 'the same value sent again' },
    },
    'habit-call-again': { repaired: { text: '{"path":"b.ts"}{"path":"b.ts"}', mended: 'the same value sent again' } },
  };
  const ids: Readonly<Record<string, readonly string[]>> = {
    'habit-no-ids': ['call_1', 'call_2'],
    'habit-no-ids-all-zero': ['call_1', 'call_2'],
    'habit-one-id-for-all': ['call_a', 'call_a'],
  };

  test.each(named('habit-'))('%s: two calls, each whole', (name) => {
    for (const chunks of [[fixture(name)], bytesOf(fixture(name))]) {
      const outcome = read(chunks);
      const [first, second] = ids[name] ?? ['call_a', 'call_b'];
      expect(outcome.outcomes).toEqual(['ended']);
      expect(blocks(outcome)).toEqual([
        { type: 'tool_call', toolCallId: first, name: 'Read', input: firstInput },
        { type: 'tool_call', toolCallId: second, name: 'Read', input: { path: 'b.ts' }, ...repaired[name] },
      ]);
      expect(outcome.parts.at(-1)).toMatchObject({ type: 'end', stopReason: 'tool_use' });
    }
  });
});

describe('errors inside the stream', () => {
  test.each([
    ['error-openrouter', 'model.server_error', /upstream is down/],
    ['error-vllm', 'model.server_error', /EngineCore/],
    ['error-lmstudio', 'model.prompt_too_long', /4096 tokens/],
    ['error-llamacpp', 'model.prompt_too_long', /6009 tokens/],
    ['error-venice', 'model.prompt_too_long', /163840/],
    ['error-text', 'model.server_error', /unexpectedly stopped/],
    ['error-deepseek', 'model.overloaded', /ran out of resources/],
    ['error-sglang', 'model.prompt_too_long', /maximum context length/],
  ] as const)('%s is %s', (name, code, message) => {
    const { outcomes } = read([fixture(name)]);
    expect(outcomes).toHaveLength(1);
    expect(isRondoError(outcomes[0], code)).toBe(true);
    expect((outcomes[0] as Error).message).toMatch(message);
  });

  test('every error fixture is in the table above', () => expect(named('error-')).toHaveLength(8));
});

function stream(chunks: readonly object[], end = ['[DONE]']): Buffer {
  const events = [...chunks.map((chunk) => JSON.stringify(chunk)), ...end];
  return Buffer.from(events.map((data) => `data: ${data}\n\n`).join(''));
}

function chunk(delta: object, reason: string | null = null): object {
  return { id: 'x', model: 'm', choices: [{ index: 0, delta, finish_reason: reason }] };
}

test.each([
  [{ prompt_tokens: 35, completion_tokens: 12, total_tokens: 126 }, 91],
  [{ prompt_tokens: 35, completion_tokens: 12, total_tokens: 47 }, 12],
  [{ prompt_tokens: 35, completion_tokens: 12 }, 12],
  [{ prompt_tokens: 35, completion_tokens: 12, total_tokens: 0 }, 12],
])('of %j reasoning counts as written, wherever it is counted: %i', (usage, written) => {
  const reply = read([stream([chunk({ content: 'a' }), { ...chunk({}, 'stop'), usage }])]);
  expect(reply.parts.at(-1)).toMatchObject({ usage: { inputTokens: 35, outputTokens: written } });
});

describe('what is whole and what is not', () => {
  test('a reply that stopped at its limit is whole, though the server calls that an error', () => {
    const reply = read([fixture('limit-and-error')], 'openrouter');
    expect(reply.outcomes).toEqual(['ended']);
    expect(blocks(reply)).toMatchObject([{ type: 'reasoning', text: 'They greet us. I' }]);
    expect(reply.parts.at(-1)).toMatchObject({
      type: 'end',
      stopReason: 'max_tokens',
      usage: { inputTokens: 43, outputTokens: 10 },
    });
  });

  test.each<[string, Buffer, string]>([
    ['no event at all', stream([], []), 'ends too early, after 0 events'],
    ['a mark behind nothing', stream([]), 'ends before it says anything'],
    [
      'no reason and no mark',
      stream([chunk({ content: 'a' })], []),
      'ends too early, after 1 events and 0 whole blocks',
    ],
    ['an event that is no JSON', stream([chunk({ content: 'a' })], ['{']), 'is not JSON'],
    ['an event that is a number', stream([], ['1']), 'is no object'],
    [
      'more of a call that was whole',
      stream([
        chunk({ tool_calls: [{ index: 0, id: 'a', function: { name: 'A', arguments: '{}' } }] }),
        chunk({ tool_calls: [{ index: 1, id: 'b', function: { name: 'B', arguments: '{}' } }] }),
        chunk({ tool_calls: [{ index: 0, function: { arguments: '{"a":1}' } }] }),
      ]),
      'after the call was whole',
    ],
  ])('%s is broken', (_name, body, message) => {
    const { outcomes } = read([body]);
    expect(isRondoError(outcomes[0], 'model.stream_broken')).toBe(true);
    expect((outcomes[0] as Error).message).toContain(message);
  });

  test.each([
    ['stop', 'end_turn'],
    ['length', 'max_tokens'],
    ['content_filter', 'refusal'],
    ['eos', 'end_turn'],
    ['tool_calls', 'end_turn'],
    ['some_word', 'some_word'],
  ])('%s without calls is %s', (reason, stopReason) => {
    expect(read([stream([chunk({ content: 'a' }), chunk({}, reason)])]).parts.at(-1)).toMatchObject({ stopReason });
  });

  test('arguments cut off by the length are malformed, whatever reason the server gives', () => {
    const cut = { index: 0, id: 'a', function: { name: 'Write', arguments: '{"path":"a","text":"once up' } };
    const outcome = read([stream([chunk({ tool_calls: [cut] }), chunk({}, 'tool_calls')])]);
    expect(blocks(outcome)).toMatchObject([{ name: 'Write', input: {}, malformed: { text: cut.function.arguments } }]);
  });

  test('a refusal is text, and what only blanks are is no block', () => {
    const refused = read([stream([chunk({ content: '\n' }), chunk({ refusal: 'I will not.' }), chunk({}, 'stop')])]);
    expect(blocks(refused)).toEqual([{ type: 'text', text: '\nI will not.' }]);
    expect(blocks(read([stream([chunk({ content: '\n \n' }), chunk({}, 'stop')])]))).toEqual([]);
  });

  test('text behind calls comes behind them; parts of a list are read', () => {
    const outcome = read([
      stream([
        chunk({
          content: [
            { type: 'thinking', thinking: [{ type: 'text', text: 'hm' }] },
            { type: 'text', text: 'a' },
          ],
        }),
        chunk({ tool_calls: [{ index: 0, id: 'a', function: { name: 'A', arguments: '{"b":' } }] }),
        chunk({ content: 'be' }),
        chunk({ tool_calls: [{ index: 0, function: { arguments: '1}' } }] }),
        chunk({ content: 'hind' }, 'stop'),
      ]),
    ]);
    expect(blocks(outcome)).toEqual([
      { type: 'reasoning', text: 'hm' },
      { type: 'text', text: 'a' },
      { type: 'tool_call', toolCallId: 'a', name: 'A', input: { b: 1 } },
      { type: 'text', text: 'behind' },
    ]);
  });

  test('details that are encrypted go back with the call they came with', () => {
    const detail = { type: 'reasoning.encrypted', id: 'a', data: 'CiQB', format: 'google-gemini-v1', index: 0 };
    const call = { index: 0, id: 'a', type: 'function', function: { name: 'A', arguments: '{}' } };
    const outcome = read(
      [stream([chunk({ reasoning_details: [detail], tool_calls: [call] }, 'tool_calls')])],
      'openrouter',
    );
    expect(blocks(outcome)).toEqual([
      { type: 'tool_call', toolCallId: 'a', name: 'A', input: {}, providerData: { reasoning_details: [detail] } },
    ]);
  });
});

describe('tags in the text', () => {
  const tagged = (kind: string, ...pieces: readonly string[]) =>
    blocks(read([stream([...pieces.map((content) => chunk({ content })), chunk({}, 'stop')])], kind));

  test('hold reasoning at the beginning and nowhere else', () => {
    expect(tagged('lmstudio', '<think>a</think>b')).toEqual([
      { type: 'reasoning', text: 'a' },
      { type: 'text', text: 'b' },
    ]);
    expect(tagged('lmstudio', ...Array.from('\n<think>\nhm < / </thin\n</think>\n\nno <think>tag</think>'))).toEqual([
      { type: 'reasoning', text: 'hm < / </thin\n' },
      { type: 'text', text: 'no <think>tag</think>' },
    ]);
    expect(tagged('lmstudio', 'a <think>b</think>')).toEqual([{ type: 'text', text: 'a <think>b</think>' }]);
    expect(tagged('lmstudio', '<thi')).toEqual([{ type: 'text', text: '<thi' }]);
    expect(tagged('lmstudio', '<think>', 'never ends')).toEqual([{ type: 'reasoning', text: 'never ends' }]);
  });

  test('are text where reasoning has a field of its own', () => {
    expect(tagged('deepseek', '<think>a</think>b')).toEqual([{ type: 'text', text: '<think>a</think>b' }]);
  });
});

/** The parts of a reply that comes in pieces cut at the given places, with and without the way around the parser. */
function readCut(body: Buffer, cuts: readonly number[], ahead: boolean) {
  const parts: ModelPart[] = [];
  const broken = (reason: string): Error => new Error(reason);
  const reader = createReplyReader(
    {
      emit: (part) => parts.push(part),
      broken: broken as never,
      failed: (({ message }: Error) => broken(message)) as never,
    },
    serverQuirks('vllm'),
  );
  const decoder = createEventStreamDecoder(reader.read, ahead ? reader.readAhead : undefined);
  const places = [0, ...cuts, body.length];
  for (const [index, start] of places.slice(0, -1).entries()) decoder.write(body.subarray(start, places[index + 1]));
  return { parts: joined(parts), position: reader.position() };
}

test('the way around the parser reads what the parser reads, however the stream is cut and its events vary', () => {
  const piece = fc.oneof(
    fc.string({ unit: 'grapheme' }),
    fc.constantFrom('plain', '"', '\\', 'a\nb', '\ud83d', '\ude00', '","x":"'),
  );
  const field = fc.constantFrom('content', 'content', 'reasoning', 'reasoning_content', 'refusal');
  const extra = fc.constantFrom(
    {},
    {},
    {},
    { usage: { prompt_tokens: 1, completion_tokens: 2 } },
    { created: 2 },
    { content: 'x' },
  );
  const spaces = fc.constantFrom(undefined, 1);
  fc.assert(
    fc.property(
      fc.array(fc.tuple(field, piece, extra), { maxLength: 40 }),
      fc.constantFrom('\n', '\n', '\r\n'),
      spaces,
      fc.array(fc.nat()),
      (said, end, indent, cuts) => {
        const events = said.map(([name, content, more]) => ({ ...chunk({ [name]: content }), ...more }));
        const json = [...events, chunk({}, 'stop')].map((event) =>
          JSON.stringify(event, undefined, indent).replace(/\n */g, ' '),
        );
        const body = Buffer.from([...json, '[DONE]'].map((data) => `data: ${data}${end}${end}`).join(''));
        const places = [...new Set(cuts.map((cut) => cut % (body.length + 1)))].sort((left, right) => left - right);
        expect(readCut(body, places, true)).toEqual(readCut(body, places, false));
      },
    ),
    { numRuns: 300 },
  );
});

test('a flood of pieces is joined, and pieces that come one by one stay apart', () => {
  const body = stream([...Array.from({ length: 60 }, () => chunk({ content: 'ab' })), chunk({}, 'stop')]);
  const deltas = (chunks: readonly Buffer[]): number =>
    read(chunks).parts.filter(({ type }) => type === 'delta').length;
  expect(deltas(bytesOf(body))).toBe(60);
  expect(deltas([body])).toBeLessThan(30);
});
