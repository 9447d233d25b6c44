import { readVariable, type Environment } from '../environment.ts';
import { certificateFiles, type CertificateFiles } from './certificate-files.ts';
import { httpClientFor, type HttpClient } from './http-client.ts';
import { bypassesProxy } from './no-proxy.ts';
import { proxySecrets, readProxy, type Proxy } from './proxy.ts';

/** How servers are reached where the environment says more than that they are there. */
export interface Network {
  /** What to ask a server with; a promise the first time, because a way through a proxy is loaded when one is needed. */
  clientFor(url: URL): HttpClient | Promise<HttpClient>;
  /** The proxy on the way to a server. */
  proxyFor(url: URL): Proxy | undefined;
  /** Who asks, for the `user-agent` of requests that have no other one than ours. */
  readonly clientApp?: string;
  /** Passwords of proxies, and of the client's key. */
  readonly secrets: readonly string[];
}

/** Lower case comes first, as with curl; `ALL_PROXY` stands in for the others. */
const proxyVariables: Readonly<Record<string, readonly string[]>> = {
  'https:': ['https_proxy', 'HTTPS_PROXY', 'all_proxy', 'ALL_PROXY'],
  'http:': ['http_proxy', 'HTTP_PROXY', 'all_proxy', 'ALL_PROXY'],
};

/** What was made for one way, shared by the whole process like the connections of servers without one. */
const clients = new Map<string, HttpClient | Promise<HttpClient>>();

/**
 * Reads `HTTPS_PROXY`, `HTTP_PROXY`, `ALL_PROXY` and `NO_PROXY` in either case, `NODE_EXTRA_CA_CERTS`, `SSL_CERT_FILE`,
 * `CLAUDE_CODE_CLIENT_CERT` with its key and passphrase, and `CLAUDE_AGENT_SDK_CLIENT_APP`. Undefined where none of them is set. A server on this
 * machine is never asked through a proxy.
 * @throws RondoError `input.invalid` for a proxy that is no URL of one.
 */
export function networkFromEnvironment(env: Environment): Network | undefined {
  const proxies = new Map(Object.keys(proxyVariables).map((protocol) => [protocol, proxyOf(protocol, env)]));
  const files = certificateFiles(env);
  const found = [...proxies.values()].filter((proxy) => proxy !== undefined);
  const clientApp = clientAppOf(env);
  if (found.length === 0 && files === undefined && clientApp === undefined) return undefined;
  const exceptions = readVariable(env, 'no_proxy') ?? readVariable(env, 'NO_PROXY') ?? '';
  const passphrase = files?.passphrase;

  function proxyFor(url: URL): Proxy | undefined {
    const proxy = proxies.get(url.protocol);
    return proxy === undefined || bypassesProxy(url, exceptions) ? undefined : proxy;
  }

  function clientFor(url: URL): HttpClient | Promise<HttpClient> {
    const proxy = proxyFor(url);
    const secured = url.protocol === 'https:' || proxy?.url.protocol === 'https:' ? files : undefined;
    if (proxy === undefined && secured === undefined) return httpClientFor(url);
    const key = JSON.stringify([url.protocol, proxy?.url.href, secured]);
    const known = clients.get(key);
    if (known !== undefined) return known;
    const made = makeClient(url, proxy, secured);
    clients.set(key, made);
    made.then(
      (client) => clients.set(key, client),
      () => clients.delete(key),
    );
    return made;
  }

  return {
    clientFor,
    proxyFor,
    ...(clientApp !== undefined && { clientApp }),
    secrets: [...new Set([...found.flatMap(proxySecrets), ...(passphrase === undefined ? [] : [passphrase])])],
  };
}

/** As much of it as a header takes. */
function clientAppOf(env: Environment): string | undefined {
  const name = readVariable(env, 'CLAUDE_AGENT_SDK_CLIENT_APP')?.replace(/[^\x20-\x7e]|[()]/g, '');
  return name === '' ? undefined : name;
}

async function makeClient(
  url: URL,
  proxy: Proxy | undefined,
  files: CertificateFiles | undefined,
): Promise<HttpClient> {
  const { createRoutedClient } = await import('./routed-client.ts');
  const secureContext =
    files === undefined ? undefined : (await import('./secure-context.ts')).readSecureContext(files);
  return createRoutedClient({ protocol: url.protocol, proxy, secureContext });
}

function proxyOf(protocol: string, env: Environment): Proxy | undefined {
  const variable = proxyVariables[protocol]?.find((name) => readVariable(env, name) !== undefined);
  const value = variable === undefined ? undefined : readVariable(env, variable);
  return variable === undefined || value === undefined ? undefined : readProxy(value, variable);
}
