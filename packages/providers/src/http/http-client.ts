import type { Agent, ClientRequest, RequestOptions } from 'node:http';

export interface SendOptions {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
}

export interface HttpClient {
  request(url: URL, options: SendOptions): ClientRequest;
  /** Closes the connections that wait for reuse, so that the next request opens its own. */
  closeIdle(): void;
}

const clients = new Map<string, HttpClient>();

/**
 * Node's own client for the URL's protocol, loaded when first asked for: loading one costs about half of what starting
 * Node costs, so a plain `http:` server never loads TLS. Connections are kept alive and shared by the whole process; one
 * that nobody uses does not keep the process alive.
 */
export function httpClientFor(url: URL): HttpClient {
  let client = clients.get(url.protocol);
  if (client === undefined) {
    client = url.protocol === 'https:' ? secureClient() : plainClient();
    clients.set(url.protocol, client);
  }
  return client;
}

function plainClient(): HttpClient {
  const http = process.getBuiltinModule('node:http');
  return clientOf(requestTo(http.request), new http.Agent({ keepAlive: true }));
}

function secureClient(): HttpClient {
  const https = process.getBuiltinModule('node:https');
  return clientOf(requestTo(https.request), new https.Agent({ keepAlive: true }));
}

const addresses = new WeakMap<URL, RequestOptions>();

/** Takes each URL apart once: many requests go to the same one. */
function requestTo(request: (options: RequestOptions) => ClientRequest): Parameters<typeof clientOf>[0] {
  // Loaded with either client.
  const { urlToHttpOptions } = process.getBuiltinModule('node:url');
  return (url, options) => {
    const address = addresses.get(url) ?? urlToHttpOptions(url);
    addresses.set(url, address);
    return request({ ...address, ...options });
  };
}

/** A client of connections that the agent keeps. */
export function clientOf(
  request: (url: URL, options: SendOptions & { readonly agent: Agent }) => ClientRequest,
  agent: Agent,
): HttpClient {
  return {
    request: (url, options) => request(url, { ...options, agent }),
    closeIdle() {
      for (const sockets of Object.values(agent.freeSockets)) {
        for (const socket of sockets ?? []) socket.destroy();
      }
    },
  };
}
