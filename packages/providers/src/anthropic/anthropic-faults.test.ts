import type { RondoError } from '@rondo/protocol';
import { isRondoError, type ErrorCode } from '@rondo/protocol/values';
import type { ModelPart } from '@rondo/runtime';
import { afterEach, describe, expect, test, vi } from 'vitest';
import {
  askModel,
  mute,
  promptTooLong,
  reply,
  startModelServer,
  status,
  text,
  thinking,
  toolCall,
  type Step,
} from '../testing/index.ts';
import { createAnthropicModel, type AnthropicModelOptions } from './create-anthropic-model.ts';

const key = 'sk-ant-secret-0123456789';

async function serve(script: readonly Step[], options: Partial<AnthropicModelOptions> = {}) {
  const server = await startModelServer({ script });
  const model = createAnthropicModel({
    model: 'claude-sonnet-5-5',
    apiKey: key,
    keySource: 'ANTHROPIC_API_KEY',
    baseUrl: server.url,
    baseUrlSource: 'ANTHROPIC_BASE_URL',
    ...options,
  });
  return { server, model, [Symbol.asyncDispose]: () => server.close() };
}

/** Asks once and gives the error, which must be of the code and must not hold the key anywhere. */
async function failure(
  script: readonly Step[],
  code: ErrorCode,
  options: Partial<AnthropicModelOptions> = {},
): Promise<RondoError> {
  await using served = await serve(script, options);
  const { error, end } = await askModel(served.model);
  expect(end).toBeUndefined();
  if (!isRondoError(error, code)) throw new Error(`expected ${code}, got ${String(error)}`, { cause: error });
  const everything = `${error.message} ${error.stack} ${JSON.stringify(error)} ${String((error.cause as Error | undefined)?.stack)}`;
  expect(everything).not.toContain(key);
  return error;
}

describe('errors by status', () => {
  test.each<[number, ErrorCode, boolean]>([
    [400, 'model.request_invalid', false],
    [401, 'model.authentication_failed', false],
    [402, 'model.permission_denied', false],
    [403, 'model.permission_denied', false],
    [404, 'model.not_found', false],
    [408, 'model.timeout', true],
    [413, 'model.prompt_too_long', false],
    [418, 'model.request_invalid', false],
    [429, 'model.rate_limited', true],
    [500, 'model.server_error', true],
    [503, 'model.server_error', true],
    [504, 'model.timeout', true],
    [529, 'model.overloaded', true],
  ])('%s is %s', async (code, expected, retryable) => {
    const error = await failure([status(code)], expected);
    expect(error.retryable).toBe(retryable);
    expect(error.details).toMatchObject({
      status: code,
      requestId: expect.stringMatching(/^req_/),
      type: expect.any(String),
    });
  });

  test('how long to wait comes with the error', async () => {
    expect((await failure([status(429, { retryAfter: 3 })], 'model.rate_limited')).details['retryAfterMs']).toBe(3_000);
    const date = new Date(Date.now() + 3_600_000).toUTCString();
    const { details } = await failure([status(529, { retryAfter: date })], 'model.overloaded');
    expect(details['retryAfterMs']).toBeGreaterThan(3_000_000);
  });

  test('the server may say that trying again is of no use', async () => {
    expect(
      (await failure([status(500, { headers: { 'x-should-retry': 'false' } })], 'model.server_error')).retryable,
    ).toBe(false);
  });

  test('a refused key is named by its source, and hidden where the server repeats it', async () => {
    const denied = await failure([status(401, { message: `invalid x-api-key ${key}` })], 'model.authentication_failed');
    expect(denied.message).toContain('ANTHROPIC_API_KEY');
    expect(denied.message).toContain('[redacted]');
    expect((await failure([status(403)], 'model.permission_denied')).message).toContain('ANTHROPIC_API_KEY');
  });

  test('a prompt that is too long is told from other refusals', async () => {
    expect((await failure([promptTooLong()], 'model.prompt_too_long')).message).toContain('210000 tokens');
  });

  test('a redirect is no answer: where it leads is told', async () => {
    const step = status(308, { headers: { location: 'https://elsewhere.example/v1' } });
    expect((await failure([step], 'model.request_invalid')).message).toContain(
      'it leads to https://elsewhere.example/v1',
    );
  });

  test('a long error body keeps its characters whole', async () => {
    const message = '世'.repeat(30_000);
    expect((await failure([status(500, { message })], 'model.server_error')).message).not.toContain('\ufffd');
  });

  test('a body that is no JSON is quoted, a long one is cut', async () => {
    expect((await failure([status(502, { body: '<h1>Bad gateway</h1>' })], 'model.server_error')).message).toContain(
      'Bad gateway',
    );
    expect(
      (await failure([status(500, { body: 'x'.repeat(200_000) })], 'model.server_error')).message.length,
    ).toBeLessThan(3_000);
  });
});

