import { describe, expect, test } from 'vitest';
import type { ErrorReading } from '../ai-sdk/ai-sdk-error.ts';
import { anthropicDialect } from '../anthropic/dialect.ts';
import { googleErrors } from '../google/errors.ts';
import { mistralErrors } from '../mistral/errors.ts';
import { createCompatibleDialect } from '../openai-compatible/dialect.ts';
import { serverQuirks } from '../openai-compatible/server-quirks.ts';
import { openaiDialect } from '../openai/dialect.ts';
import { eventError, statusError } from './api-error.ts';
import type { Dialect } from './dialect.ts';

const key = 'sk-not-a-key-1234';
const endpoint = {
  vendor: 'The vendor',
  url: new URL('https://provider.test/'),
  keySource: 'A_KEY',
  baseUrlSource: 'A_BASE_URL',
  secrets: [key],
};
const createReader: Dialect['createReader'] = () => {
  throw new Error('no reply is read here');
};
const whole = (errors: ErrorReading): Dialect => ({ ...errors, createReader });
const wires: Readonly<Record<string, Dialect>> = {
  anthropic: anthropicDialect,
  openai: openaiDialect,
  google: whole(googleErrors),
  mistral: whole(mistralErrors),
};

function dialect(vendor: string): Dialect {
  return wires[vendor] ?? createCompatibleDialect(serverQuirks(vendor));
}

function errorOf(vendor: string, status: number, body: object | string, headers = {}) {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return statusError({ status, headers, body: text }, dialect(vendor), endpoint, 0);
}

const anthropic = (type: string, message: string) => ({ type: 'error', error: { type, message }, request_id: 'req_1' });
const openai = (code: string | null, message: string, type: string | null = 'invalid_request_error') => ({
  error: { message, type, param: null, code },
});
const google = (status: string, message: string, details: readonly object[] = []) => ({
  error: { code: 0, message, status, details },
});
const quota = (quotaId: string, retryDelay: string) =>
  google('RESOURCE_EXHAUSTED', 'You exceeded your current quota.', [
    { '@type': 'type.googleapis.com/google.rpc.QuotaFailure', violations: [{ quotaMetric: 'requests', quotaId }] },
    { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay },
  ]);
const router = (code: number, message: string, metadata?: object) => ({ error: { code, message, metadata } });

