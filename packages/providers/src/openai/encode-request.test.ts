import type { ContentBlock, ModelBlock } from '@rondo/protocol';
import type { ModelMessage, ModelRequest, Thinking } from '@rondo/runtime';
import { describe, expect, test } from 'vitest';
import { createReasoningSigner } from '../testing/index.ts';
import { checkCount, checkRequest } from '../testing/openai-responses/check-request.ts';
import { sealReasoning } from '../testing/openai-responses/reasoning-seal.ts';
import { encodeCount, encodeRequest } from './encode-request.ts';
import { openaiFacts } from './model-facts.ts';

const signer = createReasoningSigner();
const model = 'gpt-6.2-sol';

function encode(request: Partial<ModelRequest>, id = model): string {
  const whole: ModelRequest = { system: 'Be brief.', tools: [], messages: [user('Hello')], ...request };
  return encodeRequest(whole, { model: id, facts: openaiFacts(id) }).toString();
}

/** The body, which the strict server would take. */
function parse(request: Partial<ModelRequest>, id?: string) {
  const body = JSON.parse(encode(request, id));
  expect(checkRequest(body, signer)).toBeUndefined();
  return body;
}

function user(text: string): ModelMessage {
  return { role: 'user', content: [{ type: 'text', text }] };
}

function assistant(...content: readonly ModelBlock[]): ModelMessage {
  return { role: 'assistant', model: `openai/${model}`, content };
}

function results(...outputs: readonly (readonly [string, readonly ContentBlock[], boolean?])[]): ModelMessage {
  return {
    role: 'user',
    content: outputs.map(([toolCallId, content, isError = false]) => ({
      type: 'tool_result',
      toolCallId,
      content,
      isError,
    })),
  };
}

function reasoning(id: string, ...summary: readonly string[]): Extract<ModelBlock, { type: 'reasoning' }> {
  return {
    type: 'reasoning',
    text: summary.join('\n\n'),
    providerData: {
      id,
      encrypted_content: sealReasoning({ id, summary }, signer),
      summary: summary.map((text) => ({ type: 'summary_text', text })),
    },
  };
}

function call(toolCallId: string, input: object, providerData?: object): ModelBlock {
  return { type: 'tool_call', toolCallId, name: 'Read', input, ...(providerData && { providerData }) } as ModelBlock;
}

const read = { name: 'Read', description: 'Reads', inputSchema: { type: 'object', properties: { path: {} } } };
const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const image: ContentBlock = { type: 'image', uri: `data:image/png;base64,${png}`, mediaType: 'image/png' };
const pdf = Buffer.from('%PDF-1.7\n').toString('base64');

test('the whole of a request', () => {
  const thought = reasoning('rs_1', 'I look.');
  const messages = [
    user('Hello'),
    assistant(
      thought,
      {
        type: 'text',
        text: 'Looking … 世界',
        providerData: { item: { id: 'msg_1', status: 'completed', phase: 'commentary' } },
      },
      call('call_1', { path: 'größe.ts' }, { item: { id: 'fc_1', status: 'completed' } }),
    ),
    results(['call_1', [{ type: 'text', text: 'let größe' }]]),
  ];
  expect(parse({ tools: [read], messages, sessionId: 's-1', maxOutputTokens: 4_096, effort: 'high' })).toEqual({
    model,
    stream: true,
    store: false,
    include: ['reasoning.encrypted_content'],
    max_output_tokens: 4_096,
    prompt_cache_key: 's-1',
    reasoning: { effort: 'high', summary: 'auto' },
    parallel_tool_calls: true,
    instructions: 'Be brief.',
    tools: [
      {
        type: 'function',
        name: 'Read',
        description: 'Reads',
        parameters: { type: 'object', properties: { path: {} } },
        strict: false,
      },
    ],
    input: [
      { role: 'user', content: [{ type: 'input_text', text: 'Hello' }] },
      { type: 'reasoning', ...thought.providerData },
      {
        type: 'message',
        role: 'assistant',
        id: 'msg_1',
        status: 'completed',
        phase: 'commentary',
        content: [{ type: 'output_text', text: 'Looking … 世界', annotations: [] }],
      },
      {
        type: 'function_call',
        id: 'fc_1',
        status: 'completed',
        call_id: 'call_1',
        name: 'Read',
        arguments: '{"path":"größe.ts"}',
      },
      { type: 'function_call_output', call_id: 'call_1', output: 'let größe' },
    ],
  });
});

