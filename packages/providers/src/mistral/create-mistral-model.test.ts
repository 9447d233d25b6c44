import type { ModelBlock } from '@rondo/protocol';
import type { ModelMessage } from '@rondo/runtime';
import { describe, expect, test } from 'vitest';
import {
  askModel,
  hold,
  mute,
  reply,
  startModelServer,
  status,
  text,
  thinking,
  times,
  toolCall,
  type Step,
} from '../testing/index.ts';
import { mistralCallId } from './call-id.ts';
import { createMistralModel, type MistralModelOptions } from './create-mistral-model.ts';
import { mistralModelFromEnvironment } from './mistral-model-from-environment.ts';

const key = 'mistral-key-0123456789';
const dot = { type: 'image', uri: 'data:image/png;base64,iVBORw0KGgo=', mediaType: 'image/png' } as const;

async function serve(script: readonly Step[], options: Partial<MistralModelOptions> = {}) {
  const server = await startModelServer({ script, apiKey: key });
  const model = createMistralModel({
    model: 'mistral-medium-latest',
    apiKey: key,
    keySource: 'MISTRAL_API_KEY',
    baseUrl: `${server.url}/mistral`,
    baseUrlSource: 'MISTRAL_BASE_URL',
    ...options,
  });
  return { server, model, [Symbol.asyncDispose]: () => server.close() };
}

const ask: ModelMessage = { role: 'user', content: [{ type: 'text', text: 'Hello' }] };
const said = (model: string, content: readonly ModelBlock[]): ModelMessage => ({ role: 'assistant', model, content });
const result = (
  toolCallId: string,
  content: readonly (typeof dot | { type: 'text'; text: string })[],
  isError = false,
) => ({ type: 'tool_result', toolCallId, content, isError }) as const;

describe('call IDs', () => {
  test('are nine letters and digits, its own as they are, any other always the same', () => {
    expect(mistralCallId('a1B2c3D4e')).toBe('a1B2c3D4e');
    const foreign = ['toolu_01A09q90qw90lq917835lq9', 'call_1', 'a1B2c3D4e-2', '', '世界'];
    const made = foreign.map(mistralCallId);
    for (const id of made) expect(id).toMatch(/^[a-zA-Z0-9]{9}$/);
    expect(new Set(made).size).toBe(foreign.length);
    expect(foreign.map(mistralCallId)).toEqual(made);
  });

  test('of another model reach the strict server with their results', async () => {
    await using served = await serve([text('ok')]);
    const messages: ModelMessage[] = [
      ask,
      said('anthropic/claude', [
        { type: 'tool_call', toolCallId: 'toolu_01', name: 'Read', input: { path: 'a' } },
        { type: 'tool_call', toolCallId: 'toolu_02', name: 'Read', input: { path: 'b' } },
      ]),
      { role: 'user', content: [result('toolu_01', [{ type: 'text', text: 'A' }]), result('toolu_02', [], true)] },
    ];
    expect((await askModel(served.model, { messages })).text).toBe('ok');
    expect(served.server.requests[0]?.body).toMatchObject({
      messages: [
        { role: 'user' },
        { role: 'assistant', tool_calls: [{ id: mistralCallId('toolu_01') }, { id: mistralCallId('toolu_02') }] },
        { role: 'tool', name: 'Read', tool_call_id: mistralCallId('toolu_01'), content: 'A' },
        { role: 'tool', tool_call_id: mistralCallId('toolu_02'), content: 'The tool failed without a message.' },
      ],
    });
  });
});