/** Bodies in the shapes that the vendors and their gateways send, in other words. */
type Row = readonly [vendor: string, status: number, body: object | string, code: string, details?: object];
const bodies: readonly Row[] = [
  ['anthropic', 401, anthropic('authentication_error', 'invalid x-api-key'), 'model.authentication_failed'],
  ['anthropic', 403, '<html>You have been blocked</html>', 'model.permission_denied'],
  ['anthropic', 404, anthropic('not_found_error', 'model: claude-9'), 'model.not_found'],
  ['anthropic', 400, anthropic('invalid_request_error', 'prompt is too long: 9 tokens > 8'), 'model.prompt_too_long'],
  [
    'anthropic',
    400,
    anthropic('invalid_request_error', 'input length and `max_tokens` exceed context limit: 7 + 2 > 8'),
    'model.prompt_too_long',
  ],
  ['anthropic', 413, anthropic('request_too_large', 'Request exceeds the maximum size'), 'model.prompt_too_long'],
  [
    'anthropic',
    400,
    anthropic('invalid_request_error', 'Your credit balance is too low to access the API.'),
    'model.permission_denied',
  ],
  ['anthropic', 429, anthropic('rate_limit_error', 'Too many tokens a minute'), 'model.rate_limited'],
  ['anthropic', 500, anthropic('api_error', 'Internal server error'), 'model.server_error'],
  ['anthropic', 529, anthropic('overloaded_error', 'Overloaded'), 'model.overloaded'],
  ['openai', 401, openai('invalid_api_key', `Incorrect API key provided: ${key}.`), 'model.authentication_failed'],
  ['openai', 404, openai('model_not_found', 'The model does not exist'), 'model.not_found'],
  ['openai', 400, openai('context_length_exceeded', 'Your input is longer than that'), 'model.prompt_too_long'],
  ['openai', 429, openai('insufficient_quota', 'Check your plan', 'insufficient_quota'), 'model.permission_denied'],
  [
    'openai',
    429,
    openai('rate_limit_exceeded', 'Limit 30000, Used 28000. Please try again in 6.5s. See the page.', 'tokens'),
    'model.rate_limited',
    { retryAfterMs: 6_500 },
  ],
  [
    'openai',
    429,
    openai('429', 'The limit of your pricing tier is exceeded. Please retry after 59 seconds.', null),
    'model.rate_limited',
    { retryAfterMs: 59_000 },
  ],
  ['openai', 400, openai('content_filter', 'The prompt was filtered', null), 'model.refused'],
  ['openai', 404, openai('DeploymentNotFound', 'There is no such deployment', null), 'model.not_found'],
  ['openai', 401, { statusCode: 401, message: 'Access token is missing.' }, 'model.authentication_failed'],
  ['openai', 503, openai('server_is_overloaded', 'Try later', 'server_error'), 'model.overloaded'],
  ['openrouter', 404, { ...router(404, 'No endpoints found for a/b.'), user_id: 'user_1' }, 'model.not_found'],
  ['openrouter', 402, router(402, 'This request requires more credits'), 'model.permission_denied'],
  [
    'openrouter',
    403,
    router(403, 'Your input was flagged', { reasons: ['violence'], flagged_input: 'x' }),
    'model.refused',
  ],
  [
    'openrouter',
    429,
    router(429, 'Rate limit exceeded: free-models-per-day. ', { headers: { 'X-RateLimit-Remaining': '0' } }),
    'model.permission_denied',
  ],
  ['openrouter', 429, router(429, 'Provider returned error', { raw: 'busy upstream' }), 'model.rate_limited'],
  ['openrouter', 502, router(502, 'Provider returned error', { raw: '' }), 'model.server_error'],
  ['groq', 400, openai('tool_use_failed', 'Failed to call a function.'), 'model.server_error'],
  ['groq', 413, openai('rate_limit_exceeded', 'Request too large', 'tokens'), 'model.prompt_too_long'],
  ['groq', 498, openai('capacity_exceeded', 'Flex tier capacity exceeded', 'capacity'), 'model.overloaded'],
  [
    'deepseek',
    402,
    openai('invalid_request_error', 'Insufficient Balance', 'unknown_error'),
    'model.permission_denied',
  ],
  ['vllm', 400, { object: 'error', message: 'Its maximum context length is 4096', code: 400 }, 'model.prompt_too_long'],
  ['llamacpp', 503, { error: { code: 503, message: 'Loading model', type: 'unavailable_error' } }, 'model.overloaded'],
  ['mistral', 401, { detail: 'Unauthorized' }, 'model.authentication_failed'],
  [
    'mistral',
    429,
    { object: 'error', message: 'Service tier capacity exceeded.', type: 'service_tier_capacity_exceeded' },
    'model.overloaded',
  ],
  ['mistral', 429, { object: 'error', message: 'Rate limit exceeded', type: 'rate_limited' }, 'model.rate_limited'],
  ['mistral', 400, { object: 'error', message: 'Invalid model: x', type: 'invalid_model' }, 'model.not_found'],
  [
    'mistral',
    400,
    { object: 'error', message: 'Prompt contains 9 tokens, too large for model with 8', type: 'x' },
    'model.prompt_too_long',
  ],
  [
    'google',
    400,
    google('INVALID_ARGUMENT', 'API key not valid.', [{ reason: 'API_KEY_INVALID' }]),
    'model.authentication_failed',
  ],
  ['google', 404, google('NOT_FOUND', 'models/x is not found'), 'model.not_found'],
  ['google', 400, google('INVALID_ARGUMENT', 'The input token count (9) exceeds the maximum'), 'model.prompt_too_long'],
  ['google', 429, quota('RequestsPerMinutePerModel', '12s'), 'model.rate_limited', { retryAfterMs: 12_000 }],
  ['google', 429, quota('RequestsPerDayPerModel-FreeTier', '12s'), 'model.permission_denied'],
  ['google', 503, google('UNAVAILABLE', 'The model is overloaded.'), 'model.overloaded'],
  ['google', 500, google('INTERNAL', 'An internal error has occurred.'), 'model.server_error'],
];

