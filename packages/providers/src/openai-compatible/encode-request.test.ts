import type { ModelBlock } from '@rondo/protocol';
import type { ModelMessage, ModelRequest, ToolSpecification } from '@rondo/runtime';
import { describe, expect, test } from 'vitest';
import { checkRequest } from '../testing/chat-completions/check-request.ts';
import { flavours } from '../testing/chat-completions/flavour.ts';
import { createReasoningSigner } from '../testing/index.ts';
import { createMessageEncoder } from './encode-message.ts';
import { encodeRequest } from './encode-request.ts';
import { serverQuirks } from './server-quirks.ts';

const signer = createReasoningSigner();
const greeting: ModelMessage = { role: 'user', content: [{ type: 'text', text: 'Hello' }] };
const pixel = {
  type: 'image',
  uri: 'data:image/png;base64,iVBORw0KGgo=',
  mediaType: 'image/png',
  altText: 'a dot',
} as const;
const readTool: ToolSpecification = {
  name: 'Read',
  description: 'Reads a file.',
  inputSchema: {
    type: 'object',
    properties: {
      path: { type: 'string', pattern: '^/\\d', maxLength: 4096 },
      any: true,
      item: { $ref: '#/$defs/item' },
    },
    $defs: { item: { type: 'string', format: 'date' } },
  },
};

interface Wire {
  readonly [field: string]: unknown;
  readonly messages: readonly Readonly<Record<string, unknown>>[];
}

function assistant(...content: readonly ModelBlock[]): ModelMessage {
  return { role: 'assistant', model: 'openai-compatible/m', content };
}

function call(toolCallId: string, input: object = {}): ModelBlock {
  return { type: 'tool_call', toolCallId, name: 'Read', input: input as Record<string, string> };
}

function result(toolCallId: string, ...content: readonly object[]) {
  return { type: 'tool_result', toolCallId, isError: false, content: content as never } as const;
}

/** The body as the server of the kind gets it, which its strict double must take. */
function encode(request: Partial<ModelRequest>, kind = '', model = 'm'): Wire {
  const quirks = serverQuirks(kind === '' ? undefined : kind, model);
  const whole = { system: '', tools: [], messages: [greeting], ...request };
  const encoder = createMessageEncoder(quirks);
  const bytes = encodeRequest(whole, { model, quirks, encoder, maxOutputTokens: undefined });
  const body = JSON.parse(bytes.toString('utf8')) as Wire;
  const flavour = flavours[kind] ?? flavours[''];
  if (flavour === undefined) throw new Error('there is no flavour');
  expect(checkRequest(body, flavour, signer)).toBeUndefined();
  return body;
}

describe('the body', () => {
  test('says no more than it must', () => {
    expect(encode({})).toEqual({
      model: 'm',
      stream: true,
      stream_options: { include_usage: true },
      messages: [{ role: 'user', content: 'Hello' }],
    });
  });

  test.each<[string, string, object]>([
    ['', 'm', { max_tokens: 7, reasoning_effort: 'high' }],
    ['ollama', 'm', { max_tokens: 7, reasoning_effort: 'high' }],
    ['lmstudio', 'm', { max_tokens: 7, reasoning_effort: 'high' }],
    ['llamacpp', 'm', { max_tokens: 7, chat_template_kwargs: { enable_thinking: true, reasoning_effort: 'high' } }],
    ['vllm', 'm', { max_tokens: 7, chat_template_kwargs: { enable_thinking: true }, reasoning_effort: 'high' }],
    ['openrouter', 'm', { max_tokens: 7, reasoning: { enabled: true, effort: 'xhigh' }, session_id: 's' }],
    ['openrouter', 'anthropic/claude', { cache_control: { type: 'ephemeral' } }],
    ['deepseek', 'm', { max_tokens: 7, thinking: { type: 'enabled' }, reasoning_effort: 'high' }],
    ['groq', 'm', { max_completion_tokens: 7 }],
    ['groq', 'openai/gpt-oss-20b', { max_completion_tokens: 7, reasoning_effort: 'high' }],
  ])('of %s for %s', (kind, model, expected) => {
    const asked = { maxOutputTokens: 7, effort: 'xhigh', thinking: { type: 'enabled' }, sessionId: 's' } as const;
    const {
      messages: _,
      stream: _stream,
      stream_options: _options,
      model: _model,
      ...body
    } = encode(asked, kind, model);
    expect(body).toMatchObject(expected);
    if (!('cache_control' in expected)) expect(body).toEqual(expected);
  });

  test.each<[string, object]>([
    ['', {}],
    ['ollama', { reasoning_effort: 'none' }],
    ['vllm', { chat_template_kwargs: { enable_thinking: false } }],
    ['openrouter', { reasoning: { enabled: false } }],
    ['deepseek', { thinking: { type: 'disabled' } }],
  ])('of %s turns reasoning off in its own way', (kind, expected) => {
    const {
      messages: _,
      stream: _stream,
      stream_options: _options,
      model: _model,
      ...body
    } = encode({ thinking: { type: 'disabled' }, effort: 'max' }, kind);
    expect(body).toEqual(expected);
  });

  test('a number of tokens counts for more than a level, where there is one', () => {
    const asked = { thinking: { type: 'enabled', budgetTokens: 2_000 }, effort: 'low' } as const;
    expect(encode(asked, 'openrouter')['reasoning']).toEqual({ enabled: true, max_tokens: 2_000 });
    expect(encode(asked, 'deepseek')['reasoning_effort']).toBe('low');
    expect(encode({ effort: 'max' }, 'ollama')['reasoning_effort']).toBe('high');
    expect(encode({ thinking: { type: 'adaptive' } }, 'vllm')['chat_template_kwargs']).toBeUndefined();
  });

  test('OpenAI itself is told of its developer', () => {
    expect(encode({ system: 'Be brief.' }, 'openai').messages[0]).toEqual({ role: 'developer', content: 'Be brief.' });
    expect(encode({ system: 'Be brief.' }).messages[0]).toEqual({ role: 'system', content: 'Be brief.' });
  });
});

