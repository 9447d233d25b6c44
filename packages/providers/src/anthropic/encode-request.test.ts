import type { ContentBlock, JsonObject, ModelBlock } from '@rondo/protocol';
import type { ModelMessage, ModelRequest, Thinking } from '@rondo/runtime';
import { describe, expect, test, vi } from 'vitest';
import { checkRequest, createReasoningSigner } from '../testing/index.ts';
import { createMessageEncoder } from './encode-message.ts';
import { encodeRequest, type EncodeOptions } from './encode-request.ts';
import { anthropicFacts } from './model-facts.ts';

const signer = createReasoningSigner();

const encoder = createMessageEncoder({ citations: false });

function encode(
  request: Partial<ModelRequest>,
  model = 'claude-sonnet-5-5',
  more: Partial<EncodeOptions> = {},
): string {
  const catalog = anthropicFacts(model);
  const whole: ModelRequest = { system: 'Be brief.', tools: [], messages: [user('Hello')], ...request };
  const { maxOutputTokens } = catalog;
  return Buffer.concat(
    encodeRequest(whole, { model, catalog, maxOutputTokens, encoder, serverTools: [], ...more }),
  ).toString();
}

function parse(request: Partial<ModelRequest>, model?: string, more: Partial<EncodeOptions> = {}) {
  const body = JSON.parse(encode(request, model, more));
  expect(checkRequest(body, signer, { counts: more.counts ?? false })).toBeUndefined();
  return body;
}

function user(text: string): ModelMessage {
  return { role: 'user', content: [{ type: 'text', text }] };
}

const mark = { type: 'ephemeral' };
const tools = ['Read', 'Write'].map((name) => ({
  name,
  description: `${name}s a file`,
  inputSchema: { type: 'object' },
}));

const called: ModelMessage = {
  role: 'assistant',
  model: 'anthropic/claude-sonnet-5-5',
  content: [
    { type: 'reasoning', text: 'I look.', signature: signer.sign('I look.') },
    { type: 'text', text: 'Looking … 世界' },
    { type: 'tool_call', toolCallId: 'toolu_1', name: 'Read', input: { path: 'größe.ts' } },
  ],
};
const answered: ModelMessage = {
  role: 'user',
  content: [
    { type: 'tool_result', toolCallId: 'toolu_1', content: [{ type: 'text', text: 'let größe' }], isError: false },
  ],
};

test('the whole of a request', () => {
  expect(parse({ tools, messages: [user('Hello'), called, answered], sessionId: 's-1' })).toEqual({
    model: 'claude-sonnet-5-5',
    max_tokens: 128_000,
    stream: true,
    metadata: { user_id: '{"session_id":"s-1"}' },
    system: [{ type: 'text', text: 'Be brief.', cache_control: mark }],
    tools: [
      { name: 'Read', description: 'Reads a file', input_schema: { type: 'object' } },
      { name: 'Write', description: 'Writes a file', input_schema: { type: 'object' }, cache_control: mark },
    ],
    messages: [
      { role: 'user', content: [{ type: 'text', text: 'Hello' }] },
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'I look.', signature: signer.sign('I look.') },
          { type: 'text', text: 'Looking … 世界' },
          { type: 'tool_use', id: 'toolu_1', name: 'Read', input: { path: 'größe.ts' } },
        ],
      },
      {
        role: 'user',
        content: [
          {
            type: 'tool_result',
            tool_use_id: 'toolu_1',
            content: [{ type: 'text', text: 'let größe' }],
            cache_control: mark,
          },
        ],
      },
    ],
  });
});