const retryable = new Set(['model.rate_limited', 'model.overloaded', 'model.server_error']);

for (const [vendor, status, body, code, details] of bodies) {
  test(`${vendor} answers ${status} with ${JSON.stringify(body)}: ${code}`, () => {
    const error = errorOf(vendor, status, body);
    expect(error).toMatchObject({ code, retryable: retryable.has(code), details: { status, ...details } });
    expect(error.message).toMatch(/^The vendor answered with status \d+: .{5}/);
    expect(error.message).not.toMatch(/undefined|\[object|\(\)|\. \./);
    expect(JSON.stringify([error, error.message])).not.toContain(key);
  });
}

test('a header that says how long to wait counts for more than words', () => {
  const said = openai('rate_limit_exceeded', 'Please try again in 7m12s.', 'tokens');
  expect(errorOf('groq', 429, said, { 'retry-after': '3' }).details).toMatchObject({ retryAfterMs: 3_000 });
});

test('an error inside a stream says how long to wait, too', () => {
  const said = { type: 'rate_limit_exceeded', message: 'Limit reached. Please try again in 11.054s.' };
  expect(eventError(said, openaiDialect, endpoint)).toMatchObject({
    code: 'model.rate_limited',
    details: { retryAfterMs: 11_054 },
  });
});

const signature = 'messages.1.content.0: Invalid `signature` in `thinking` block';

describe('reasoning that is not taken back is told apart', () => {
  test.each<readonly [string, number, object | string]>([
    ['anthropic', 400, anthropic('invalid_request_error', signature)],
    [
      'anthropic',
      400,
      anthropic('invalid_request_error', `${signature}. The block is bound to a different conversation.`),
    ],
    ['anthropic', 400, anthropic('invalid_request_error', '0: Invalid `data` in `redacted_thinking` block')],
    [
      'anthropic',
      400,
      anthropic(
        'invalid_request_error',
        '5: `thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified.',
      ),
    ],
    // Gateways wrap what they were told.
    [
      'anthropic',
      400,
      { type: 'error', error: { type: 'fail', upstream: anthropic('invalid_request_error', signature) } },
    ],
    ['anthropic', 500, { error: { message: `ValidationException: ${signature} (request id: 1)` } }],
    ['openrouter', 400, router(400, 'Provider returned error', { raw: JSON.stringify(anthropic('x', signature)) })],
    ['openai', 400, openai('invalid_encrypted_content', 'It could not be verified.')],
    ['openrouter', 400, router(400, 'The encrypted content gAAA...Q== could not be verified.')],
    ['openai', 400, openai(null, "Item 'rs_1' of type 'reasoning' was provided without its required following item.")],
    ['openai', 404, openai(null, "Item with id 'rs_1' not found. Items are not persisted when `store` is false.")],
    ['google', 400, google('INVALID_ARGUMENT', 'Corrupted thought signature.')],
    ['google', 400, [google('INVALID_ARGUMENT', 'The request has a Thought signature is not valid..')]],
    ['google', 400, google('INVALID_ARGUMENT', 'Function call is missing a thought_signature in its parts.')],
  ])('%s answers %i with %j', (vendor, status, body) => {
    expect(errorOf(vendor, status, body)).toMatchObject({
      code: 'model.request_invalid',
      retryable: false,
      details: { status, reason: 'reasoning_rejected' },
    });
  });

  test('inside a stream', () => {
    const said = { type: 'invalid_encrypted_content', message: '' };
    expect(eventError(said, openaiDialect, endpoint).details).toMatchObject({ reason: 'reasoning_rejected' });
  });

  test.each([
    ['anthropic', 400, anthropic('invalid_request_error', 'thinking.budget_tokens: must be less than max_tokens')],
    ['openai', 400, openai(null, "Invalid value: 'reasoning'.")],
    ['anthropic', 429, anthropic('rate_limit_error', signature)],
  ])('%s answers %i with something else: %j', (vendor, status, body) => {
    expect(errorOf(vendor, status, body).details).not.toHaveProperty('reason');
  });
});
