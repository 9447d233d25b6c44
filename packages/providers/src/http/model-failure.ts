import type { JsonObject } from '@rondo/protocol';
import { RondoError } from '@rondo/protocol/values';
import type { PostFailure } from './post.ts';

/** Who was asked, for messages to people: never a key. */
export interface Endpoint {
  /** The vendor's name. */
  readonly vendor: string;
  readonly url: URL;
  /** Where the key comes from, e.g. `ANTHROPIC_API_KEY`. */
  readonly keySource: string;
  /** Where the base URL can be set, e.g. `ANTHROPIC_BASE_URL`. */
  readonly baseUrlSource: string;
  /** Values that must not stand in any message, whoever wrote it. */
  readonly secrets: readonly string[];
}

/** The error of a request that got no answer, or whose answer broke off. */
export function postError(failure: PostFailure, endpoint: Endpoint): RondoError {
  if (failure.type === 'timeout') return timeoutError(failure, endpoint);
  const { cause, answered } = failure;
  const details = { host: endpoint.url.host, ...(cause.code === undefined ? {} : { code: cause.code }) };
  const reason = hideSecrets(cause.message === '' ? (cause.code ?? 'unknown reason') : cause.message, endpoint.secrets);
  if (answered) {
    return new RondoError('model.stream_broken', `The reply of ${endpoint.vendor} broke off: ${reason}.`, {
      details,
      cause,
    });
  }
  const untrusted = isCertificateProblem(cause.code);
  const wayOn = untrusted
    ? 'Name the authority that signed it in NODE_EXTRA_CA_CERTS.'
    : `Check the network, or ${endpoint.baseUrlSource} if the address is wrong.`;
  return new RondoError(
    'model.connection_failed',
    `Cannot reach ${endpoint.vendor} at ${endpoint.url.host}: ${reason}. ${wayOn}`,
    {
      details,
      cause,
      ...(untrusted ? { retryable: false } : {}),
    },
  );
}

const silences = {
  headers: 'did not answer',
  'first-byte': 'answered with headers and then sent nothing',
  idle: 'went silent in the middle of its reply',
} as const;

function timeoutError(failure: Extract<PostFailure, { type: 'timeout' }>, endpoint: Endpoint): RondoError {
  const { phase, afterMs } = failure;
  return new RondoError(
    'model.timeout',
    `${endpoint.vendor} at ${endpoint.url.host} ${silences[phase]} for ${afterMs} ms.`,
    { details: { host: endpoint.url.host, phase, afterMs } },
  );
}

/** A reply that does not follow the protocol, or ends before it is whole. */
export function brokenStream(endpoint: Endpoint, reason: string, details: JsonObject = {}): RondoError {
  return new RondoError(
    'model.stream_broken',
    `The reply of ${endpoint.vendor} is broken: ${hideSecrets(reason, endpoint.secrets)}.`,
    {
      details: { host: endpoint.url.host, ...details },
    },
  );
}

/** `text` with every secret replaced, for words that came from outside and may repeat what we sent. */
export function hideSecrets(text: string, secrets: readonly string[]): string {
  return secrets.reduce((hidden, secret) => (secret === '' ? hidden : hidden.replaceAll(secret, '[redacted]')), text);
}

function isCertificateProblem(code: string | undefined): boolean {
  return code !== undefined && /CERT|SELF_SIGNED|UNABLE_TO_VERIFY|ALTNAME/.test(code);
}