describe('the prompt cache', () => {
  const turns = [
    user('One'),
    called,
    answered,
    user('Two 👩‍💻'),
    { ...called, content: [{ type: 'text', text: 'Done' }] } as ModelMessage,
    user('Three'),
  ];

  test('without its marks every earlier request is the beginning of the later ones', () => {
    const bodies = turns.map((_, index) => encode({ tools, messages: turns.slice(0, index + 1) }));
    const unmarked = bodies.map((body) => body.replaceAll(',"cache_control":{"type":"ephemeral"}', ''));
    for (const [index, body] of unmarked.slice(1).entries()) {
      const earlier = unmarked[index] ?? '';
      expect(body.startsWith(earlier.slice(0, -']}'.length))).toBe(true);
    }
  });

  test('a message is serialised once in its life', () => {
    const toJSON = vi.fn(() => 'Hello');
    const text = Object.assign(Object('Hello'), { toJSON }) as string;
    const message: ModelMessage = { role: 'user', content: [{ type: 'text', text }] };
    const first = encode({ messages: [message] });
    expect(encode({ messages: [message] })).toBe(first);
    expect(toJSON).toHaveBeenCalledTimes(1);
  });

  test('the mark goes to the last block that takes one', () => {
    const conversation: ModelMessage[] = [
      user('Go'),
      {
        role: 'assistant',
        model: 'm',
        content: [
          { type: 'text', text: 'ä' },
          { type: 'reasoning', text: 'ö', signature: signer.sign('ö') },
        ],
      },
    ];
    const { messages } = parse({ messages: conversation }, 'claude-sonnet-4-5');
    expect(messages[1].content).toEqual([
      { type: 'text', text: 'ä', cache_control: mark },
      { type: 'thinking', thinking: 'ö', signature: signer.sign('ö') },
    ]);
  });
});

describe('what the vendor made goes back as it came', () => {
  const opaque = (raw: JsonObject): ModelBlock => ({ type: 'opaque', provider: 'anthropic', raw });
  const search = { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: { query: 'x' } };
  const page = {
    type: 'web_search_result',
    url: 'https://x',
    title: 'X',
    encrypted_content: 'EqgfCio/+==',
    page_age: null,
  };
  const found = { type: 'web_search_tool_result', tool_use_id: 'srvtoolu_1', content: [page] };
  const said: ModelBlock = { type: 'text', text: 'So.' };
  const call: ModelBlock = { type: 'tool_call', toolCallId: 'toolu_1', name: 'Read', input: {} };
  const reply = (...content: ModelBlock[]): ModelMessage => ({ role: 'assistant', model: 'm', content });

  test('calls and results of its own tools, and nothing of another vendor', () => {
    const content = [opaque(search), opaque(found), { type: 'opaque', provider: 'openai', raw: {} }, said] as const;
    const { messages } = parse({ messages: [user('Go'), reply(...content), user('on')] });
    expect(messages[1].content).toEqual([search, found, { type: 'text', text: 'So.' }]);
    expect(JSON.stringify(messages[1].content[1])).toBe(JSON.stringify(found));
  });

  test('a call without its result, where the request is about it', () => {
    const paused = parse({ messages: [user('Go'), reply(said, opaque(search))] });
    expect(paused.messages[1].content.at(-1)).toMatchObject(search);
    const mixed = [user('Go'), reply(opaque(search), call), answered];
    expect(parse({ messages: mixed }).messages[1].content[0]).toEqual(search);
    const later = [...mixed, reply(opaque(found), said), user('on')];
    expect(parse({ messages: later }).messages.map(({ content }: { content: unknown[] }) => content.length)).toEqual([
      1, 2, 1, 2, 1,
    ]);
  });

  test('but not one that will have none any more, nor a result whose call is gone', () => {
    const paused = parse({ messages: [user('Go'), reply(said, opaque(search)), user('never mind')] });
    expect(paused.messages[1].content).toEqual([{ type: 'text', text: 'So.' }]);
    const mixed = parse({ messages: [user('Go'), reply(opaque(search), call), answered, reply(said), user('on')] });
    expect(mixed.messages[1].content).toMatchObject([{ type: 'tool_use' }]);
    const orphan = parse({ messages: [user('Go'), reply(opaque(found), said), user('on')] });
    expect(orphan.messages[1].content).toEqual([{ type: 'text', text: 'So.' }]);
  });

  test('a text with its citations, without the field that the API sends and does not take', () => {
    const place = { type: 'char_location', cited_text: 'x', document_index: 0, document_title: null };
    const citation = { ...place, start_char_index: 0, end_char_index: 1 };
    const text: ModelBlock = { ...said, providerData: { citations: [{ ...citation, file_id: 'f' }] } };
    const { messages } = parse({ messages: [user('Go'), reply(text), user('on')] });
    expect(messages[1].content).toEqual([{ type: 'text', text: 'So.', citations: [citation] }]);
  });

  test('a call with who made it', () => {
    const caller = { type: 'code_execution_20250825', tool_id: 'srvtoolu_1' };
    const { messages } = parse({ messages: [user('Go'), reply({ ...call, providerData: { caller } }), answered] });
    expect(messages[1].content[0]).toEqual({ type: 'tool_use', id: 'toolu_1', name: 'Read', input: {}, caller });
  });

  test('the container that it ran in, until its time is over', () => {
    const container = (id: string, expiry: string) => opaque({ type: 'container', id, expires_at: expiry });
    const history = (expiry: string) => [
      user('Go'),
      reply(said, container('old', '2099-01-01T00:00:00Z')),
      user('on'),
      reply(said, container('container_1', expiry)),
      user('and on'),
    ];
    const body = parse({ messages: history('2099-01-01T00:00:00Z') });
    expect(body.container).toBe('container_1');
    expect(body.messages[3].content).toEqual([{ type: 'text', text: 'So.' }]);
    expect(parse({ messages: history('2020-01-01T00:00:00Z') }).container).toBeUndefined();
  });

  test('its own tools stand before ours', () => {
    const serverTools = [{ type: 'web_search_20250305', name: 'web_search' }];
    const body = parse({ tools }, undefined, { serverTools });
    expect(body.tools.map(({ name }: { name: string }) => name)).toEqual(['web_search', 'Read', 'Write']);
  });
});

