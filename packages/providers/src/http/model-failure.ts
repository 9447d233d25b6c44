import type { JsonObject } from '@rondo/protocol';
import { isRondoError, RondoError } from '@rondo/protocol/values';
import { isLoopbackUrl } from '../provider-variables.ts';
import type { Network } from './network.ts';
import type { PostFailure } from './post.ts';
import { isProxyFailure, proxyAuthorization, proxyHost, type Proxy } from './proxy.ts';

/** Who was asked, for messages to people: never a key. */
export interface Endpoint {
  /** The vendor's name. */
  readonly vendor: string;
  readonly url: URL;
  /** Where the key comes from, e.g. `ANTHROPIC_API_KEY`. */
  readonly keySource: string;
  /** Nothing that could be a key is sent along: the server may do without. */
  readonly sendsNoKey?: boolean;
  /** Where the base URL can be set, e.g. `ANTHROPIC_BASE_URL`. */
  readonly baseUrlSource: string;
  /** Values that must not stand in any message, whoever wrote it. */
  readonly secrets: readonly string[];
  /** How it is reached, where the environment says something about it. */
  readonly network?: Network | undefined;
}

/** The vendor's name inside a sentence. */
function within({ vendor }: Endpoint): string {
  return vendor.replace(/^The /, 'the ');
}

/** The error of a request that got no answer, or whose answer broke off. */
export function postError(failure: PostFailure, endpoint: Endpoint): RondoError {
  if (failure.type === 'timeout') return timeoutError(failure, endpoint);
  const { cause, answered } = failure;
  if (isRondoError(cause)) return cause;
  const proxy = endpoint.network?.proxyFor(endpoint.url);
  // A server that is not secured is asked by the proxy, so whatever fails on the way fails here.
  if (proxy !== undefined && !answered && (isProxyFailure(cause) || endpoint.url.protocol === 'http:')) {
    return proxyError(cause, proxy, endpoint);
  }
  const details = { host: endpoint.url.host, ...(cause.code === undefined ? {} : { code: cause.code }) };
  const reason = hideSecrets(cause.message === '' ? (cause.code ?? 'unknown reason') : cause.message, endpoint.secrets);
  if (answered) {
    return new RondoError('model.stream_broken', `The reply of ${within(endpoint)} broke off: ${reason}.`, {
      details,
      cause,
    });
  }
  const untrusted = isCertificateProblem(cause.code);
  const way = proxy === undefined ? '' : ` through the proxy of ${proxy.variable}`;
  const wayOn = untrusted
    ? `Name the authority that signed it${proxy === undefined ? '' : ', which may be the proxy itself,'} in NODE_EXTRA_CA_CERTS.`
    : isLoopbackUrl(endpoint.url.href)
      ? `Start it, or check ${endpoint.baseUrlSource} if the address is wrong.`
      : `Check the network, or ${endpoint.baseUrlSource} if the address is wrong${proxy === undefined ? '; where only a proxy leads out, name it in HTTPS_PROXY' : ''}.`;
  return new RondoError(
    'model.connection_failed',
    `Cannot reach ${within(endpoint)} at ${endpoint.url.host}${way}: ${reason}. ${wayOn}`,
    {
      details,
      cause,
      ...(untrusted ? { retryable: false } : {}),
    },
  );
}

/** The error of a request that came no further than its proxy. */
function proxyError(cause: NodeJS.ErrnoException, proxy: Proxy, { url, secrets }: Endpoint): RondoError {
  const status = isProxyFailure(cause) ? cause.proxyStatus : undefined;
  if (status !== undefined) return proxyStatusError(cause.message, status, proxy, url);
  const reason = hideSecrets(cause.message === '' ? (cause.code ?? 'unknown reason') : cause.message, secrets);
  return new RondoError(
    'model.connection_failed',
    `Cannot reach the proxy ${proxyHost(proxy)} of ${proxy.variable}: ${reason}. Check ${proxy.variable}, or name ${url.hostname} in NO_PROXY if it can be reached without.`,
    {
      details: { host: url.host, proxy: proxyHost(proxy), ...(cause.code === undefined ? {} : { code: cause.code }) },
      cause,
      ...(isCertificateProblem(cause.code) && { retryable: false }),
    },
  );
}

/** The error of a proxy's refusal. Only one that a moment may mend is worth another try. */
export function proxyStatusError(said: string, status: number, proxy: Proxy, url: URL): RondoError {
  const knowsUs = proxyAuthorization(proxy) !== undefined;
  const wayOn =
    status === 407
      ? knowsUs
        ? `It refused the user name and password in ${proxy.variable}.`
        : `It wants a user name and a password: put them into ${proxy.variable}, as in http://user:password@${proxyHost(proxy)}.`
      : `Ask whoever runs it, or name ${url.hostname} in NO_PROXY if it can be reached without.`;
  return new RondoError(
    'model.connection_failed',
    `The proxy ${proxyHost(proxy)} of ${proxy.variable} did not connect to ${url.host}: ${said}. ${wayOn}`,
    { details: { host: url.host, proxy: proxyHost(proxy), status }, retryable: status >= 500 },
  );
}

const silences = {
  headers: 'did not answer',
  'first-byte': 'answered with headers and then sent nothing',
  idle: 'went silent in the middle of its reply',
} as const;

function timeoutError(failure: Extract<PostFailure, { type: 'timeout' }>, endpoint: Endpoint): RondoError {
  const { phase, afterMs } = failure;
  const proxy = phase === 'headers' ? endpoint.network?.proxyFor(endpoint.url) : undefined;
  const way = proxy === undefined ? '' : ` It was asked through the proxy ${proxyHost(proxy)} of ${proxy.variable}.`;
  return new RondoError(
    'model.timeout',
    `${endpoint.vendor} at ${endpoint.url.host} ${silences[phase]} for ${afterMs} ms.${way}`,
    { details: { host: endpoint.url.host, phase, afterMs } },
  );
}

/** A reply that does not follow the protocol, or ends before it is whole. */
export function brokenStream(endpoint: Endpoint, reason: string, details: JsonObject = {}): RondoError {
  return new RondoError(
    'model.stream_broken',
    `The reply of ${within(endpoint)} is broken: ${hideSecrets(reason, endpoint.secrets)}.`,
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
