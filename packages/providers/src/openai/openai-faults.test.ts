import type { RondoError } from '@rondo/protocol';
import { isRondoError, type ErrorCode } from '@rondo/protocol/values';
import { describe, expect, test } from 'vitest';
import {
  askModel,
  mute,
  promptTooLong,
  reply,
  reset,
  startModelServer,
  status,
  text,
  thinking,
  toolCall,
  type Step,
} from '../testing/index.ts';
import { createOpenAIModel, type OpenAIModelOptions } from './create-openai-model.ts';

const key = 'sk-proj-secret-0123456789';

/** Asks once and gives the error, which must be of the code and must not hold the key anywhere. */
async function failure(step: Step, code: ErrorCode, options: Partial<OpenAIModelOptions> = {}): Promise<RondoError> {
  await using server = await startModelServer({ script: [step] });
  const model = createOpenAIModel({
    model: 'gpt-6.2-sol',
    apiKey: key,
    keySource: 'OPENAI_API_KEY',
    baseUrl: server.url,
    ...options,
  });
  const { error, end } = await askModel(model);
  expect(end).toBeUndefined();
  if (!isRondoError(error, code)) throw new Error(`expected ${code}, got ${String(error)}`, { cause: error });
  expect(`${error.message} ${error.stack} ${JSON.stringify(error)}`).not.toContain(key);
  return error;
}

describe('errors by status', () => {
  test.each<[number, ErrorCode, boolean]>([
    [400, 'model.request_invalid', false],
    [401, 'model.authentication_failed', false],
    [403, 'model.permission_denied', false],
    [404, 'model.not_found', false],
    [413, 'model.prompt_too_long', false],
    [429, 'model.rate_limited', true],
    [500, 'model.server_error', true],
    [502, 'model.server_error', true],
    [503, 'model.overloaded', true],
  ])('%s is %s', async (code, expected, retryable) => {
    const error = await failure(status(code), expected);
    expect(error.retryable).toBe(retryable);
    expect(error.details).toMatchObject({ status: code, requestId: expect.stringMatching(/^req_/) });
  });

  test('an account out of credit is not tried again, though it comes as a limit', async () => {
    const error = await failure(status(429, { type: 'insufficient_quota', retryAfter: 1 }), 'model.permission_denied');
    expect(error.retryable).toBe(false);
    expect(error.message).toMatch(/billing/);
  });

  test('a prompt that is too long is told from other refusals', async () => {
    expect((await failure(promptTooLong(), 'model.prompt_too_long')).details['type']).toBe('context_length_exceeded');
    await failure(status(400, { type: 'context_length_exceeded', message: 'no' }), 'model.prompt_too_long');
  });

  test('how long to wait is read from what the server says of its limits', async () => {
    expect((await failure(status(429, { retryAfter: 3 }), 'model.rate_limited')).details['retryAfterMs']).toBe(3_000);
    const headers = {
      'x-ratelimit-remaining-requests': '17',
      'x-ratelimit-reset-requests': '1h',
      'x-ratelimit-remaining-tokens': '0',
      'x-ratelimit-reset-tokens': '6m0.5s',
    };
    expect((await failure(status(429, { headers }), 'model.rate_limited')).details['retryAfterMs']).toBe(360_500);
  });

  test('a refused key is hidden where the server repeats it', async () => {
    const error = await failure(
      status(401, { message: `Incorrect API key provided: ${key}` }),
      'model.authentication_failed',
    );
    expect(error.message).toContain('[redacted]');
    expect(error.message).toContain('OPENAI_API_KEY');
  });

  test('a body that is no JSON is quoted', async () => {
    expect((await failure(status(502, { body: '<h1>Bad gateway</h1>' }), 'model.server_error')).message).toContain(
      'Bad gateway',
    );
  });
});

const told = [thinking('Let me see.'), text('Reading both.'), toolCall('Read', { path: 'a' }), toolCall('Read', {})];

describe('errors inside the stream', () => {
  test.each<[string, ErrorCode]>([
    ['server_error', 'model.server_error'],
    ['rate_limit_exceeded', 'model.rate_limited'],
    ['server_is_overloaded', 'model.overloaded'],
    ['insufficient_quota', 'model.permission_denied'],
    ['context_length_exceeded', 'model.prompt_too_long'],
    ['invalid_prompt', 'model.refused'],
    ['invalid_image_format', 'model.request_invalid'],
    ['error_of_tomorrow', 'model.server_error'],
  ])('an event of the code %s is %s', async (type, code) => {
    const fault = { type: 'error', after: { events: 3 }, error: { type, message: `scripted ${key}` } } as const;
    expect((await failure(reply(told, { fault }), code)).details).toEqual({ type });
  });

  test.each([
    ['cut after the headers', { type: 'cut', after: 'headers', how: 'close' }],
    ['cut after the first call', { type: 'cut', after: 'first-tool-call', how: 'close' }],
    ['cut in the middle of an event', { type: 'cut', after: { halfEvent: 5 }, how: 'close' }],
    ['reset in the middle', { type: 'cut', after: { events: 4 }, how: 'reset' }],
    ['a body that ends early', { type: 'cut', after: { events: 9 }, how: 'end' }],
    ['a body that ends inside an event', { type: 'cut', after: { halfEvent: 4 }, how: 'end' }],
    ['data that is no JSON', { type: 'bad_json', event: 3 }],
  ] as const)('%s is model.stream_broken', async (_name, fault) => {
    expect((await failure(reply(told, { fault }), 'model.stream_broken')).retryable).toBe(true);
  });

  test('a connection that is reset before any answer', async () => {
    expect((await failure(reset(), 'model.connection_failed')).retryable).toBe(true);
  });

  test('what came whole before the cut was handed out', async () => {
    const fault = { type: 'cut', after: 'first-tool-call', how: 'close' } as const;
    await using server = await startModelServer({ script: [reply(told, { fault })] });
    const { blocks } = await askModel(createOpenAIModel({ model: 'gpt-6.2-sol', baseUrl: server.url }));
    expect(blocks.map(({ type }) => type)).toEqual(['reasoning', 'text', 'tool_call']);
  });
});

test.each([
  ['no headers', mute(), { headersMs: 30 }, 'headers'],
  [
    'headers and nothing more',
    reply(told, { fault: { type: 'silence', after: 'headers' } }),
    { firstByteMs: 30 },
    'first-byte',
  ],
  [
    'half an event',
    reply(told, { fault: { type: 'silence', after: { halfEvent: 3 } } }),
    { idleMs: 30, firstByteMs: 5_000 },
    'idle',
  ],
])('silence is model.timeout: %s', async (_name, step, timeouts, phase) => {
  expect((await failure(step, 'model.timeout', { timeouts })).details['phase']).toBe(phase);
});