test('a request to count tokens says nothing about the reply', () => {
  const body = parse({ tools, sessionId: 's', thinking: { type: 'adaptive' } }, undefined, { counts: true });
  expect(Object.keys(body)).toEqual(['model', 'thinking', 'system', 'tools', 'messages']);
});

describe('the schema of a tool', () => {
  const schemaOf = (inputSchema: JsonObject) =>
    parse({ tools: [{ name: 'a', description: 'A', inputSchema }] }).tools[0].input_schema;

  test('has no combinators at its top', () => {
    const either = { type: 'object', properties: { a: { type: 'string' } }, anyOf: [{ required: ['a'] }, {}] };
    const { anyOf: _, ...object } = either;
    expect(schemaOf(either)).toEqual({ ...object, description: expect.stringContaining('anyOf') });
  });

  test('has no property whose name the API refuses, and is an object', () => {
    const odd = { properties: { 'a b': {}, c: {}, ['x'.repeat(65)]: {} }, required: ['a b', 'c'] };
    expect(schemaOf(odd)).toEqual({ type: 'object', properties: { c: {} }, required: ['c'] });
  });

  test('is else as it was, byte for byte', () => {
    const plain = { type: 'object', properties: { 'a.b-c_1': { oneOf: [{ type: 'string' }] } }, $defs: { x: {} } };
    expect(JSON.stringify(schemaOf(plain))).toBe(JSON.stringify(plain));
  });
});

