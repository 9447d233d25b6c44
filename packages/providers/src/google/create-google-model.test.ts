import type { JsonObject, ModelBlock } from '@rondo/protocol';
import type { ModelMessage } from '@rondo/runtime';
import { describe, expect, test } from 'vitest';
import {
  askModel,
  hold,
  reply,
  startModelServer,
  status,
  text,
  thinking,
  times,
  toolCall,
  wireBlock,
  type Step,
} from '../testing/index.ts';
import { createGoogleModel, type GoogleModelOptions } from './create-google-model.ts';
import { googleModelFromEnvironment } from './google-model-from-environment.ts';

const key = 'AIza-0123456789abcdefghij';
const dot = { type: 'image', uri: 'data:image/png;base64,iVBORw0KGgo=', mediaType: 'image/png' } as const;

async function serve(script: readonly Step[], options: Partial<GoogleModelOptions> = {}) {
  const server = await startModelServer({ script, apiKey: key });
  const model = createGoogleModel({
    model: 'gemini-3.8-flash',
    apiKey: key,
    keySource: 'GEMINI_API_KEY',
    baseUrl: server.url,
    baseUrlSource: 'GEMINI_BASE_URL',
    ...options,
  });
  return { server, model, [Symbol.asyncDispose]: () => server.close() };
}

const ask: ModelMessage = { role: 'user', content: [{ type: 'text', text: 'Hello' }] };
const said = (model: string, content: readonly ModelBlock[]): ModelMessage => ({ role: 'assistant', model, content });

function answered(
  blocks: readonly ModelBlock[],
  content: readonly (typeof dot | { type: 'text'; text: string })[] = [],
): ModelMessage {
  const results = blocks.flatMap((block) =>
    block.type === 'tool_call'
      ? [{ type: 'tool_result', toolCallId: block.toolCallId, content, isError: false } as const]
      : [],
  );
  return { role: 'user', content: results };
}

describe('signatures', () => {
  const reasoned = [
    thinking('Which 世界?\u2028'),
    text('I look.'),
    toolCall('Read', { path: 'a' }),
    toolCall('Read', { path: 'b' }),
  ];

  test('of thoughts, texts and calls go back as they came: the server refuses anything else', async () => {
    await using served = await serve([reasoned, text('Done')]);
    const { blocks } = await askModel(served.model, { messages: [ask] });
    expect(blocks.map((block) => 'providerData' in block && block.providerData !== undefined)).toEqual([
      true,
      true,
      true,
      false,
    ]);
    const messages = [ask, said(served.model.name, blocks), answered(blocks)];
    expect((await askModel(served.model, { messages })).text).toBe('Done');
  });

  test.each([
    [
      'altered',
      (block: ModelBlock) => (block.type === 'text' ? { ...block, text: `${block.text}.` } : block),
      'Corrupted',
    ],
    [
      'lost',
      (block: ModelBlock) => (block.type === 'tool_call' ? { ...block, providerData: undefined } : block),
      'is lost',
    ],
  ] as const)('%s ones are refused', async (_name, change, said400) => {
    const server = await startModelServer({ script: [reasoned], apiKey: key });
    const model = createGoogleModel({ model: 'gemini-3.8-flash', apiKey: key, baseUrl: server.url });
    const { blocks } = await askModel(model, { messages: [ask] });
    const messages = [ask, said(model.name, blocks.map(change) as readonly ModelBlock[]), answered(blocks)];
    expect((await askModel(model, { messages })).error).toMatchObject({ code: 'model.request_invalid' });
    await expect(server.close()).rejects.toThrow(said400);
  });

  test('calls of another model go without one, in the way that the vendor documents', async () => {
    await using served = await serve([text('Done')]);
    const blocks: ModelBlock[] = [{ type: 'tool_call', toolCallId: 'toolu_01', name: 'Read', input: { path: 'a' } }];
    const messages = [ask, said('anthropic/claude', blocks), answered(blocks)];
    expect((await askModel(served.model, { messages })).text).toBe('Done');
    expect(served.server.requests[0]?.text).toContain('skip_thought_signature_validator');
  });

  test('one that comes behind the calls goes back in its place', async () => {
    const late = {
      candidates: [{ content: { role: 'model', parts: [{ text: '', thoughtSignature: 'bGF0ZQ==' }] }, index: 0 }],
    };
    const server = await startModelServer({ script: [[toolCall('List', {}), wireBlock(late)]], apiKey: key });
    const model = createGoogleModel({ model: 'gemini-3.8-flash', apiKey: key, baseUrl: server.url });
    const { blocks } = await askModel(model, { messages: [ask] });
    expect(blocks[1]).toEqual({
      type: 'opaque',
      provider: 'google',
      raw: { type: 'text', text: '', providerMetadata: { google: { thoughtSignature: 'bGF0ZQ==' } } },
    });
    await askModel(model, { messages: [ask, said(model.name, blocks), answered(blocks)] });
    expect(server.requests[1]?.body).toMatchObject({
      contents: [{}, { parts: [{ functionCall: { name: 'List' } }, { text: '', thoughtSignature: 'bGF0ZQ==' }] }, {}],
    });
    await expect(server.close()).rejects.toThrow('Corrupted');
  });
});

