import type { ContentBlock } from '@rondo/protocol';
import { isRondoError, type ErrorCode } from '@rondo/protocol/values';
import type { ModelMessage } from '@rondo/runtime';
import { afterEach, describe, expect, test, vi } from 'vitest';
import {
  askModel,
  malformedToolCall,
  mute,
  redactedThinking,
  reply,
  reset,
  startModelServer,
  status,
  text,
  thinking,
  toolCall,
  type Step,
} from '../testing/index.ts';
import { flavours } from '../testing/chat-completions/flavour.ts';
import { createCompatibleModel, type CompatibleModelOptions } from './create-compatible-model.ts';

const key = 'sk-secret-0123456789';
const kinds = Object.keys(flavours);

async function serve(script: readonly Step[], kind = '', options: Partial<CompatibleModelOptions> = {}) {
  const server = await startModelServer({ script });
  const model = createCompatibleModel({
    model: 'm',
    apiKey: key,
    keySource: 'SOME_API_KEY',
    baseUrl: `${server.url}${kind === '' ? '' : `/${kind}`}/v1`,
    baseUrlSource: 'SOME_BASE_URL',
    ...(kind !== '' && { kind }),
    ...options,
  });
  return { server, model, [Symbol.asyncDispose]: () => server.close() };
}

const told = [
  thinking('Grüße denken 世界'),
  text('Grüße 👩‍💻 \u2028 世界'),
  toolCall('Read', { path: 'größe' }, 'call_1'),
  toolCall('Read', { path: 'b' }, 'call_2'),
];

describe.each(kinds)('a server that speaks like %j', (kind) => {
  test('says the same in every dress', async () => {
    const dresses = [
      {},
      { bytesPerWrite: 1 },
      { bytesPerWrite: 3, lineEnding: '\r\n' },
      { comments: true, lineEnding: '\r' },
      { eventsPerWrite: 50 },
    ] as const;
    const usage = { input_tokens: 10, output_tokens: 5, cache_read_input_tokens: 3 };
    await using served = await serve(
      dresses.map((wire) => reply(told, { wire, usage })),
      kind,
    );
    for (const _ of dresses) {
      const { blocks, end, error } = await askModel(served.model);
      expect(error).toBeUndefined();
      expect(blocks).toMatchObject([
        { type: 'reasoning', text: 'Grüße denken 世界' },
        { type: 'text', text: 'Grüße 👩‍💻 \u2028 世界' },
        { type: 'tool_call', name: 'Read', input: { path: 'größe' } },
        { type: 'tool_call', name: 'Read', input: { path: 'b' } },
      ]);
      expect(end).toMatchObject({
        stopReason: 'tool_use',
        usage: { inputTokens: 10, outputTokens: 5, cacheReadInputTokens: 3 },
      });
    }
  });

  test('takes a tool loop, whatever was in it', async () => {
    const steps = [told, [malformedToolCall('Read', '{"path": "a'), toolCall('Read', {})], text('Done.')];
    await using served = await serve(steps, kind);
    const messages: ModelMessage[] = [{ role: 'user', content: [{ type: 'text', text: 'Read two.' }] }];
    const tools = [
      {
        name: 'Read',
        description: 'Reads.',
        inputSchema: { type: 'object', properties: { path: { type: 'string', minLength: 1 } } },
      },
    ];
    for (const [step] of steps.entries()) {
      const { blocks, error } = await askModel(served.model, { system: 'Be brief.', tools, messages, effort: 'high' });
      expect(error).toBeUndefined();
      // The context builder makes IDs unique over the conversation.
      const unique = blocks.map((block) =>
        block.type === 'tool_call' ? { ...block, toolCallId: `${block.toolCallId}_${step}` } : block,
      );
      const content: ContentBlock[] = [{ type: 'text', text: 'é' }];
      const results = unique.flatMap((block) =>
        block.type === 'tool_call'
          ? [{ type: 'tool_result', toolCallId: block.toolCallId, isError: false, content } as const]
          : [],
      );
      const sendable = unique.filter((block) => block.type !== 'reasoning' || block.providerData !== undefined);
      messages.push(
        { role: 'assistant', model: served.model.name, content: sendable },
        { role: 'user', content: results },
      );
    }
    expect(served.server.requests).toHaveLength(steps.length);
  });
});