describe('how much it reasons', () => {
  const asked = (request: Partial<ModelRequest>, id?: string) => parse(request, id).reasoning;
  test.each<[string, Partial<ModelRequest>, string, object | undefined]>([
    ['nothing asked', {}, model, { summary: 'auto' }],
    ['shown nowhere', { thinking: { type: 'adaptive', display: 'omitted' } }, model, undefined],
    ['a level', { effort: 'max', thinking: { type: 'enabled' } }, model, { effort: 'max', summary: 'auto' }],
    ['the next lower level', { effort: 'max' }, 'gpt-5.1', { effort: 'high', summary: 'auto' }],
    [
      'off, where there is a word for it',
      { thinking: { type: 'disabled' }, effort: 'high' },
      'gpt-5.1',
      { effort: 'none' },
    ],
    ['off, where there is none', { thinking: { type: 'disabled' } }, model, { effort: 'low' }],
    ['least', { thinking: { type: 'disabled' } }, 'gpt-5-mini', { effort: 'minimal' }],
    ['of one that does not reason', { effort: 'high' }, 'gpt-4.1', undefined],
    ['of one that is newer than the catalog', { effort: 'xhigh' }, 'gpt-7', { effort: 'xhigh', summary: 'auto' }],
  ])('%s', (_name, request, id, expected) => {
    expect(asked(request, id)).toEqual(expected);
  });

  test('only a model that reasons is asked for its reasoning', () => {
    expect(parse({}, 'gpt-4.1')).not.toHaveProperty('include');
    expect(parse({}, 'gpt-4o-2024-11-20')).not.toHaveProperty('reasoning');
    expect(parse({}, 'some-local-model')).not.toHaveProperty('include');
  });
});

describe('content', () => {
  const content = (...blocks: readonly ContentBlock[]) =>
    parse({ messages: [{ role: 'user', content: blocks }] }).input[0].content;

  test('pictures and documents go as they are', () => {
    expect(
      content(
        image,
        { type: 'image', uri: 'https://x.example/a.png' },
        { type: 'embedded_resource', uri: 'file:///a/report.pdf?page=2', mediaType: 'application/pdf', blob: pdf },
        { type: 'embedded_resource', uri: 'mcp://x/1', mediaType: 'application/pdf', blob: pdf },
        { type: 'embedded_resource', uri: 'mcp://x/2', mediaType: 'image/png', blob: png },
      ),
    ).toEqual([
      { type: 'input_image', image_url: `data:image/png;base64,${png}`, detail: 'auto' },
      { type: 'input_image', image_url: 'https://x.example/a.png', detail: 'auto' },
      { type: 'input_file', filename: 'report.pdf', file_data: `data:application/pdf;base64,${pdf}` },
      { type: 'input_file', filename: 'document.pdf', file_data: `data:application/pdf;base64,${pdf}` },
      { type: 'input_image', image_url: `data:image/png;base64,${png}`, detail: 'auto' },
    ]);
  });

  test('what the API does not take is told in words', () => {
    const told = content(
      { type: 'audio', uri: 'data:audio/wav;base64,AAAA', mediaType: 'audio/wav' },
      { type: 'image', uri: 'data:image/bmp;base64,AAAA', mediaType: 'image/bmp' },
      { type: 'resource_link', uri: 'file:///a', title: 'A' },
      { type: 'text', text: '' },
    );
    expect(told.map(({ type, text }: { type: string; text: string }) => [type, text.slice(0, 7)])).toEqual([
      ['input_text', '[audio '],
      ['input_text', '[image '],
      ['input_text', '[resour'],
    ]);
  });

  test('a message without anything is still one', () => {
    expect(content({ type: 'text', text: '' })).toEqual([{ type: 'input_text', text: '(no content)' }]);
  });

  test('half a character is no character', () => {
    expect(content({ type: 'text', text: 'a\ud83d' })).toEqual([{ type: 'input_text', text: 'a\ufffd' }]);
  });

  test('outputs: a text, pictures, nothing, failures', () => {
    const ids = ['a', 'b', 'c', 'd', 'e'];
    const messages = [
      user('Go'),
      assistant(...ids.map((id) => call(id, {}))),
      results(
        [
          'a',
          [
            { type: 'text', text: 'one' },
            { type: 'text', text: 'two' },
          ],
        ],
        ['b', [{ type: 'text', text: 'see' }, image]],
        ['c', []],
        ['d', [{ type: 'text', text: 'no such file' }], true],
        ['e', [], true],
      ),
    ];
    const outputs = parse({ messages })
      .input.slice(-5)
      .map(({ output }: { output: unknown }) => output);
    expect(outputs).toEqual([
      'one\ntwo',
      [
        { type: 'input_text', text: 'see' },
        { type: 'input_image', image_url: image.uri, detail: 'auto' },
      ],
      '(no output)',
      'The tool failed:\nno such file',
      'The tool failed without a message.',
    ]);
  });
});