describe('tools', () => {
  const parameters = (kind: string) => JSON.stringify(encode({ tools: [readTool] }, kind)['tools']);

  test('go as they are where nothing is known against it', () => {
    expect(JSON.parse(parameters(''))).toEqual([
      { type: 'function', function: { name: 'Read', description: 'Reads a file.', parameters: readTool.inputSchema } },
    ]);
  });

  test.each(['llamacpp', 'lmstudio'])('lose for %s what breaks its grammar', (kind) => {
    expect(parameters(kind)).not.toMatch(/pattern|maxLength|"format"/);
    expect(parameters(kind)).toContain('"path":{"type":"string"}');
  });

  test('have objects for properties for Ollama', () => {
    expect(parameters('ollama')).toContain('"any":{}');
    expect(parameters('ollama')).not.toContain('$ref');
  });

  test('alone bring along how they are called', () => {
    expect(encode({ tools: [readTool] }, 'llamacpp')['parallel_tool_calls']).toBe(true);
    expect(encode({}, 'llamacpp')['parallel_tool_calls']).toBeUndefined();
  });
});

describe('messages', () => {
  const loop: readonly ModelMessage[] = [
    greeting,
    assistant({ type: 'text', text: 'Two.' }, call('a', { path: 'a' }), call('b')),
    {
      role: 'user',
      content: [result('a', { type: 'text', text: 'one' }), result('b', pixel), { type: 'text', text: 'go on' }],
    },
  ];

  test('results come one by one, what they show and what is said behind them', () => {
    expect(encode({ messages: loop }).messages.slice(1)).toEqual([
      {
        role: 'assistant',
        content: 'Two.',
        tool_calls: [
          { id: 'a', type: 'function', function: { name: 'Read', arguments: '{"path":"a"}' } },
          { id: 'b', type: 'function', function: { name: 'Read', arguments: '{}' } },
        ],
      },
      { role: 'tool', tool_call_id: 'a', content: 'one' },
      { role: 'tool', tool_call_id: 'b', content: '[an image in the next user message]' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'From the result of b:' },
          { type: 'image_url', image_url: { url: pixel.uri } },
          { type: 'text', text: 'go on' },
        ],
      },
    ]);
  });

  test('an image that the model does not take is named, in one text', () => {
    const messages = [{ role: 'user', content: [pixel, { type: 'text', text: 'What?' }] }] as const;
    expect(encode({ messages }, 'deepseek').messages[0]?.['content']).toBe('[image (image/png): a dot]\n\nWhat?');
    expect(encode({ messages }, 'ollama').messages[0]?.['content']).toEqual(expect.any(String));
    expect(encode({ messages }, 'ollama', 'llava:7b').messages[0]?.['content']).toHaveLength(2);
  });

  test('nothing said is said to be nothing', () => {
    const blank = { type: 'text', text: ' \n' } as const;
    const messages = [
      { role: 'user', content: [blank] },
      assistant({ type: 'opaque', provider: 'x', raw: {} }),
      greeting,
      assistant(call('a')),
      { role: 'user', content: [result('a', blank), { ...result('b'), toolCallId: 'a2', isError: true }].slice(0, 1) },
    ] as readonly ModelMessage[];
    expect(encode({ messages }).messages.map(({ content }) => content)).toEqual([
      '(no content)',
      '(no content)',
      'Hello',
      null,
      '(no output)',
    ]);
    expect(encode({ messages }, 'lmstudio').messages[3]?.['content']).toBe('');
  });

  test('a template that wants turns gets them, and the IDs it wants', () => {
    const { messages } = encode({ messages: loop }, 'vllm', 'mistralai/Devstral-Small');
    expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'tool', 'assistant', 'user']);
    const [made] = (messages[1]?.['tool_calls'] ?? []) as readonly { id: string }[];
    const id = made?.id;
    expect(id).toMatch(/^[A-Za-z0-9]{9}$/);
    expect(messages[2]?.['tool_call_id']).toBe(id);
  });

  test('half a character is replaced', () => {
    const messages = [{ role: 'user', content: [{ type: 'text', text: 'cut \ud83d' }] }] as const;
    expect(encode({ messages }).messages[0]?.['content']).toBe('cut \ufffd');
  });
});