test('reasoning that was altered is refused, and what came is given back as it came', async () => {
  const server = await startModelServer({ script: [[redactedThinking('sealed'), ...told], text('Good.')] });
  const model = createCompatibleModel({ model: 'm', baseUrl: `${server.url}/openrouter/v1`, kind: 'openrouter' });
  const { blocks } = await askModel(model);
  const asked: ModelMessage = { role: 'user', content: [{ type: 'text', text: 'Hello' }] };
  const results = ['call_1', 'call_2'].map(
    (toolCallId) =>
      ({ type: 'tool_result', toolCallId, isError: false, content: [{ type: 'text', text: 'x' }] }) as const,
  );
  const messages = (content: typeof blocks): ModelMessage[] => [
    asked,
    { role: 'assistant', model: model.name, content },
    { role: 'user', content: results },
  ];
  expect((await askModel(model, { messages: messages(blocks) })).text).toBe('Good.');
  const sent = JSON.parse(server.requests[1]?.text ?? '') as { messages: { reasoning_details?: object[] }[] };
  expect(sent.messages[1]?.reasoning_details).toMatchObject([
    { type: 'reasoning.encrypted', data: 'sealed' },
    { type: 'reasoning.text', text: 'Grüße denken 世界', signature: expect.any(String) },
  ]);
  const altered = JSON.parse(JSON.stringify(blocks).replaceAll('denken', 'danken')) as typeof blocks;
  expect((await askModel(model, { messages: messages(altered) })).error).toMatchObject({
    message: expect.stringContaining('Invalid `signature`'),
  });
  await expect(server.close()).rejects.toThrow('request 2 was refused');
});

describe('what goes over the wire', () => {
  test('the key as a bearer token, and what the caller adds', async () => {
    await using served = await serve([text('a')], '', { headers: { 'X-Title': 'Test', 'X-Api-Key': 'header-secret' } });
    await askModel(served.model);
    expect(served.server.requests[0]?.headers).toMatchObject({
      authorization: `Bearer ${key}`,
      'x-title': 'Test',
      'x-api-key': 'header-secret',
      accept: 'text/event-stream',
    });
    expect(served.model.secrets).toEqual([key, 'header-secret']);
    expect(served.model).toMatchObject({ name: 'openai-compatible/m', keySource: 'SOME_API_KEY' });
    expect(served.model.limits).toBeUndefined();
  });

  test.each(['/v1', '/v1/', '/v1/chat/completions'])('a base URL that ends in %s', async (path) => {
    const server = await startModelServer({ script: [text('a')] });
    const { error } = await askModel(createCompatibleModel({ model: 'm', baseUrl: `${server.url}${path}` }));
    expect(error).toBeUndefined();
    expect(server.requests[0]?.headers.authorization).toBeUndefined();
    await server.close();
  });

  test('keys and addresses that no request could carry are refused without being shown', () => {
    const make = (options: Partial<CompatibleModelOptions>) => () =>
      createCompatibleModel({ model: 'm', keySource: 'SOME_API_KEY', baseUrlSource: 'SOME_BASE_URL', ...options });
    expect(make({ baseUrl: 'http://127.0.0.1:1/v1', apiKey: `${key}\nmore` })).toThrow(/SOME_API_KEY holds/);
    expect(make({ baseUrl: 'localhost:8080' })).toThrow(/SOME_BASE_URL is no http or https URL/);
    expect(make({})).toThrow(/SOME_BASE_URL is no http or https URL/);
    expect(make({ kind: 'ollama' })).not.toThrow();
  });

  test('what the model takes follows its family, unless it is told', () => {
    const input = (options: Partial<CompatibleModelOptions>) =>
      createCompatibleModel({ model: 'm', kind: 'ollama', ...options }).input?.images;
    expect(input({})).toEqual([]);
    expect(input({ model: 'qwen2.5-vl:7b' })).toContain('image/png');
    expect(input({ input: { images: ['image/png'] } })).toEqual(['image/png']);
    expect(input({ kind: 'openrouter' })).toHaveLength(4);
  });
});

/** Asks once and gives the error, which must be of the code and must not hold the key anywhere. */
async function failure(step: Step, code: ErrorCode, kind: string, options: Partial<CompatibleModelOptions> = {}) {
  await using served = await serve([step], kind, options);
  const { error, end } = await askModel(served.model);
  expect(end).toBeUndefined();
  if (!isRondoError(error, code)) throw new Error(`expected ${code}, got ${String(error)}`, { cause: error });
  expect(`${error.message} ${error.stack} ${JSON.stringify(error)}`).not.toContain(key);
  return error;
}