describe('what the model said', () => {
  const input = (...content: readonly ModelBlock[]) =>
    parse({ messages: [user('Hi'), assistant(...content), user('And?')] }).input.slice(1, -1);

  test('reasoning goes with what it led to, or not at all', () => {
    const thought = reasoning('rs_9', 'Hm.');
    expect(input({ type: 'text', text: 'a' }, thought)).toHaveLength(1);
    expect(input(thought)).toHaveLength(0);
    expect(input(thought, { type: 'text', text: '' })).toHaveLength(0);
    expect(input({ type: 'reasoning', text: 'of nobody' }, { type: 'text', text: 'a' })).toHaveLength(1);
    // Interrupted in its answer: that came without an ID, and follows all the same.
    expect(input(thought, { type: 'text', text: 'Once up' })).toEqual([
      { type: 'reasoning', ...thought.providerData },
      { role: 'assistant', content: 'Once up' },
    ]);
  });

  test('parts of one message are one message again, with their citations', () => {
    const annotations = [{ type: 'url_citation', url: 'https://x.example', title: 'X', start_index: 0, end_index: 1 }];
    expect(
      input(
        {
          type: 'text',
          text: 'a',
          providerData: { item: { id: 'msg_1', status: 'completed' }, part: { annotations } },
        },
        {
          type: 'text',
          text: 'no',
          providerData: { item: { id: 'msg_1', status: 'completed' }, part: { type: 'refusal' } },
        },
        { type: 'text', text: 'b', providerData: { item: { id: 'msg_2', status: 'incomplete' } } },
      ),
    ).toMatchObject([
      {
        id: 'msg_1',
        content: [
          { type: 'output_text', text: 'a', annotations },
          { type: 'refusal', refusal: 'no' },
        ],
      },
      { id: 'msg_2', status: 'incomplete', content: [{ text: 'b' }] },
    ]);
  });

  test('items of the vendor go back whole, those of another are left out', () => {
    const raw = { id: 'ws_1', type: 'web_search_call', status: 'completed', action: { type: 'search', query: 'x' } };
    expect(
      input(
        { type: 'opaque', provider: 'openai', raw },
        { type: 'opaque', provider: 'anthropic', raw: { type: 'server_tool_use' } },
        { type: 'text', text: 'a' },
      ),
    ).toEqual([raw, { role: 'assistant', content: 'a' }]);
  });

  test('arguments are spelled as the model spelled them, while they say the same', () => {
    const argumentsOf = (input: object, written: string) =>
      parse({
        messages: [
          user('Go'),
          assistant(call('c', input, { item: { id: 'fc_1' }, arguments: written })),
          results(['c', []]),
        ],
      }).input[1].arguments;
    expect(argumentsOf({ a: 1 }, '{"a": 1}')).toBe('{"a": 1}');
    expect(argumentsOf({ a: 2 }, '{"a": 1}')).toBe('{"a":2}');
    expect(argumentsOf({}, '{"a": ')).toBe('{}');
  });
});