describe('results', () => {
  const blocks: ModelBlock[] = [{ type: 'tool_call', toolCallId: 'c1', name: 'Photo', input: {} }];
  const messages = [ask, said('x/y', blocks), answered(blocks, [{ type: 'text', text: 'here' }, dot])];

  test('with a picture in them, where the model takes one there', async () => {
    await using served = await serve([text('ok')]);
    expect((await askModel(served.model, { messages })).text).toBe('ok');
    expect(served.server.requests[0]?.body).toMatchObject({
      contents: [
        {},
        {},
        {
          parts: [
            {
              functionResponse: {
                id: 'c1',
                name: 'Photo',
                response: { content: 'here' },
                parts: [{ inlineData: { mimeType: 'image/png', data: 'iVBORw0KGgo=' } }],
              },
            },
          ],
        },
      ],
    });
  });

  test('with a picture behind them, where it does not', async () => {
    await using served = await serve([text('ok')], { model: 'gemini-2.5-flash' });
    expect((await askModel(served.model, { messages })).text).toBe('ok');
    const { contents } = (served.server.requests[0]?.body ?? {}) as { contents: { parts: readonly object[] }[] };
    expect(contents[2]?.parts).toHaveLength(1);
    expect(contents[3]?.parts).toEqual([
      { text: 'What Photo returned:' },
      { inlineData: { mimeType: 'image/png', data: 'iVBORw0KGgo=' } },
    ]);
  });
});

describe('tools', () => {
  /** What servers in the wild declare. */
  const odd: Readonly<Record<string, JsonObject>> = {
    references: {
      $schema: 'http://json-schema.org/draft-07/schema#',
      type: 'object',
      definitions: { place: { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] } },
      properties: {
        at: { $ref: '#/definitions/place', description: 'where' },
        all: { type: 'array', items: { $ref: '#/definitions/place' } },
      },
      additionalProperties: false,
    },
    recursion: {
      type: 'object',
      $defs: { node: { type: 'object', properties: { name: { type: 'string' }, next: { $ref: '#/$defs/node' } } } },
      properties: { root: { $ref: '#/$defs/node' } },
    },
    choices: {
      oneOf: [
        { type: 'object', properties: { kind: { const: 'a' } }, required: ['kind'] },
        { type: 'object', properties: { kind: { const: 'b' }, more: true }, required: ['kind'] },
      ],
    },
    words: {
      type: 'object',
      properties: {
        pattern: { type: 'string', pattern: '^a+$', minLength: 1, default: 'a', examples: ['aa'], format: 'regex' },
        count: { type: ['integer', 'null'], exclusiveMinimum: 0, multipleOf: 2 },
        map: { type: 'object', patternProperties: { '^x': { type: 'string' } }, propertyNames: { pattern: '^x' } },
        not: { not: { type: 'string' } },
        pair: { type: 'array', items: [{ type: 'string' }, { type: 'number' }] },
        nullable: { type: 'string', nullable: true, deprecated: true },
        anything: {},
        never: false,
      },
      if: { properties: { count: { const: 1 } } },
      else: { required: ['map'] },
      dependentRequired: { map: ['count'] },
    },
    nothing: { type: 'object' },
  };

  test.each(Object.entries(odd))('a schema with %s reaches the strict server', async (name, inputSchema) => {
    await using served = await serve([toolCall(name, {})]);
    const { blocks, error } = await askModel(served.model, { tools: [{ name, description: '', inputSchema }] });
    expect(error).toBeUndefined();
    expect(blocks).toMatchObject([{ name, input: {} }]);
  });
});