describe.each(['', 'llamacpp', 'openrouter', 'lmstudio'])('faults of a server that speaks like %j', (kind) => {
  test.each<[number, ErrorCode]>([
    [400, 'model.request_invalid'],
    [401, 'model.authentication_failed'],
    [402, 'model.permission_denied'],
    [404, 'model.not_found'],
    [413, 'model.prompt_too_long'],
    [429, 'model.rate_limited'],
    [500, 'model.server_error'],
    [529, 'model.overloaded'],
  ])('status %s is %s', async (code, expected) => {
    const error = await failure(status(code, { message: `no, ${key}`, retryAfter: 2 }), expected, kind);
    expect(error.message).toContain('[redacted]');
    expect(error.details).toMatchObject({
      status: code,
      retryAfterMs: 2_000,
      requestId: expect.stringMatching(/^req_/),
    });
  });

  const broken = [
    ['cut after the headers', { type: 'cut', after: 'headers', how: 'close' }],
    ['cut in the middle of an event', { type: 'cut', after: { halfEvent: 3 }, how: 'close' }],
    ['reset in the middle', { type: 'cut', after: { events: 4 }, how: 'reset' }],
    ['a body that ends early', { type: 'cut', after: { events: 4 }, how: 'end' }],
    ['a body that ends inside an event', { type: 'cut', after: { halfEvent: 4 }, how: 'end' }],
    ['cut after the first call', { type: 'cut', after: 'first-tool-call', how: 'close' }],
    ['data that is no JSON', { type: 'bad_json', event: 3 }],
  ] as const;

  test.each(broken)('%s is model.stream_broken', async (_name, fault) => {
    expect((await failure(reply(told, { fault }), 'model.stream_broken', kind)).retryable).toBe(true);
  });

  test('an error inside the stream ends it', async () => {
    const fault = {
      type: 'error',
      after: { events: 3 },
      error: { type: 'api_error', message: `scripted ${key}` },
    } as const;
    expect((await failure(reply(told, { fault }), 'model.server_error', kind)).message).toContain(
      'scripted [redacted]',
    );
  });

  test.each([
    ['headers alone', reply(told, { fault: { type: 'silence', after: 'headers' } }), { firstByteMs: 30 }, 'first-byte'],
    [
      'a stream that stops',
      reply(told, { fault: { type: 'silence', after: { events: 2 } } }),
      { idleMs: 30, firstByteMs: 5_000 },
      'idle',
    ],
  ] as const)('%s is model.timeout', async (_name, step, timeouts, phase) => {
    expect((await failure(step, 'model.timeout', kind, { timeouts })).details['phase']).toBe(phase);
  });
});

describe('a server on this machine may think for long', () => {
  afterEach(() => void vi.useRealTimers());

  test('and is given minutes where a vendor is given one', async () => {
    await using served = await serve([mute()]);
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const asked = askModel(served.model);
    await served.server.request(0);
    vi.advanceTimersByTime(590_000);
    const waiting = await Promise.race([asked, Promise.resolve('waiting')]);
    expect(waiting).toBe('waiting');
    vi.advanceTimersByTime(20_000);
    expect((await asked).error).toMatchObject({
      code: 'model.timeout',
      details: { phase: 'headers', afterMs: 600_000 },
    });
  });
});

test('a call that came whole before another began was handed out before the cut', async () => {
  const fault = { type: 'cut', after: { events: 9 }, how: 'close' } as const;
  await using served = await serve([reply(told.slice(2), { fault })]);
  const { blocks, error } = await askModel(served.model);
  expect(blocks).toMatchObject([{ type: 'tool_call', input: { path: 'größe' } }]);
  expect(isRondoError(error, 'model.stream_broken')).toBe(true);
});

test('a server that cannot be reached is named, and a page in place of a stream told', async () => {
  expect((await failure(reset(), 'model.connection_failed', '')).message).toContain('SOME_BASE_URL');
  const page = status(200, { body: '<html>sign in</html>', headers: { 'content-type': 'text/html' } });
  expect((await failure(page, 'model.stream_broken', 'ollama')).message).toMatch(/Ollama.*text\/html/);
  const quota = status(429, {
    body: JSON.stringify({ error: { message: 'You ran out', code: 'insufficient_quota' } }),
  });
  expect((await failure(quota, 'model.permission_denied', '')).retryable).toBe(false);
});
