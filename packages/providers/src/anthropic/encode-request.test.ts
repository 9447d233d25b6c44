import type { ContentBlock } from '@rondo/protocol';
import type { ModelMessage, ModelRequest, Thinking } from '@rondo/runtime';
import { describe, expect, test, vi } from 'vitest';
import { checkRequest, createReasoningSigner } from '../testing/index.ts';
import { encodeRequest } from './encode-request.ts';
import { anthropicFacts } from './model-facts.ts';

const signer = createReasoningSigner();

function encode(request: Partial<ModelRequest>, model = 'claude-sonnet-5-5'): string {
  const catalog = anthropicFacts(model);
  const whole: ModelRequest = { system: 'Be brief.', tools: [], messages: [user('Hello')], ...request };
  return encodeRequest(whole, { model, catalog, maxOutputTokens: catalog.maxOutputTokens }).toString();
}

function parse(request: Partial<ModelRequest>, model?: string) {
  const body = JSON.parse(encode(request, model));
  expect(checkRequest(body, signer)).toBeUndefined();
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
    const { messages } = parse({
      messages: [
        user('Go'),
        {
          role: 'assistant',
          model: 'm',
          content: [
            { type: 'text', text: 'ä' },
            { type: 'reasoning', text: 'ö', signature: signer.sign('ö') },
          ],
        },
      ],
    });
    expect(messages[1].content).toEqual([
      { type: 'text', text: 'ä', cache_control: mark },
      { type: 'thinking', thinking: 'ö', signature: signer.sign('ö') },
    ]);
  });

  test('a block that the vendor made goes back as it came', () => {
    const raw = { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: { query: 'x' } };
    const content = [
      { type: 'opaque', provider: 'anthropic', raw },
      { type: 'opaque', provider: 'openai', raw: {} },
    ] as const;
    const { messages } = parse({
      messages: [user('Go'), { role: 'assistant', model: 'm', content: [...content] }, user('on')],
    });
    expect(messages[1].content).toEqual([raw]);
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
      { type: 'embedded_resource', uri: 'x:', blob: 'AAAA', mediaType: 'application/pdf' },
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
  ])('%s %j', (model, thinking, expected) => {
    expect(parse({ thinking }, model).thinking).toEqual(expected);
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