describe('what the API refuses is not sent', () => {
  test('text that is empty or all white space, reasoning without its signature', () => {
    const { messages } = parse({
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: '' },
            { type: 'text', text: 'Go' },
          ],
        },
        {
          role: 'assistant',
          model: 'm',
          content: [
            { type: 'text', text: '\n\n' },
            { type: 'reasoning', text: 'hm' },
            { type: 'text', text: 'So.' },
          ],
        },
        user('on'),
      ],
    });
    expect(messages[0].content).toEqual([{ type: 'text', text: 'Go' }]);
    expect(messages[1].content).toEqual([{ type: 'text', text: 'So.' }]);
  });

  test('a reply with nothing left is left out, a user turn with nothing left keeps its place', () => {
    const { messages } = parse({
      messages: [
        user('Go'),
        { role: 'assistant', model: 'm', content: [{ type: 'reasoning', text: 'hm' }] },
        { role: 'user', content: [{ type: 'text', text: ' ' }] },
      ],
    });
    expect(messages).toEqual([
      { role: 'user', content: [{ type: 'text', text: 'Go' }] },
      { role: 'user', content: [{ type: 'text', text: '(no content)', cache_control: mark }] },
    ]);
  });

  test('half a surrogate pair', () => {
    const body = encode({ messages: [user('cut \ud83d here'), called, answered] });
    expect(checkRequest(JSON.parse(body), signer)).toBeUndefined();
    expect(body).toContain('cut \ufffd here');
  });

  test('a call whose input was no JSON has an empty one, a failure without words has words', () => {
    const content: ModelMessage['content'] = [
      { type: 'tool_call', toolCallId: 't', name: 'Read', input: 'oops', malformed: { text: '{"a', error: 'x' } },
    ];
    const { messages } = parse({
      messages: [
        user('Go'),
        { role: 'assistant', model: 'm', content } as ModelMessage,
        { role: 'user', content: [{ type: 'tool_result', toolCallId: 't', content: [], isError: true }] },
      ],
    });
    expect(messages[1].content[0].input).toEqual({});
    expect(messages[2].content[0]).toMatchObject({
      is_error: true,
      content: [{ type: 'text', text: expect.stringContaining('failed') }],
    });
  });
});

describe('content', () => {
  const png = 'data:image/png;base64,iVBORw0KGgo=';
  test.each<[string, ContentBlock, object]>([
    [
      'a data image',
      { type: 'image', uri: png },
      { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' } },
    ],
    [
      'a linked image',
      { type: 'image', uri: 'https://x.example/a.png' },
      { type: 'image', source: { type: 'url', url: 'https://x.example/a.png' } },
    ],
    [
      'an image of a kind it cannot read',
      { type: 'image', uri: 'data:image/tiff;base64,AAAA', altText: 'a scan' },
      { type: 'text', text: '[image (image/tiff): a scan]' },
    ],
    [
      'a sound',
      { type: 'audio', uri: 'data:audio/wav;base64,AAAA', mediaType: 'audio/wav' },
      { type: 'text', text: '[audio (audio/wav): data:audio/wav;base64,…]' },
    ],
    [
      'a link',
      { type: 'resource_link', uri: 'file:///a.md', name: 'notes' },
      { type: 'text', text: '[resource notes at file:///a.md]' },
    ],
    [
      'an embedded text',
      { type: 'embedded_resource', uri: 'file:///a.md', text: 'Hi' },
      { type: 'text', text: '[resource: file:///a.md]\nHi' },
    ],
    [
      'an embedded image',
      { type: 'embedded_resource', uri: 'x:', blob: 'AAAA', mediaType: 'image/png' },
      { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } },
    ],
    [
      'a PDF',
      { type: 'embedded_resource', uri: 'file:///home/me/Jahr%202025.pdf', blob: 'AAAA', mediaType: 'application/pdf' },
      {
        type: 'document',
        source: { type: 'base64', media_type: 'application/pdf', data: 'AAAA' },
        title: 'Jahr 2025.pdf',
        context: 'From file:///home/me/Jahr%202025.pdf',
      },
    ],
    [
      'a PDF without a name',
      { type: 'embedded_resource', uri: 'data:,', blob: 'AAAA', mediaType: 'application/pdf' },
      { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: 'AAAA' } },
    ],
    [
      'other bytes',
      { type: 'embedded_resource', uri: 'x:y', blob: 'AAAA', mediaType: 'application/zip' },
      { type: 'text', text: '[resource (application/zip): x:y]' },
    ],
    [
      'a kind of tomorrow',
      { type: 'unknown', originalType: 'hologram', raw: {} },
      { type: 'text', text: expect.stringContaining('hologram') },
    ],
  ])('%s', (_name, block, expected) => {
    const { messages } = parse({ messages: [{ role: 'user', content: [block] }] });
    expect(messages[0].content).toEqual([{ ...expected, cache_control: mark }]);
  });
});