describe('reasoning goes back', () => {
  const thought = (providerData?: object): ModelBlock => ({
    type: 'reasoning',
    text: 'hm',
    ...(providerData && { providerData: providerData as Record<string, string> }),
  });
  const second = (kind: string, ...content: readonly ModelBlock[]) =>
    encode(
      {
        messages: [
          greeting,
          assistant(...content, call('a')),
          { role: 'user', content: [result('a', { type: 'text', text: 'x' })] },
        ],
      },
      kind,
    ).messages[1];

  test('in the field it came in, where the server takes it', () => {
    expect(second('vllm', thought({ field: 'reasoning' }))).toMatchObject({ reasoning: 'hm' });
    expect(second('vllm', thought({ field: 'reasoning_content' }))).toMatchObject({ reasoning_content: 'hm' });
    expect(second('vllm', thought({ field: 'content' }))).not.toHaveProperty('reasoning');
    expect(second('groq', thought({ field: 'reasoning' }))).not.toHaveProperty('reasoning');
    expect(second('vllm', thought())).not.toHaveProperty('reasoning');
  });

  test('to DeepSeek beside every call, be it empty', () => {
    expect(second('deepseek', thought({ field: 'reasoning_content' }))).toMatchObject({ reasoning_content: 'hm' });
    expect(second('deepseek')).toMatchObject({ reasoning_content: '' });
  });

  test('to OpenRouter as its details, in order and as they came', () => {
    const detail = { type: 'reasoning.text', text: 'hm', signature: signer.sign('hm'), index: 0 };
    const sealed = { type: 'reasoning.encrypted', data: 'x', id: 'a' };
    const text: ModelBlock = { type: 'text', text: 'so', providerData: { reasoning_details: [sealed] } };
    expect(second('openrouter', thought({ reasoning_details: [detail] }), text)).toMatchObject({
      reasoning_details: [detail, sealed],
    });
  });
});

test('a longer conversation repeats every earlier byte, and messages are serialised once', () => {
  const quirks = serverQuirks('openrouter');
  const encoder = createMessageEncoder(quirks);
  const options = { model: 'm', quirks, encoder, maxOutputTokens: undefined };
  const messages: ModelMessage[] = [greeting];
  let before = '';
  for (let step = 0; step < 20; step += 1) {
    const body = encodeRequest({ system: 'Be brief.', tools: [readTool], messages }, options).toString('utf8');
    expect(body.startsWith(before)).toBe(true);
    before = body.slice(0, -']}'.length);
    const results: ModelMessage = { role: 'user', content: [result(`c${step}`, { type: 'text', text: `${step}` })] };
    messages.push(assistant(call(`c${step}`)), results);
    expect(encoder.message(results)).toBe(encoder.message(results));
  }
});

describe('what the answer is to be', () => {
  const schema = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] };
  const output = { schema };
  const format = {
    type: 'json_schema',
    json_schema: { name: 'output', strict: true, schema: { ...schema, additionalProperties: false } },
  };
  const said = (body: Wire): boolean => String(body.messages[0]?.['content']).endsWith(JSON.stringify(schema));

  test.each([
    ['openai', 'm'],
    ['openrouter', 'anthropic/claude-sonnet-5-5'],
  ])('is a response format of %s, also beside tools', (kind, model) => {
    const body = encode({ output, tools: [readTool] }, kind, model);
    expect(body['response_format']).toEqual(format);
    expect(said(body)).toBe(false);
  });

  test.each(['ollama', 'lmstudio', 'llamacpp', 'vllm'])('is one of %s where there are no tools', (kind) => {
    expect(encode({ output }, kind)['response_format']).toEqual(format);
    const body = encode({ output, tools: [readTool] }, kind);
    expect(body).not.toHaveProperty('response_format');
    expect(said(body)).toBe(true);
  });

  test.each([
    ['', 'm'],
    ['deepseek', 'm'],
    ['groq', 'm'],
    ['openrouter', 'other/model'],
  ])('is said in words to %s %s', (kind, model) => {
    const body = encode({ output }, kind, model);
    expect(body).not.toHaveProperty('response_format');
    expect(said(body)).toBe(true);
  });
});