describe('what is asked for', () => {
  test.each([
    ['gemini-3.8-flash', { effort: 'low' }, { includeThoughts: true, thinkingLevel: 'low' }],
    ['gemini-3.8-flash', { effort: 'max' }, { includeThoughts: true, thinkingLevel: 'high' }],
    ['gemini-3.8-flash', { thinking: { type: 'adaptive' } }, { includeThoughts: true }],
    ['gemini-3.8-flash', { thinking: { type: 'adaptive', display: 'omitted' } }, { includeThoughts: false }],
    [
      'gemini-3.8-flash',
      { thinking: { type: 'disabled' }, effort: 'high' },
      { includeThoughts: false, thinkingLevel: 'minimal' },
    ],
    ['gemini-4-neon', { effort: 'max' }, { includeThoughts: true, thinkingLevel: 'xhigh' }],
    ['gemini-4-neon', { thinking: { type: 'disabled' } }, { includeThoughts: false, thinkingLevel: 'low' }],
    ['gemini-9-of-tomorrow', { effort: 'xhigh' }, { includeThoughts: true, thinkingLevel: 'high' }],
    ['gemini-2.5-flash', { effort: 'medium' }, { includeThoughts: true, thinkingBudget: 8_192 }],
    [
      'gemini-2.5-flash',
      { thinking: { type: 'enabled', budgetTokens: 500 } },
      { includeThoughts: true, thinkingBudget: 500 },
    ],
    ['gemini-2.5-flash', { thinking: { type: 'disabled' } }, { includeThoughts: false, thinkingBudget: 0 }],
    [
      'gemini-2.5-flash-lite',
      { thinking: { type: 'enabled', budgetTokens: 20 } },
      { includeThoughts: true, thinkingBudget: 512 },
    ],
    [
      'gemini-2.5-flash',
      { thinking: { type: 'enabled', budgetTokens: 90_000 } },
      { includeThoughts: true, thinkingBudget: 24_576 },
    ],
    ['gemini-2.5-pro', { thinking: { type: 'disabled' } }, { includeThoughts: false, thinkingBudget: 128 }],
    ['gemini-3.8-flash', {}, undefined],
  ] as const)('%s with %j thinks by %j', async (model, request, expected) => {
    await using served = await serve([text('ok')], { model });
    expect((await askModel(served.model, request)).error).toBeUndefined();
    const { generationConfig } = (served.server.requests[0]?.body ?? {}) as {
      generationConfig: Record<string, unknown>;
    };
    expect(generationConfig['thinkingConfig']).toEqual(expected);
  });

  test('the key in a header and never in the URL, the same bytes for the same request', async () => {
    await using served = await serve(times(2, text('ok')));
    for (const _ of [1, 2]) await askModel(served.model, { system: 'You greet.', maxOutputTokens: 64 });
    const [first, second] = served.server.requests;
    expect(first?.path).toBe('/v1beta/models/gemini-3.8-flash:streamGenerateContent?alt=sse');
    expect(first?.headers['x-goog-api-key']).toBe(key);
    expect(first?.body).toMatchObject({
      systemInstruction: { parts: [{ text: 'You greet.' }] },
      generationConfig: { maxOutputTokens: 64 },
    });
    expect(second?.text).toBe(first?.text);
    expect(served.server.connections).toBe(1);
  });

  test.each(['', '/', '/v1beta', '/v1beta/'])('the base URL may end in %j', async (end) => {
    await using served = await serve([text('ok')]);
    const model = createGoogleModel({ model: 'gemini-3.8-flash', apiKey: key, baseUrl: `${served.server.url}${end}` });
    expect((await askModel(model)).text).toBe('ok');
  });
});