test('documents are cited when that is asked for, texts of resources too', () => {
  const content: ContentBlock[] = [
    { type: 'embedded_resource', uri: 'x:/a.pdf', blob: 'AAAA', mediaType: 'application/pdf' },
    { type: 'embedded_resource', uri: 'x:/100%.md', text: 'Hi', mediaType: 'text/markdown' },
  ];
  const citing = { encoder: createMessageEncoder({ citations: true }) };
  const { messages } = parse({ messages: [{ role: 'user', content }] }, undefined, citing);
  expect(messages[0].content).toMatchObject([
    { type: 'document', title: 'a.pdf', citations: { enabled: true } },
    {
      type: 'document',
      source: { type: 'text', media_type: 'text/plain', data: 'Hi' },
      title: '100%.md',
      citations: { enabled: true },
    },
  ]);
});

describe('thinking and effort, in the way the model takes them', () => {
  const adaptive: Thinking = { type: 'adaptive' };
  const enabled: Thinking = { type: 'enabled', budgetTokens: 4_000, display: 'summarized' };
  const disabled: Thinking = { type: 'disabled' };
  test.each<[string, Thinking, object | undefined]>([
    ['claude-opus-5-5', adaptive, { type: 'adaptive' }],
    ['claude-opus-5-5', enabled, { type: 'adaptive', display: 'summarized' }],
    ['claude-opus-5-5', disabled, undefined],
    ['claude-sonnet-5-5', disabled, { type: 'between_tools' }],
    ['claude-sonnet-5', disabled, { type: 'disabled' }],
    ['claude-sonnet-4-6', enabled, { type: 'enabled', budget_tokens: 4_000, display: 'summarized' }],
    ['claude-sonnet-4-5-20250929', adaptive, { type: 'enabled', budget_tokens: 16_000 }],
    ['claude-haiku-4-5', disabled, { type: 'disabled' }],
    ['claude-haiku-5-5', disabled, { type: 'disabled' }],
  ])('%s %j', (model, thinking, expected) => {
    expect(parse({ thinking }, model).thinking).toEqual(expected);
  });

  test.each<[string, object | undefined]>([
    ['claude-opus-5', undefined],
    ['claude-haiku-5-5', undefined],
    ['claude-sonnet-5-5', undefined],
    ['claude-opus-4-8', { type: 'disabled' }],
  ])('%s is not told to think nothing at an effort that takes no such word', (model, expected) => {
    const { thinking, output_config: output } = parse({ thinking: disabled, effort: 'xhigh' }, model);
    expect([thinking, output]).toEqual([expected, { effort: 'xhigh' }]);
  });

  test('thinking that moved may be dropped, where the model thinks adaptively', () => {
    const more = { dropsMovedThinking: true };
    const binding = { block_binding: { prefix_mismatch_behavior: 'drop_block' } };
    const beta = 'thinking-binding-controls-2026-08-01';
    const asked = (thinking?: Thinking) => {
      const body = JSON.parse(encode({ ...(thinking && { thinking }) }, 'claude-sonnet-5-5', more));
      expect(checkRequest(body, signer, { beta })).toBeUndefined();
      return body.thinking;
    };
    expect(asked()).toEqual({ type: 'adaptive', ...binding });
    expect(asked(enabled)).toEqual({ type: 'adaptive', display: 'summarized', ...binding });
    expect(asked(disabled)).toEqual({ type: 'between_tools' });
  });

  test('a turn that did not begin with thinking is gone on with without a budget for it', () => {
    const ask = (content: ModelBlock[], model = 'claude-haiku-4-5', later: ModelMessage[] = []) => {
      const reply: ModelMessage = { role: 'assistant', model: `anthropic/${model}`, content };
      return parse({ thinking: enabled, messages: [user('Hello'), reply, answered, ...later] }, model).thinking?.type;
    };
    const [thought, said, call] = called.content as [ModelBlock, ModelBlock, ModelBlock];
    const redacted: ModelBlock = { type: 'reasoning', text: '', redacted: 'EmwK' };
    expect(ask([thought, said, call])).toBe('enabled');
    expect(ask([redacted, call])).toBe('enabled');
    expect(ask([said, call])).toBeUndefined();
    expect(ask([call], 'claude-sonnet-4-6')).toBe('adaptive');
    expect(ask([said, call], 'claude-haiku-4-5', [{ ...called, content: [said] }, user('And?')])).toBe('enabled');
    const again: ModelMessage = {
      ...called,
      content: [{ type: 'tool_call', toolCallId: 'b', name: 'Read', input: {} }],
    };
    const result: ModelMessage = {
      role: 'user',
      content: [{ type: 'tool_result', toolCallId: 'b', content: [], isError: false }],
    };
    expect(ask([thought, call], 'claude-haiku-4-5', [again, result])).toBe('enabled');
    expect(
      ask([call], 'claude-haiku-4-5', [{ ...again, content: [thought, ...again.content] }, result]),
    ).toBeUndefined();
  });

  test('a temperature is sent within the bounds of the API, and not while the model thinks', () => {
    expect(parse({ temperature: 0.2 }).temperature).toBe(0.2);
    expect(parse({ temperature: 1.7 }).temperature).toBe(1);
    expect(parse({ temperature: 0.2, thinking: enabled }, 'claude-haiku-4-5').temperature).toBeUndefined();
    expect(parse({ temperature: 0.2 }, 'claude-sonnet-5-5', { counts: true }).temperature).toBeUndefined();
  });

  test('a budget stays below the limit of the reply, and is left out where none fits', () => {
    expect(parse({ thinking: enabled, maxOutputTokens: 2_000 }, 'claude-haiku-4-5').thinking.budget_tokens).toBe(1_999);
    expect(parse({ thinking: enabled, maxOutputTokens: 500 }, 'claude-haiku-4-5').thinking).toBeUndefined();
  });

  test.each([
    ['claude-opus-5-5', 'max', 'max'],
    ['claude-opus-4-6', 'xhigh', 'high'],
    ['claude-opus-4-5', 'max', 'high'],
    ['claude-haiku-4-5', 'high', undefined],
  ] as const)('%s takes %s as %s', (model, effort, expected) => {
    expect(parse({ effort }, model).output_config?.effort).toBe(expected);
  });
});