describe('errors inside the stream', () => {
  const told = [
    thinking('Let me see.'),
    text('Reading both.'),
    toolCall('Read', { path: 'a' }),
    toolCall('Read', { path: 'b' }),
  ];

  test.each<[string, ErrorCode]>([
    ['overloaded_error', 'model.overloaded'],
    ['rate_limit_error', 'model.rate_limited'],
    ['api_error', 'model.server_error'],
    ['timeout_error', 'model.timeout'],
    ['invalid_request_error', 'model.request_invalid'],
    ['authentication_error', 'model.authentication_failed'],
    ['permission_error', 'model.permission_denied'],
    ['not_found_error', 'model.not_found'],
    ['request_too_large', 'model.prompt_too_long'],
    ['error_of_tomorrow', 'model.server_error'],
  ])('an event of the type %s is %s', async (type, code) => {
    const fault = { type: 'error', after: { events: 3 }, error: { type, message: `scripted ${key}` } } as const;
    expect((await failure([reply(told, { fault })], code)).details).toEqual({ type });
  });

  test.each([
    ['cut after the headers', { type: 'cut', after: 'headers', how: 'close' }],
    ['cut after some events', { type: 'cut', after: { events: 4 }, how: 'close' }],
    ['cut after the first call', { type: 'cut', after: 'first-tool-call', how: 'close' }],
    ['cut in the middle of an event', { type: 'cut', after: { halfEvent: 3 }, how: 'close' }],
    ['reset in the middle', { type: 'cut', after: { events: 4 }, how: 'reset' }],
    ['a body that ends early', { type: 'cut', after: { events: 4 }, how: 'end' }],
    ['a body that ends inside an event', { type: 'cut', after: { halfEvent: 4 }, how: 'end' }],
    ['data that is no JSON', { type: 'bad_json', event: 3 }],
  ] as const)('%s is model.stream_broken', async (_name, fault) => {
    expect((await failure([reply(told, { fault })], 'model.stream_broken')).retryable).toBe(true);
  });

  test('what came whole before the cut was handed out', async () => {
    await using served = await serve([reply(told, { fault: { type: 'cut', after: 'first-tool-call', how: 'close' } })]);
    const { blocks, error } = await askModel(served.model);
    expect(blocks.map(({ type }) => type)).toEqual(['reasoning', 'text', 'tool_call']);
    expect(isRondoError(error, 'model.stream_broken')).toBe(true);
  });
});

describe('silence is model.timeout', () => {
  const told = text('Hello');
  test.each([
    ['no headers', mute(), { headersMs: 30 }, 'headers'],
    [
      'headers and nothing more',
      reply(told, { fault: { type: 'silence', after: 'headers' } }),
      { firstByteMs: 30 },
      'first-byte',
    ],
    [
      'a stream that stops',
      reply(told, { fault: { type: 'silence', after: { events: 2 } } }),
      { idleMs: 30, firstByteMs: 5_000 },
      'idle',
    ],
    [
      'half an event',
      reply(told, { fault: { type: 'silence', after: { halfEvent: 1 } } }),
      { idleMs: 30, firstByteMs: 5_000 },
      'idle',
    ],
  ])('%s', async (_name, step, timeouts, phase) => {
    const { details, retryable } = await failure([step], 'model.timeout', { timeouts });
    expect(details['phase']).toBe(phase);
    expect(retryable).toBe(true);
  });

  describe('by the clock', () => {
    afterEach(() => void vi.useRealTimers());

    test('bytes that keep coming are no silence, however slow', async () => {
      const gates = Array.from({ length: 4 }, () => Promise.withResolvers<void>());
      const pieces = gates.flatMap(({ promise }, index) => [promise, `piece ${index} `]);
      await using served = await serve([reply(text(pieces))], { timeouts: { idleMs: 60_000 } });
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
      const stream = served.model.stream(greeting, { signal: new AbortController().signal })[Symbol.asyncIterator]();
      await until(stream, ({ type }) => type === 'block-start');
      for (const [index, gate] of gates.entries()) {
        vi.advanceTimersByTime(59_000);
        gate.resolve();
        const part = await until(stream, ({ type }) => type === 'delta');
        expect(part).toMatchObject({ text: `piece ${index} ` });
      }
      await until(stream, ({ type }) => type === 'end');
    });

    test('without the idle timeout it waits for ever', async () => {
      const gate = Promise.withResolvers<void>();
      await using served = await serve([reply(text(['a', gate.promise, 'b']))], { timeouts: { idleMs: false } });
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
      const stream = served.model.stream(greeting, { signal: new AbortController().signal })[Symbol.asyncIterator]();
      await until(stream, ({ type }) => type === 'delta');
      vi.advanceTimersByTime(3_600_000);
      gate.resolve();
      await until(stream, ({ type }) => type === 'end');
    });
  });
});

const greeting = {
  system: '',
  tools: [],
  messages: [{ role: 'user', content: [{ type: 'text', text: 'Hello' }] }],
} as const;

async function until(stream: AsyncIterator<ModelPart>, found: (part: ModelPart) => boolean): Promise<ModelPart> {
  for (;;) {
    const { value, done } = await stream.next();
    if (done === true) throw new Error('the stream ended first');
    if (found(value)) return value;
  }
}