test('a tool whose schema the API would refuse is offered with one that it takes', () => {
  const inputSchema = {
    anyOf: [
      { type: 'object', properties: { ids: { type: 'array' } }, required: ['ids'] },
      { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
    ],
  };
  const { parameters } = parse({
    tools: [
      { ...read, inputSchema },
      { ...read, name: 'Now', inputSchema: {} },
    ],
  }).tools[0];
  expect(parameters).toMatchObject({ type: 'object', properties: { ids: {}, name: {} } });
  expect(parameters.description).toContain('"anyOf"');
});

test('an earlier request is the beginning of a later one, byte for byte, and messages are serialised once', () => {
  const messages: ModelMessage[] = [];
  let before = '';
  for (let step = 0; step < 5; step += 1) {
    messages.push(step === 0 ? user('Start') : results([`call_${step}`, [{ type: 'text', text: `${step}` }]]));
    const sent = encode({ tools: [read], messages: [...messages], sessionId: 's-1' });
    expect(sent.startsWith(before)).toBe(true);
    expect(sent).toBe(encode({ tools: [read], messages: [...messages], sessionId: 's-1' }));
    before = sent.slice(0, -']}'.length);
    messages.push(assistant(reasoning(`rs_${step}`, `Step ${step}`), call(`call_${step + 1}`, { path: 'a' })));
  }
  const thinking: Thinking = { type: 'adaptive' };
  expect(before.length).toBeGreaterThan(encode({ thinking }).length);
});

test('the key of the cache is no longer than the API takes', () => {
  const long = `${'s'.repeat(80)}-1`;
  expect(parse({ sessionId: long }).prompt_cache_key).toBe(long.slice(-64));
});

test('a temperature is sent where the model does not reason', () => {
  expect(parse({ temperature: 0.2 }, 'gpt-4.1').temperature).toBe(0.2);
  expect(parse({ temperature: 0.2, thinking: { type: 'disabled' } }, 'gpt-6-sol').temperature).toBe(0.2);
  expect(parse({ temperature: 0.2, thinking: { type: 'disabled' } }, 'gpt-5').temperature).toBeUndefined();
  expect(parse({ temperature: 0.2 }).temperature).toBeUndefined();
});

describe('what the answer is to be', () => {
  const schema = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] };

  test('is the format of the text, strict where every property is required', () => {
    const format = {
      type: 'json_schema',
      name: 'output',
      strict: true,
      schema: { ...schema, additionalProperties: false },
    };
    expect(parse({ output: { schema } })).toMatchObject({ text: { format }, instructions: 'Be brief.' });
    const optional = { type: 'object', properties: { n: { type: 'integer' } } };
    expect(parse({ output: { schema: optional } }).text.format).toMatchObject({ strict: false });
    expect(parse({})).not.toHaveProperty('text');
  });

  test('counts with the rest', () => {
    const facts = openaiFacts(model);
    const body = JSON.parse(
      encodeCount(
        { system: '', tools: [], messages: [user('Hello')], output: { schema } },
        { model, facts },
      ).toString(),
    );
    expect(checkCount(body, signer)).toBeUndefined();
    expect(body.text.format.name).toBe('output');
  });

  test('is said in words where no format can say it', () => {
    const list = { type: 'array', items: { type: 'string' } };
    const body = parse({ output: { schema: list } });
    expect(body.text).toBeUndefined();
    expect(body.instructions).toMatch(/^Be brief\.\n\nYour final answer is JSON/);
    expect(body.instructions.endsWith(JSON.stringify(list))).toBe(true);
  });
});
