import type { Agent, ClientRequest, RequestOptions } from 'node:http';
import type { Socket } from 'node:net';
import { connect as connectSecurely, type SecureContext } from 'node:tls';
import { clientOf, type HttpClient } from './http-client.ts';
import { proxyAuthorization, proxyFailure, proxyRefusal, type Proxy } from './proxy.ts';

export interface RoutedClientOptions {
  /** Of the servers that are asked. */
  readonly protocol: string;
  readonly proxy: Proxy | undefined;
  readonly secureContext: SecureContext | undefined;
}

/**
 * A client whose connections go through a proxy, or are secured in another way than Node does by itself. Written on
 * Node's own agents: their connections are kept and reused like any other, and a connection that is still on its way
 * through the proxy ends with the request that wanted it.
 */
export function createRoutedClient({ protocol, proxy, secureContext }: RoutedClientOptions): HttpClient {
  const secured = secureContext === undefined ? {} : { secureContext };
  if (protocol === 'https:') {
    const https = process.getBuiltinModule('node:https');
    const agent = new https.Agent({ keepAlive: true, ...secured });
    if (proxy === undefined) return clientOf(https.request, agent);
    openThrough(agent, proxy, secured);
    return clientOf((url, options) => requestThrough(https.request, url, options), agent);
  }
  if (proxy === undefined) throw new Error('a plain server without a proxy needs no way of its own');
  return forwardingClient(proxy, secured);
}

type Secured = { readonly secureContext?: SecureContext };
type Opened = (error: Error | null, socket?: Socket) => void;

/** What the agent hands from the request to the connection that is opened for it. */
interface TunnelOptions {
  readonly host: string;
  readonly port: number | string;
  readonly servername?: string;
  /** Aborted when the request is given up. */
  readonly leaving: AbortSignal;
}

function requestThrough(
  request: (url: URL, options: RequestOptions) => ClientRequest,
  url: URL,
  options: RequestOptions,
): ClientRequest {
  const leaving = new AbortController();
  // Node has no member for it and hands on whatever there is.
  const tunnelled: RequestOptions & Pick<TunnelOptions, 'leaving'> = { ...options, leaving: leaving.signal };
  const sent = request(url, tunnelled);
  const { destroy } = sent;
  sent.destroy = (error) => {
    leaving.abort();
    return destroy.call(sent, error);
  };
  return sent;
}

/** Makes the agent's connections tunnels through the proxy, secured from here to the server. */
function openThrough(agent: Agent, proxy: Proxy, secured: Secured): void {
  const open = (options: TunnelOptions, opened: Opened): void => {
    const server = `${options.host.includes(':') ? `[${options.host}]` : options.host}:${options.port}`;
    const asking = askProxy(proxy, {
      method: 'CONNECT',
      path: server,
      agent: false,
      headers: { ...proxyHeaders(proxy), host: server, connection: 'keep-alive', 'user-agent': 'rondo' },
      ...secured,
    });
    const leave = (): void => void asking.destroy(new Error('the request was given up'));
    const settle: Opened = (error, socket) => {
      options.leaving.removeEventListener('abort', leave);
      opened(error, socket);
    };
    asking.once('error', (error) => settle(proxyFailure(error)));
    asking.once('connect', (response, socket: Socket, head: Buffer) => {
      const { statusCode = 0, statusMessage = '' } = response;
      if (statusCode < 200 || statusCode > 299) {
        socket.destroy();
        settle(proxyRefusal(statusCode, statusMessage));
        return;
      }
      if (head.byteLength > 0) socket.unshift(head);
      const { host, servername = '' } = options;
      settle(null, connectSecurely({ socket, host, servername, ALPNProtocols: ['http/1.1'], ...secured }));
    });
    options.leaving.addEventListener('abort', leave, { once: true });
    if (options.leaving.aborted) leave();
    asking.end();
  };
  Object.assign(agent, { createConnection: open });
}

/** A proxy gets the whole URL of a server that is not secured, and asks it itself. */
function forwardingClient(proxy: Proxy, secured: Secured): HttpClient {
  const { Agent } = process.getBuiltinModule(proxy.url.protocol === 'https:' ? 'node:https' : 'node:http');
  const agent: Agent = new Agent({ keepAlive: true, ...secured });
  return clientOf((url, options) => {
    const { username, password } = url;
    const target = new URL(url);
    target.username = '';
    target.password = '';
    target.hash = '';
    const auth = username === '' ? {} : { auth: `${decodeURIComponent(username)}:${decodeURIComponent(password)}` };
    const headers = { ...options.headers, ...proxyHeaders(proxy), host: url.host };
    return askProxy(proxy, { ...auth, method: options.method, agent, path: target.href, headers });
  }, agent);
}

function askProxy({ url }: Proxy, options: RequestOptions): ClientRequest {
  const secure = url.protocol === 'https:';
  const { request } = process.getBuiltinModule(secure ? 'node:https' : 'node:http');
  const host = url.hostname.replace(/^\[|\]$/g, '');
  return request({ ...options, protocol: url.protocol, host, port: url.port === '' ? (secure ? 443 : 80) : url.port });
}

function proxyHeaders(proxy: Proxy): Readonly<Record<string, string>> {
  const authorization = proxyAuthorization(proxy);
  return authorization === undefined ? {} : { 'proxy-authorization': authorization };
}
