import type { JsonObject } from '@rondo/protocol';
import { RondoError, type ErrorCode } from '@rondo/protocol/values';
import type { IncomingHttpHeaders } from 'node:http';
import { hideSecrets, proxyStatusError, type Endpoint } from '../http/model-failure.ts';
import { retryAfterMs, saidWaitMs } from '../http/retry-after.ts';
import type { Dialect, WireError } from './dialect.ts';
import { stringOf } from './json.ts';
import { rejectsReasoning } from './rejected-reasoning.ts';

const longestQuote = 2_000;

const codesByStatus: Readonly<Record<number, ErrorCode>> = {
  401: 'model.authentication_failed',
  402: 'model.permission_denied',
  403: 'model.permission_denied',
  404: 'model.not_found',
  408: 'model.timeout',
  409: 'model.server_error',
  413: 'model.prompt_too_long',
  429: 'model.rate_limited',
  504: 'model.timeout',
  529: 'model.overloaded',
};

/** What a status means where nothing more is known. */
export function codeOfStatus(status: number): ErrorCode {
  return codesByStatus[status] ?? (status >= 500 ? 'model.server_error' : 'model.request_invalid');
}

/** The error of a reply whose status is not 200. `body` may be cut short. */
export function statusError(
  reply: { readonly status: number; readonly headers: IncomingHttpHeaders; readonly body: string },
  dialect: Dialect,
  endpoint: Endpoint,
  now: number,
): RondoError {
  const { status, headers, body } = reply;
  const proxy = status === 407 ? endpoint.network?.proxyFor(endpoint.url) : undefined;
  if (proxy !== undefined) return proxyStatusError('status 407', status, proxy, endpoint.url);
  const { error, requestId, retryAfterMs: saidInBody } = dialect.parseErrorBody(body);
  const wait = retryAfterMs(headers, now) ?? saidInBody;
  const id = headers[dialect.requestIdHeader] ?? requestId;
  const code = (error && dialect.errorCode(error, status)) ?? codeOfStatus(status);
  const details: JsonObject = {
    status,
    ...(wait !== undefined && { retryAfterMs: wait }),
    ...(typeof id === 'string' && { requestId: hideSecrets(id, endpoint.secrets) }),
    ...(error && { type: hideSecrets(error.type, endpoint.secrets) }),
  };
  const redirect = status >= 300 && status < 400 ? headers.location : undefined;
  const said = redirect !== undefined ? `it leads to ${redirect}` : error?.message.trim() || body.trim();
  return apiError({ code, how: `status ${status}`, said, details, retryable: readRetryable(headers) }, endpoint);
}

/** The error of an `error` event inside a stream that began well. */
export function eventError(error: WireError, dialect: Dialect, endpoint: Endpoint): RondoError {
  const code = dialect.errorCode(error) ?? 'model.server_error';
  const details = { type: hideSecrets(error.type, endpoint.secrets) };
  return apiError(
    { code, how: 'an error inside its reply', said: error.message, details, retryable: undefined },
    endpoint,
  );
}

/** What the server itself says about trying again, which counts for more than our table. */
function readRetryable(headers: IncomingHttpHeaders): boolean | undefined {
  const said = headers['x-should-retry'];
  return said === 'true' || said === 'false' ? said === 'true' : undefined;
}

interface ApiProblem {
  readonly code: ErrorCode;
  readonly how: string;
  /** The server's own words. */
  readonly said: string;
  readonly details: JsonObject;
  readonly retryable: boolean | undefined;
}

function apiError(problem: ApiProblem, endpoint: Endpoint): RondoError {
  const { how, said, retryable } = problem;
  const { code, details } = exactly(problem);
  const quote = hideSecrets(said, endpoint.secrets).slice(0, longestQuote);
  const message = `${endpoint.vendor} answered with ${how}${quote === '' ? '' : `: ${quote}`}`;
  const advice = wayOn(code, endpoint);
  const whole = advice === undefined ? message : `${message}${/[.!?]$/.test(message) ? '' : '.'} ${advice}`;
  return new RondoError(code, whole, { details, ...(retryable !== undefined && { retryable }) });
}

/** What only the words tell, however many gateways have passed them on. */
function exactly({ code, said, details }: ApiProblem): Pick<ApiProblem, 'code' | 'details'> {
  if (code === 'model.rate_limited' || code === 'model.overloaded') {
    const wait = details['retryAfterMs'] ?? saidWaitMs(said);
    return { code, details: { ...details, ...(wait !== undefined && { retryAfterMs: wait }) } };
  }
  if (!vague.has(code)) return { code, details };
  if (rejectsReasoning({ type: stringOf(details['type']), message: said })) {
    return { code: 'model.request_invalid', details: { ...details, reason: 'reasoning_rejected' } };
  }
  return { code: code === 'model.request_invalid' && isPromptTooLong(said) ? 'model.prompt_too_long' : code, details };
}

/** What a request may be told whose reasoning was rejected: an item of it is then not found. */
const vague: ReadonlySet<ErrorCode> = new Set(['model.request_invalid', 'model.server_error', 'model.not_found']);

/** Many servers have no type of its own for it: only the message of the 400 tells. */
function isPromptTooLong(message: string): boolean {
  return tooLong.some((words) => words.test(message));
}

const tooLong: readonly RegExp[] = [
  /(prompt|input) is too long/i,
  /exceed(s|ed)? (the )?(available |maximum |model's )?context|context (window|limit|length|size)/i,
  /maximum prompt length|prompt token count of \d+ exceeds|exceeded model token limit/i,
];

function wayOn(code: ErrorCode, endpoint: Endpoint): string | undefined {
  switch (code) {
    case 'model.authentication_failed':
      if (endpoint.sendsNoKey === true) return `No key was sent: set ${endpoint.keySource}.`;
      return `The key in ${endpoint.keySource} was refused: check that it is whole and not revoked.`;
    case 'model.permission_denied':
      return `The key in ${endpoint.keySource} may not do this: check its account, workspace and billing.`;
    case 'model.not_found':
      return `Check the model's name, and ${endpoint.baseUrlSource} if it is set.`;
    default:
      return undefined;
  }
}