describe('what the answer is to be', () => {
  const schema = { type: 'object', properties: { n: { type: 'integer', minimum: 1 } }, required: ['n'] };
  const closed = {
    type: 'object',
    properties: { n: { type: 'integer' } },
    required: ['n'],
    additionalProperties: false,
  };
  const format = { type: 'json_schema', schema: closed };

  test('is a format of the output, beside its effort, also where tokens are counted', () => {
    const body = parse({ output: { schema }, effort: 'low', tools });
    expect(body).toMatchObject({ output_config: { effort: 'low', format }, system: [{ text: 'Be brief.' }] });
    expect(parse({ output: { schema } }, undefined, { counts: true }).output_config).toEqual({ format });
  });

  test.each([
    ['a model that is not the vendor’s', 'other-model', schema, {}],
    [
      'citations',
      'claude-sonnet-5-5',
      schema,
      { catalog: { ...anthropicFacts('claude-sonnet-5-5'), outputFormat: false } },
    ],
    ['keys of any name', 'claude-sonnet-5-5', { type: 'object', additionalProperties: { type: 'string' } }, {}],
    ['more optional properties than the API takes', 'claude-sonnet-5-5', manyOptional(25), {}],
  ])('is said in words for %s', (_what, model, asked, more) => {
    const body = parse({ output: { schema: asked } }, model, more);
    expect(body.output_config).toBeUndefined();
    expect(body.system[0].text.endsWith(JSON.stringify(asked))).toBe(true);
  });

  test('may have as many optional properties as the API takes', () => {
    expect(parse({ output: { schema: manyOptional(24) } }).output_config.format.type).toBe('json_schema');
  });
});

function manyOptional(count: number): JsonObject {
  const properties = Object.fromEntries(Array.from({ length: count }, (_, index) => [`p${index}`, { type: 'string' }]));
  return { type: 'object', properties };
}