describe('a conversation by the rules of the API', () => {
  test('reasoning goes back whole to the model that wrote it, calls and results keep their IDs', async () => {
    await using served = await serve([
      [thinking('Which 世界?\u2028'), text('I look.'), toolCall('Read', { path: 'größe' })],
      text('Done'),
    ]);
    const first = await askModel(served.model, { messages: [ask] });
    const call = first.blocks.find((block) => block.type === 'tool_call');
    const messages = [
      ask,
      said(served.model.name, first.blocks),
      { role: 'user', content: [result(call?.toolCallId ?? '', [{ type: 'text', text: 'x' }])] } as const,
    ];
    expect((await askModel(served.model, { messages })).text).toBe('Done');
    expect(served.server.requests[1]?.body).toMatchObject({
      messages: [
        {},
        {
          content: [
            { type: 'thinking', thinking: [{ type: 'text', text: 'Which 世界?\u2028' }] },
            { type: 'text', text: 'I look.' },
          ],
          tool_calls: [{ id: call?.toolCallId, function: { name: 'Read', arguments: '{"path":"größe"}' } }],
        },
        { tool_call_id: call?.toolCallId },
      ],
    });
  });

  test('words and pictures behind results have a word of the model before them', async () => {
    await using served = await serve([text('ok')]);
    const messages: ModelMessage[] = [
      ask,
      said(served.model.name, [{ type: 'tool_call', toolCallId: 'abcdefgh1', name: 'Photo', input: {} }]),
      {
        role: 'user',
        content: [result('abcdefgh1', [{ type: 'text', text: 'here' }, dot]), { type: 'text', text: 'Wait!' }],
      },
    ];
    await askModel(served.model, { messages });
    const { messages: sent } = (served.server.requests[0]?.body ?? {}) as {
      messages: { role: string; content: unknown }[];
    };
    expect(sent.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant', 'user']);
    expect(sent[2]?.content).toBe('here\n[a file of the type image/png: see the next message]');
    expect(sent[4]?.content).toEqual([
      { type: 'text', text: 'What Photo returned:' },
      { type: 'image_url', image_url: dot.uri },
      { type: 'text', text: 'Wait!' },
    ]);
  });
});

describe('what is asked for', () => {
  test.each([
    ['mistral-medium-latest', { effort: 'low' }, 'high'],
    ['mistral-medium-latest', { effort: 'max' }, 'high'],
    ['mistral-medium-latest', { thinking: { type: 'disabled' }, effort: 'high' }, 'none'],
    ['mistral-medium-latest', {}, undefined],
    ['codestral-latest', { effort: 'high' }, undefined],
    ['a-model-of-tomorrow', { effort: 'high' }, undefined],
  ] as const)('%s with %j reasons %s', async (model, request, effort) => {
    await using served = await serve([text('ok')], { model });
    const { error } = await askModel(served.model, request);
    expect(error).toBeUndefined();
    const { body } = served.server.requests[0] ?? {};
    expect((body as Record<string, unknown>)['reasoning_effort']).toBe(effort);
  });

  test('the key, the session for the prompt cache, the same bytes for the same request', async () => {
    await using served = await serve(times(2, text('ok')));
    for (const _ of [1, 2]) await askModel(served.model, { sessionId: 's-1', maxOutputTokens: 64 });
    const [first, second] = served.server.requests;
    expect(first?.headers).toMatchObject({
      authorization: `Bearer ${key}`,
      'user-agent': expect.stringMatching(/^rondo /),
    });
    expect(first?.body).toMatchObject({ prompt_cache_key: 's-1', max_tokens: 64 });
    expect(second?.text).toBe(first?.text);
    expect(served.server.connections).toBe(1);
  });

  test.each(['', '/', '/v1', '/v1/'])('the base URL may end in %j', async (end) => {
    await using served = await serve([text('ok')]);
    const model = createMistralModel({ model: 'm', apiKey: key, baseUrl: `${served.server.url}/mistral${end}` });
    expect((await askModel(model)).text).toBe('ok');
  });
});

describe('failures', () => {
  test('a refused key is named by its source, and hidden where the server repeats it', async () => {
    await using served = await serve([status(401, { body: `{"detail":"Unauthorized: ${key}"}` })]);
    const { error } = await askModel(served.model);
    expect(error).toMatchObject({
      code: 'model.authentication_failed',
      message: expect.stringMatching(/Unauthorized: \[redacted\].*MISTRAL_API_KEY/),
    });
    expect(String((error as Error).stack)).not.toContain(key);
  });

  test.each([
    [429, { message: 'Service tier capacity exceeded for this model.' }, 'model.overloaded'],
    [429, { message: 'Requests rate limit exceeded' }, 'model.rate_limited'],
    [
      400,
      { message: 'Prompt contains 140000 tokens and 0 draft tokens, too large for model with 131072 maximum' },
      'model.prompt_too_long',
    ],
    [422, { body: '{"detail":[{"loc":["body","messages"],"msg":"Field required"}]}' }, 'model.request_invalid'],
    [308, { headers: { location: 'https://elsewhere.example' } }, 'model.request_invalid'],
  ] as const)('status %s %j is %s', async (code, options, expected) => {
    await using served = await serve([status(code, options)]);
    expect((await askModel(served.model)).error).toMatchObject({ code: expected, details: { status: code } });
  });

  test('a page in place of a stream is told as such', async () => {
    await using served = await serve([
      status(200, { body: '<html>sign in</html>', headers: { 'content-type': 'text/html' } }),
    ]);
    expect((await askModel(served.model)).error).toMatchObject({
      code: 'model.stream_broken',
      message: expect.stringMatching(/text\/html.*MISTRAL_BASE_URL/),
    });
  });

  test.each([
    ['no headers', mute(), { headersMs: 30 }, 'headers'],
    [
      'headers and nothing more',
      reply(text('a'), { fault: { type: 'silence', after: 'headers' } }),
      { firstByteMs: 30 },
      'first-byte',
    ],
    [
      'a stream that stops',
      reply(text('a'), { fault: { type: 'silence', after: { events: 1 } } }),
      { idleMs: 30, firstByteMs: 5_000 },
      'idle',
    ],
  ] as const)('%s is model.timeout', async (_name, step, timeouts, phase) => {
    await using served = await serve([step], { timeouts });
    expect((await askModel(served.model)).error).toMatchObject({
      code: 'model.timeout',
      details: { phase, afterMs: 30 },
    });
  });

  test('an abort in its reasoning closes the connection at once', async () => {
    const held = Promise.withResolvers<void>();
    await using served = await serve([[thinking('Let me see.'), hold(held.promise), text('never')]]);
    const abort = new AbortController();
    for await (const part of served.model.stream(
      { system: '', tools: [], messages: [ask] },
      { signal: abort.signal },
    )) {
      if (part.type === 'delta') break;
    }
    expect(await served.server.requests[0]?.ended).toBe('left');
    held.resolve();
  });

  test('a reader that is slow holds the stream up, and loses nothing', async () => {
    const long = Array.from({ length: 400 }, (_, index) => `${index} ${'世'.repeat(400)}`);
    await using served = await serve([reply(text(long))]);
    let read = '';
    for await (const part of served.model.stream(
      { system: '', tools: [], messages: [ask] },
      { signal: new AbortController().signal },
    )) {
      if (part.type === 'delta') read += part.text;
      if (read.length % 7 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    expect(read).toBe(long.join(''));
  });
});

describe('from the environment', () => {
  test('its variables', async () => {
    await using served = await serve([text('ok')]);
    const env = { MISTRAL_API_KEY: ` ${key}\n`, MISTRAL_BASE_URL: `${served.server.url}/mistral/v1` };
    const model = mistralModelFromEnvironment('devstral-2512', env);
    expect(model).toMatchObject({ name: 'mistral/devstral-2512', keySource: 'MISTRAL_API_KEY', secrets: [key] });
    expect(model.limits?.contextWindow).toBeGreaterThan(0);
    expect((await askModel(model)).text).toBe('ok');
  });

  test('a missing key says the ways on; a server of this machine needs none', async () => {
    expect(() => mistralModelFromEnvironment('m', {})).toThrow(/MISTRAL_API_KEY.*rondo demo/);
    expect(() => mistralModelFromEnvironment('m', { MISTRAL_API_KEY: 'a b' })).toThrow(/MISTRAL_API_KEY holds/);
    expect(() => mistralModelFromEnvironment('m', { MISTRAL_API_KEY: 'k', MISTRAL_BASE_URL: 'localhost' })).toThrow(
      /MISTRAL_BASE_URL is no http/,
    );
    await using server = await startModelServer({ script: [text('ok')] });
    const model = mistralModelFromEnvironment('m', { MISTRAL_BASE_URL: `${server.url}/mistral` });
    expect((await askModel(model)).text).toBe('ok');
  });
});

test('what the answer is to be is a response format, in words beside tools', async () => {
  await using served = await serve([text('{"n":1}'), text('{"n":1}')]);
  const schema = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] };
  const tools = [{ name: 'look', description: 'Looks.', inputSchema: { type: 'object' } }];
  for (const more of [{}, { tools }])
    expect((await askModel(served.model, { output: { schema }, ...more })).text).toBe('{"n":1}');
  const [alone, beside] = served.server.requests.map(({ body }) => body);
  expect(alone).toMatchObject({
    response_format: {
      type: 'json_schema',
      json_schema: { name: 'output', schema: { ...schema, additionalProperties: false } },
    },
    messages: [{ role: 'user' }],
  });
  expect(beside).not.toHaveProperty('response_format');
  expect(beside).toMatchObject({
    messages: [{ role: 'system', content: expect.stringContaining(JSON.stringify(schema)) }, {}],
  });
});
