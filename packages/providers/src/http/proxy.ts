import { RondoError } from '@rondo/protocol/values';

export interface Proxy {
  readonly url: URL;
  /** The variable that names it, for messages to people. */
  readonly variable: string;
}

const example = 'http://proxy.example:8080';

/** @throws RondoError `input.invalid`, without the value: it may hold a password. */
export function readProxy(value: string, variable: string): Proxy {
  const scheme = /^([a-z][a-z0-9+.-]*):\/\//i.exec(value)?.[1]?.toLowerCase();
  if (scheme !== undefined && scheme !== 'http' && scheme !== 'https') {
    throw invalid(variable, `names a ${scheme} proxy, and only http and https ones can be used`);
  }
  const url = URL.parse(scheme === undefined ? `http://${value}` : value);
  if (url === null || url.hostname === '') throw invalid(variable, 'is no URL of a proxy');
  if (decoded(url.username) === undefined || decoded(url.password) === undefined)
    throw invalid(variable, 'has a % in its user name or password that stands for no character: write it as %25');
  return { url, variable };
}

function invalid(variable: string, problem: string): RondoError {
  return new RondoError('input.invalid', `${variable} ${problem}; it should look like ${example}.`, {
    details: { variable },
  });
}

/** Where it listens: `host:port`. */
export function proxyHost({ url }: Proxy): string {
  return `${url.hostname}:${url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : url.port}`;
}

/** The header that shows it who asks; undefined where the URL names nobody. */
export function proxyAuthorization({ url }: Proxy): string | undefined {
  if (url.username === '' && url.password === '') return undefined;
  const pair = `${decoded(url.username) ?? ''}:${decoded(url.password) ?? ''}`;
  return `Basic ${Buffer.from(pair).toString('base64')}`;
}

/** What must not be shown of it: the password as it stands, as it is meant, and as it is sent. */
export function proxySecrets(proxy: Proxy): readonly string[] {
  const { password } = proxy.url;
  if (password === '') return [];
  const sent = (proxyAuthorization(proxy) ?? '').replace('Basic ', '');
  return [password, decoded(password) ?? password, sent];
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/** What went wrong on this side of a proxy; `proxyStatus` is what it answered, if it did. */
export interface ProxyFailure extends NodeJS.ErrnoException {
  readonly atProxy: true;
  readonly proxyStatus?: number;
}

export function proxyFailure(cause: NodeJS.ErrnoException): ProxyFailure {
  const code = cause.code === undefined ? {} : { code: cause.code };
  return Object.assign(new Error(cause.message, { cause }), { atProxy: true as const, ...code });
}

export function proxyRefusal(status: number, reason: string): ProxyFailure {
  const said = reason === '' ? `status ${status}` : `status ${status} ${reason}`;
  return Object.assign(new Error(said), { atProxy: true as const, proxyStatus: status });
}

export function isProxyFailure(error: NodeJS.ErrnoException): error is ProxyFailure {
  return 'atProxy' in error && error.atProxy === true;
}
