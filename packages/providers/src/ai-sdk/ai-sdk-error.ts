import type { JsonObject } from '@rondo/protocol';
import { isRondoError, RondoError, type ErrorCode } from '@rondo/protocol/values';
import { eventError, statusError } from '../dialect/api-error.ts';
import type { Dialect, ErrorBody, WireError } from '../dialect/dialect.ts';
import { isWireObject, stringOf, type WireObject } from '../dialect/json.ts';
import { hideSecrets, type Endpoint } from '../http/model-failure.ts';

/** Who was asked, as far as one knows it of somebody else's model. */
export type AiSdkEndpoint = Omit<Endpoint, 'url'>;

export type ErrorReading = Pick<Dialect, 'parseErrorBody' | 'errorCode' | 'requestIdHeader'>;

/** Errors as most vendors write them; a vendor's own reading may be given in its place. */
export const commonErrors: ErrorReading = {
  parseErrorBody(text) {
    try {
      return readErrorBody(JSON.parse(text));
    } catch {
      return {};
    }
  },
  errorCode: () => undefined,
  requestIdHeader: 'x-request-id',
};

/**
 * Our error for one that a provider of the AI SDK threw or put in its stream. Nothing of the request goes into it: the
 * SDK's own errors carry the whole conversation, and sometimes the key, so they do not become its cause.
 * @param phase whether the reply had begun: an error that says nothing of itself is then the stream's.
 */
export function aiSdkError(
  thrown: unknown,
  {
    endpoint,
    errors,
    phase,
  }: { readonly endpoint: AiSdkEndpoint; readonly errors: ErrorReading; readonly phase: 'request' | 'stream' },
): RondoError {
  const chain = causesOf(thrown);
  const ours = chain.find((error) => isRondoError(error));
  if (ours !== undefined) return ours as RondoError;
  const vendor = { ...endpoint, url: unknownUrl };
  for (const error of chain) {
    const known =
      readStatus(error, errors, vendor) ?? readNamed(error, errors, vendor) ?? readConnection(error, endpoint);
    if (known !== undefined) return known;
  }
  if (!(thrown instanceof Error)) {
    const { error = { type: 'unknown_error', message: textOf(thrown) } } = readErrorBody(thrown);
    return eventError(error, { ...streamDialect, ...errors }, vendor);
  }
  const code = phase === 'stream' ? 'model.stream_broken' : 'model.request_invalid';
  return named(code, `failed in its provider package: ${thrown.message}`, endpoint);
}

const unknownUrl = new URL('ai-sdk:model');

/** `eventError` asks a dialect for no more than its words for errors. */
const streamDialect: Pick<Dialect, 'createReader'> = {
  createReader() {
    throw new RondoError('internal', 'a model of the AI SDK reads its replies itself');
  },
};

/** The error and those behind it: what was retried last, what it was caused by. */
function causesOf(thrown: unknown): readonly unknown[] {
  const chain: unknown[] = [];
  for (let error = thrown; error !== undefined && error !== null && !chain.includes(error) && chain.length < 10; ) {
    chain.push(error);
    error = isWireObject(error) ? (error['lastError'] ?? error['cause']) : undefined;
  }
  return chain;
}

/** An `APICallError` with the status of an answer. */
function readStatus(error: unknown, errors: ErrorReading, endpoint: Endpoint): RondoError | undefined {
  if (!isWireObject(error)) return undefined;
  const { statusCode: status, responseBody: body, responseHeaders: headers, isRetryable, message, data } = error;
  if (typeof status !== 'number' || status === 200) return undefined;
  const said = typeof body === 'string' && body !== '' ? body : JSON.stringify(data ?? { message });
  const failure = statusError(
    { status, headers: isWireObject(headers) ? lowerCased(headers) : {}, body: said },
    { ...streamDialect, ...errors },
    endpoint,
    Date.now(),
  );
  const final = isRetryable === false && status >= 500;
  return final
    ? new RondoError(failure.code, failure.message, { details: failure.details, retryable: false })
    : failure;
}

function lowerCased(headers: WireObject): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), String(value)]));
}

const codesByName: Readonly<Record<string, ErrorCode>> = {
  AI_LoadAPIKeyError: 'model.key_missing',
  AI_LoadSettingError: 'input.invalid',
  AI_NoSuchModelError: 'model.not_found',
  AI_UnsupportedFunctionalityError: 'model.request_invalid',
  AI_InvalidPromptError: 'model.request_invalid',
  AI_InvalidArgumentError: 'model.request_invalid',
  AI_JSONParseError: 'model.stream_broken',
  AI_InvalidResponseDataError: 'model.stream_broken',
  AI_NoContentGeneratedError: 'model.stream_broken',
  AI_EmptyResponseBodyError: 'model.stream_broken',
  TimeoutError: 'model.timeout',
};

function readNamed(error: unknown, errors: ErrorReading, endpoint: Endpoint): RondoError | undefined {
  if (!isWireObject(error)) return undefined;
  const name = stringOf(error['name']);
  if (name === 'AI_TypeValidationError') {
    // What came is not what the package expects of a reply; most often it is an error that the server wrote there.
    const said = readErrorBody(error['value']).error;
    return said === undefined
      ? named('model.stream_broken', 'sent what its provider package cannot read', endpoint)
      : eventError(said, { ...streamDialect, ...errors }, endpoint);
  }
  const code = Object.hasOwn(codesByName, name) ? codesByName[name] : undefined;
  return code === undefined ? undefined : named(code, `said: ${stringOf(error['message'])}`, endpoint);
}

/** An error of the network, by the code that Node and fetch give to it. */
function readConnection(error: unknown, endpoint: AiSdkEndpoint): RondoError | undefined {
  if (!isWireObject(error)) return undefined;
  const code = stringOf(error['code']);
  const message = stringOf(error['message']);
  if (/TIMEOUT$|^ETIMEDOUT$/.test(code)) return named('model.timeout', `did not answer in time (${code})`, endpoint);
  const unreachable =
    /^(E[A-Z]{3,}|UND_ERR_[A-Z_]+|Connection\w+)$/.test(code) || /^(fetch failed|failed to fetch)$/i.test(message);
  if (!unreachable) return undefined;
  return named('model.connection_failed', `cannot be reached: ${message === '' ? code : message}`, endpoint, { code });
}

function named(code: ErrorCode, said: string, endpoint: AiSdkEndpoint, details: JsonObject = {}): RondoError {
  const words = hideSecrets(`${endpoint.vendor} ${said}`, endpoint.secrets).slice(0, 2_000);
  return new RondoError(code, /[.!?]$/.test(words) ? words : `${words}.`, { details });
}

/** What of an error body the vendors agree on: `error` with a message, or a message by itself, or a `detail`. */
function readErrorBody(body: unknown): ErrorBody {
  if (typeof body === 'string') return { error: { type: 'unknown_error', message: body } };
  if (Array.isArray(body)) return readErrorBody(body[0]);
  if (!isWireObject(body)) return {};
  const inner = isWireObject(body['error']) ? body['error'] : body;
  const message = [inner['message'], inner['detail'], body['error']].find(
    (said) => said !== undefined && said !== null,
  );
  if (message === undefined) return {};
  return { error: { type: typeOf(inner), message: textOf(message) } };
}

function typeOf(error: WireObject): WireError['type'] {
  const said = [error['type'], error['status'], error['code']].find(
    (value) => typeof value === 'string' && value !== '',
  );
  return typeof said === 'string' ? said : 'unknown_error';
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? String(value));
}