describe('failures', () => {
  const errorBody = (code: number, name: string, message: string, details: readonly object[] = []) =>
    JSON.stringify({ error: { code, message, status: name, details } });
  const info = (reason: string) => ({ '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason });

  test.each([
    [
      400,
      errorBody(400, 'INVALID_ARGUMENT', 'API key not valid. Please pass a valid API key.', [info('API_KEY_INVALID')]),
      'model.authentication_failed',
    ],
    [
      400,
      errorBody(
        400,
        'INVALID_ARGUMENT',
        'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).',
      ),
      'model.prompt_too_long',
    ],
    [
      400,
      errorBody(400, 'FAILED_PRECONDITION', 'User location is not supported for the API use.'),
      'model.request_invalid',
    ],
    [
      403,
      errorBody(403, 'PERMISSION_DENIED', 'Requests are blocked.', [info('API_KEY_SERVICE_BLOCKED')]),
      'model.permission_denied',
    ],
    [503, errorBody(503, 'UNAVAILABLE', 'The model is overloaded.'), 'model.overloaded'],
    [500, `[${errorBody(500, 'INTERNAL', 'An internal error has occurred.')}]`, 'model.server_error'],
  ])('%s %s is %s', async (code, body, expected) => {
    await using served = await serve([status(code, { body })]);
    expect((await askModel(served.model)).error).toMatchObject({ code: expected, details: { status: code } });
  });

  test('how long to wait is in the body', async () => {
    const wait = { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '34.074824224s' };
    await using served = await serve([
      status(429, { body: errorBody(429, 'RESOURCE_EXHAUSTED', 'You exceeded your current quota.', [wait]) }),
    ]);
    expect((await askModel(served.model)).error).toMatchObject({
      code: 'model.rate_limited',
      details: { retryAfterMs: 34_075 },
    });
  });

  test('a refused key is named by its source, and hidden where the server repeats it', async () => {
    await using served = await serve([status(401, { message: `bad key ${key}` })]);
    const { error } = await askModel(served.model);
    expect(error).toMatchObject({ message: expect.stringMatching(/\[redacted\].*GEMINI_API_KEY/) });
    expect(String((error as Error).stack)).not.toContain(key);
  });

  test('a refusal keeps what came, and says why', async () => {
    await using served = await serve([reply(text('First you'), { stopReason: 'refusal' })]);
    const { text: said400, end } = await askModel(served.model);
    expect(said400).toBe('First you');
    expect(end).toMatchObject({ stopReason: 'refusal', stopDetails: { reason: 'SAFETY' } });
  });

  test('a reader that leaves in its thoughts closes the connection at once', async () => {
    const held = Promise.withResolvers<void>();
    await using served = await serve([[thinking('Let me see.'), hold(held.promise), text('never')]]);
    for await (const part of served.model.stream(
      { system: '', tools: [], messages: [ask] },
      { signal: new AbortController().signal },
    )) {
      if (part.type === 'delta') break;
    }
    expect(await served.server.requests[0]?.ended).toBe('left');
    held.resolve();
  });
});

test('the key comes from any of its variables, the first that is set', async () => {
  expect(() => googleModelFromEnvironment('gemini-3.8-flash', {})).toThrow(/GEMINI_API_KEY.*rondo demo/);
  for (const name of ['GEMINI_API_KEY', 'GOOGLE_API_KEY', 'GOOGLE_GENERATIVE_AI_API_KEY']) {
    await using server = await startModelServer({ script: [text('ok')], apiKey: key });
    const model = googleModelFromEnvironment('gemini-3.8-flash', { [name]: key, GEMINI_BASE_URL: server.url });
    expect(model).toMatchObject({
      name: 'google/gemini-3.8-flash',
      keySource: name,
      input: { documents: ['application/pdf'] },
    });
    expect((await askModel(model)).text).toBe('ok');
  }
});

test.each([
  ['gemini-3.8-flash', true],
  ['gemini-2.5-pro', false],
])('what the answer is to be is a schema of %s, beside tools: %s', async (model, besideTools) => {
  await using served = await serve([text('{"n":1}'), text('{"n":1}')], { model });
  const schema = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] };
  const tools = [{ name: 'look', description: 'Looks.', inputSchema: { type: 'object' } }];
  for (const more of [{}, { tools }])
    expect((await askModel(served.model, { output: { schema }, ...more })).text).toBe('{"n":1}');
  const [alone, beside] = served.server.requests.map(({ body }) => body);
  const asked = {
    generationConfig: {
      responseMimeType: 'application/json',
      responseJsonSchema: { properties: { n: { type: 'integer' } } },
    },
  };
  expect(alone).toMatchObject(asked);
  if (besideTools) expect(beside).toMatchObject(asked);
  else expect(JSON.stringify(beside)).toContain('Your final answer is JSON');
});
