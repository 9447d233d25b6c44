import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Model } from '@rondo/runtime';
import { afterEach, describe, expect, test } from 'vitest';
import { anthropicModelFromEnvironment } from '../anthropic/anthropic-model-from-environment.ts';
import { askModel, startModelServer, text, times, type Step } from '../testing/index.ts';
import { resolveModel } from '../resolve-model.ts';
import { networkFromEnvironment } from './network.ts';

const certificates = new URL('../../fixtures/certificates/', import.meta.url);
const file = (name: string): string => fileURLToPath(new URL(name, certificates));
const authority = file('authority.pem');
const key = 'sk-ant-secret-0123456789';
const password = 'pro%xy:p@ss';

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

async function listen(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
  });
  closers.push(async () => {
    const closed = once(server, 'close');
    server.close();
    for (const socket of sockets) socket.destroy();
    await closed;
  });
  return (server.address() as AddressInfo).port;
}

/** The model server behind TLS, on a name that nobody can look up: only a proxy knows the way. */
async function secureModelServer(script: readonly Step[], options: { readonly clientCertificate?: boolean } = {}) {
  const inner = await startModelServer({ script });
  closers.push(() => inner.close());
  const innerPort = Number(new URL(inner.url).port);
  const wanted = options.clientCertificate === true;
  const secure = createSecureServer({
    cert: readFileSync(file('server.pem')),
    key: readFileSync(file('server-key.pem')),
    ...(wanted && { ca: readFileSync(authority), requestCert: true, rejectUnauthorized: true }),
  });
  let handshakes = 0;
  secure.removeAllListeners('secureConnection');
  secure.on('secureConnection', (socket) => {
    handshakes += 1;
    socket.on('error', () => undefined);
    const onward = connect(innerPort, '127.0.0.1');
    onward.on('error', () => socket.destroy());
    socket.pipe(onward).pipe(socket);
    socket.on('close', () => onward.destroy());
  });
  const port = await listen(secure);
  return {
    port,
    url: `https://provider.test:${port}`,
    server: inner,
    get handshakes() {
      return handshakes;
    },
  };
}

interface TestProxy {
  readonly port: number;
  /** What was asked of it: `CONNECT provider.test:443`, `POST http://…`. */
  readonly asked: string[];
  readonly authorizations: (string | undefined)[];
}

interface TestProxyOptions {
  /** Where every name leads. */
  readonly to?: number;
  /** Answered in place of a connection. */
  readonly status?: number;
  readonly secure?: boolean;
  /** Takes the request and never answers. */
  readonly silent?: boolean;
}

async function startProxy({ to = 0, status, secure = false, silent = false }: TestProxyOptions): Promise<TestProxy> {
  const asked: string[] = [];
  const authorizations: (string | undefined)[] = [];
  const note = ({ method, url, headers }: IncomingMessage): void => {
    asked.push(`${method} ${url}`);
    authorizations.push(headers['proxy-authorization']);
  };
  const server = secure
    ? createSecureServer({ cert: readFileSync(file('server.pem')), key: readFileSync(file('server-key.pem')) })
    : createServer();
  server.on('connect', (request: IncomingMessage, socket: Socket) => {
    note(request);
    socket.on('error', () => undefined);
    if (silent) return;
    if (status !== undefined) {
      socket.end(`HTTP/1.1 ${status} No way\r\nproxy-authenticate: Basic realm="x"\r\ncontent-length: 2\r\n\r\nno`);
      return;
    }
    const onward = connect(to, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      socket.pipe(onward).pipe(socket);
    });
    onward.on('error', () => socket.destroy());
    socket.on('close', () => onward.destroy());
  });
  server.on('request', (request: IncomingMessage, response) => {
    note(request);
    if (silent) return;
    if (status !== undefined) {
      response.writeHead(status).end('no');
      return;
    }
    const target = new URL(request.url ?? '');
    const { 'proxy-authorization': _, ...headers } = request.headers;
    const onward = process
      .getBuiltinModule('node:http')
      .request(
        { host: '127.0.0.1', port: to, method: request.method, path: target.pathname, headers, agent: false },
        (answer) => {
          response.writeHead(answer.statusCode ?? 0, answer.headers);
          answer.pipe(response);
        },
      );
    request.pipe(onward);
  });
  return { port: await listen(server), asked, authorizations };
}

function modelWith(env: Readonly<Record<string, string>>): Model {
  return anthropicModelFromEnvironment('claude-sonnet-5-5', { ANTHROPIC_API_KEY: key, ...env });
}

describe('a server that only a proxy reaches', () => {
  test('is reached through it, by one connection for a whole loop', async () => {
    const provider = await secureModelServer(times(5, text('Hello')));
    const proxy = await startProxy({ to: provider.port });
    const model = modelWith({
      ANTHROPIC_BASE_URL: provider.url,
      HTTPS_PROXY: `http://me:${encodeURIComponent(password)}@127.0.0.1:${proxy.port}`,
      NODE_EXTRA_CA_CERTS: authority,
    });
    for (let step = 0; step < 5; step += 1) expect(await askModel(model)).toMatchObject({ text: 'Hello' });
    expect(proxy.asked).toEqual([`CONNECT provider.test:${provider.port}`]);
    const pair = Buffer.from(`me:${password}`).toString('base64');
    expect(proxy.authorizations).toEqual([`Basic ${pair}`]);
    expect(provider.handshakes).toBe(1);
    expect(model.secrets).toEqual(expect.arrayContaining([key, password, encodeURIComponent(password), pair]));
    expect(JSON.stringify(provider.server.requests.map(({ headers }) => headers))).not.toContain(pair);
  });

  test('also where the proxy itself is secured, and tokens are counted the same way', async () => {
    const provider = await secureModelServer([text('Hello')]);
    const proxy = await startProxy({ to: provider.port, secure: true });
    const model = modelWith({
      ANTHROPIC_BASE_URL: provider.url,
      https_proxy: `https://localhost:${proxy.port}`,
      SSL_CERT_FILE: authority,
    });
    expect(await askModel(model)).toMatchObject({ text: 'Hello' });
    const request = {
      system: '',
      tools: [],
      messages: [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }],
    } as const;
    expect(await model.countTokens?.(request, { signal: new AbortController().signal })).toBeGreaterThan(0);
    expect(proxy.asked).toHaveLength(1);
  });

  test('and one that is not secured is asked by the proxy, over connections that are kept', async () => {
    await using server = await startModelServer({ script: times(3, text('Hello')) });
    const proxy = await startProxy({ to: Number(new URL(server.url).port) });
    const model = modelWith({
      ANTHROPIC_BASE_URL: 'http://me:secret@provider.test/base',
      HTTP_PROXY: `127.0.0.1:${proxy.port}`,
    });
    for (let step = 0; step < 3; step += 1) expect(await askModel(model)).toMatchObject({ text: 'Hello' });
    expect(proxy.asked).toEqual(times(3, text('')).map(() => 'POST http://provider.test/base/v1/messages'));
    expect(server.requests[0]?.headers).toMatchObject({
      host: 'provider.test',
      authorization: `Basic ${Buffer.from('me:secret').toString('base64')}`,
    });
  });

  test('a connection that the proxy dropped meanwhile is made anew without a word', async () => {
    const provider = await secureModelServer([text('one'), { type: 'reset' }, text('two')]);
    const proxy = await startProxy({ to: provider.port });
    const env = { HTTPS_PROXY: `http://127.0.0.1:${proxy.port}`, NODE_EXTRA_CA_CERTS: authority };
    const model = modelWith({ ANTHROPIC_BASE_URL: provider.url, ...env });
    expect((await askModel(model)).text).toBe('one');
    expect((await askModel(model)).text).toBe('two');
    expect(proxy.asked).toHaveLength(2);
  });
});

test.each<[model: string, env: (url: string) => Readonly<Record<string, string>>]>([
  ['anthropic/claude-sonnet-5-5', (url) => ({ ANTHROPIC_API_KEY: key, ANTHROPIC_BASE_URL: url })],
  ['openai/gpt-6.2-sol', (url) => ({ OPENAI_API_KEY: key, OPENAI_BASE_URL: url })],
  ['openai-compatible/x', (url) => ({ OPENAI_COMPATIBLE_API_KEY: key, OPENAI_COMPATIBLE_BASE_URL: `${url}/v1` })],
  ['mistral/mistral-medium-latest', (url) => ({ MISTRAL_API_KEY: key, MISTRAL_BASE_URL: `${url}/mistral` })],
  ['google/gemini-3.8-flash', (url) => ({ GEMINI_API_KEY: key, GEMINI_BASE_URL: url })],
])('%s goes through the proxy too, and keeps its password', async (name, env) => {
  const provider = await secureModelServer([text('Hello')]);
  const proxy = await startProxy({ to: provider.port });
  const way = { HTTPS_PROXY: `http://me:pass-word@127.0.0.1:${proxy.port}`, NODE_EXTRA_CA_CERTS: authority };
  const model = await resolveModel(name, { env: { ...env(provider.url), ...way } });
  expect(await askModel(model)).toMatchObject({ text: 'Hello' });
  expect(proxy.asked).toEqual([`CONNECT provider.test:${provider.port}`]);
  expect(model.secrets).toContain('pass-word');
});

describe('which way is taken', () => {
  const https = 'https://api.example.com';
  test.each<[env: Readonly<Record<string, string>>, url: string, proxy: string | undefined, variable?: string]>([
    [{ HTTPS_PROXY: 'http://upper:1' }, https, 'upper:1', 'HTTPS_PROXY'],
    [{ HTTPS_PROXY: 'http://upper:1', https_proxy: 'http://lower:1' }, https, 'lower:1', 'https_proxy'],
    [{ HTTPS_PROXY: 'http://upper:1', https_proxy: ' ' }, https, 'upper:1', 'HTTPS_PROXY'],
    [{ ALL_PROXY: 'http://all:1', HTTPS_PROXY: 'http://upper:1' }, https, 'upper:1', 'HTTPS_PROXY'],
    [{ ALL_PROXY: 'http://all:1' }, https, 'all:1', 'ALL_PROXY'],
    [{ HTTP_PROXY: 'http://plain:1' }, https, undefined],
    [{ HTTP_PROXY: 'http://plain:1' }, 'http://api.example.com', 'plain:1', 'HTTP_PROXY'],
    [{ HTTPS_PROXY: 'http://upper:1', NO_PROXY: 'example.com' }, https, undefined],
    [
      { HTTPS_PROXY: 'http://upper:1', NO_PROXY: 'example.com', no_proxy: 'other.test' },
      https,
      'upper:1',
      'HTTPS_PROXY',
    ],
    [{ HTTPS_PROXY: 'http://upper:1' }, 'https://localhost:8443', undefined],
  ])('%j to %s goes by %s', (env, url, proxy, variable) => {
    const found = networkFromEnvironment(env)?.proxyFor(new URL(url));
    expect(found?.url.host).toBe(proxy);
    expect(found?.variable).toBe(variable);
  });

  test('an environment that says nothing needs no way of its own', () => {
    expect(networkFromEnvironment({ PATH: '/bin', NO_PROXY: '*', HTTPS_PROXY: '' })).toBeUndefined();
  });

  test.each([
    ['socks5://proxy:1080', 'names a socks5 proxy, and only http and https ones can be used'],
    ['http://', 'is no URL of a proxy'],
    ['http://me:100%@proxy:1', 'has a % in its user name or password that stands for no character: write it as %25'],
  ])('%s is no proxy, and that is said without it', (value, problem) => {
    expect(() => modelWith({ HTTPS_PROXY: value })).toThrow(
      expect.objectContaining({
        code: 'input.invalid',
        message: `HTTPS_PROXY ${problem}; it should look like http://proxy.example:8080.`,
      }),
    );
  });
});

describe('what goes wrong says which variable to look at', () => {
  test('a proxy that wants a password, and one that refuses it', async () => {
    const proxy = await startProxy({ status: 407 });
    const base = { ANTHROPIC_BASE_URL: 'https://provider.test' };
    const bare = await askModel(modelWith({ ...base, HTTPS_PROXY: `http://127.0.0.1:${proxy.port}` }));
    expect(bare.error).toMatchObject({
      code: 'model.connection_failed',
      retryable: false,
      details: { status: 407, proxy: `127.0.0.1:${proxy.port}` },
    });
    expect(String(bare.error)).toMatch(/HTTPS_PROXY.*status 407.*put them into HTTPS_PROXY/);
    const wrong = await askModel(modelWith({ ...base, https_proxy: `http://me:hidden-word@127.0.0.1:${proxy.port}` }));
    expect(String(wrong.error)).toMatch(/It refused the user name and password in https_proxy/);
    expect(String(wrong.error)).not.toContain('hidden-word');
    const plain = { ANTHROPIC_BASE_URL: 'http://provider.test', HTTP_PROXY: `http://127.0.0.1:${proxy.port}` };
    expect(String((await askModel(modelWith(plain))).error)).toMatch(/put them into HTTP_PROXY/);
  });

  test.each([
    [403, false],
    [502, true],
  ])('a proxy that answers %s is no refusal of the vendor', async (status, retryable) => {
    const proxy = await startProxy({ status });
    const env = { ANTHROPIC_BASE_URL: 'https://provider.test', HTTPS_PROXY: `http://127.0.0.1:${proxy.port}` };
    const { error } = await askModel(modelWith(env));
    expect(error).toMatchObject({ code: 'model.connection_failed', retryable, details: { status } });
    expect(String(error)).toMatch(/did not connect to provider\.test.*NO_PROXY/);
    expect(String(error)).not.toContain('ANTHROPIC_API_KEY');
  });

  test('a proxy that is not there, and one whose name nobody knows', async () => {
    const proxy = await startProxy({});
    for (const close of closers.splice(0)) await close();
    const gone = { HTTPS_PROXY: `http://127.0.0.1:${proxy.port}`, HTTP_PROXY: `http://127.0.0.1:${proxy.port}` };
    for (const url of ['https://provider.test', 'http://provider.test']) {
      const { error } = await askModel(modelWith({ ANTHROPIC_BASE_URL: url, ...gone }));
      expect(error).toMatchObject({
        code: 'model.connection_failed',
        details: { code: 'ECONNREFUSED' },
        retryable: true,
      });
      expect(String(error)).toMatch(/Cannot reach the proxy 127\.0\.0\.1:\d+ of HTTPS?_PROXY/);
    }
    const dead = { ANTHROPIC_BASE_URL: 'https://provider.test', HTTPS_PROXY: 'http://no-such-proxy.invalid:8080' };
    const { error } = await askModel(modelWith(dead));
    expect(error).toMatchObject({ code: 'model.connection_failed' });
    expect(String(error)).toMatch(/no-such-proxy\.invalid:8080 of HTTPS_PROXY.*(ENOTFOUND|EAI_AGAIN)/);
  });

  test('a name that nobody knows, where only a proxy may lead out', async () => {
    const { error } = await askModel(modelWith({ ANTHROPIC_BASE_URL: 'https://no-such-host.invalid' }));
    expect(error).toMatchObject({ code: 'model.connection_failed' });
    expect(String(error)).toMatch(/no-such-host\.invalid.*where only a proxy leads out, name it in HTTPS_PROXY/);
  });

  test('a proxy that never answers ends with its request, in time and by the signal', async () => {
    const proxy = await startProxy({ silent: true });
    const env = { ANTHROPIC_BASE_URL: 'https://provider.test', HTTPS_PROXY: `http://127.0.0.1:${proxy.port}` };
    const late = await askModel(
      anthropicModelFromEnvironment('m', { ANTHROPIC_API_KEY: key, ...env }, { timeouts: { headersMs: 100 } }),
    );
    expect(late.error).toMatchObject({ code: 'model.timeout' });
    expect(String(late.error)).toMatch(/through the proxy 127\.0\.0\.1:\d+ of HTTPS_PROXY/);
    const controller = new AbortController();
    const asking = askModel(modelWith(env), { signal: controller.signal });
    await expect.poll(() => proxy.asked.length).toBe(2);
    controller.abort();
    expect((await asking).error).toMatchObject({ code: 'operation.aborted' });
  });
});

describe('certificates', () => {
  test('an authority that nobody named is named as the thing to do', async () => {
    const provider = await secureModelServer([]);
    const { error } = await askModel(modelWith({ ANTHROPIC_BASE_URL: `https://localhost:${provider.port}` }));
    expect(error).toMatchObject({ code: 'model.connection_failed', retryable: false });
    expect(String(error)).toMatch(/Name the authority that signed it in NODE_EXTRA_CA_CERTS/);
    const proxy = await startProxy({ to: provider.port });
    const proxied = { ANTHROPIC_BASE_URL: provider.url, HTTPS_PROXY: `http://127.0.0.1:${proxy.port}` };
    expect(String((await askModel(modelWith(proxied))).error)).toMatch(/may be the proxy itself.*NODE_EXTRA_CA_CERTS/);
  });

  test.each(['NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE'])('%s is trusted besides those of Node', async (variable) => {
    const provider = await secureModelServer([text('Hello')]);
    const model = modelWith({ ANTHROPIC_BASE_URL: `https://localhost:${provider.port}`, [variable]: authority });
    expect(await askModel(model)).toMatchObject({ text: 'Hello' });
  });

  test('a name that is not in the certificate is refused, through a proxy too', async () => {
    const provider = await secureModelServer([]);
    const proxy = await startProxy({ to: provider.port });
    const env = { HTTPS_PROXY: `http://127.0.0.1:${proxy.port}`, NODE_EXTRA_CA_CERTS: authority };
    const { error } = await askModel(modelWith({ ANTHROPIC_BASE_URL: `https://other.test:${provider.port}`, ...env }));
    expect(error).toMatchObject({ details: { code: 'ERR_TLS_CERT_ALTNAME_INVALID' }, retryable: false });
  });

  test('the client shows its own certificate, with a key under a passphrase', async () => {
    const provider = await secureModelServer([text('Hello')], { clientCertificate: true });
    const url = { ANTHROPIC_BASE_URL: `https://localhost:${provider.port}`, NODE_EXTRA_CA_CERTS: authority };
    expect((await askModel(modelWith(url))).error).toMatchObject({
      code: expect.stringMatching(/^model\.(connection_failed|stream_broken)$/),
    });
    const model = modelWith({
      ...url,
      CLAUDE_CODE_CLIENT_CERT: file('client.pem'),
      CLAUDE_CODE_CLIENT_KEY: file('client-key-encrypted.pem'),
      CLAUDE_CODE_CLIENT_KEY_PASSPHRASE: 'open-sesame',
    });
    expect(await askModel(model)).toMatchObject({ text: 'Hello' });
    expect(model.secrets).toContain('open-sesame');
  });

  test.each([
    [
      { NODE_EXTRA_CA_CERTS: '/no/such.pem' },
      /^NODE_EXTRA_CA_CERTS names \/no\/such\.pem, which cannot be read: ENOENT/,
    ],
    [{ SSL_CERT_FILE: file('README.md') }, /^SSL_CERT_FILE names .*, which holds no certificates in PEM form/],
    [
      { CLAUDE_CODE_CLIENT_CERT: file('client.pem'), CLAUDE_CODE_CLIENT_KEY: file('client-key-encrypted.pem') },
      /^The client certificate of CLAUDE_CODE_CLIENT_CERT and CLAUDE_CODE_CLIENT_KEY cannot be used/,
    ],
  ])('%j is said to be of no use, and works once it is', async (env, message) => {
    const model = modelWith({ ANTHROPIC_BASE_URL: 'https://provider.test', ...env });
    for (let attempt = 0; attempt < 2; attempt += 1) {
      expect((await askModel(model)).error).toMatchObject({
        code: 'input.invalid',
        message: expect.stringMatching(message),
      });
    }
  });
});

describe('a process ends', { timeout: 60_000 }, () => {
  /** Asks once in a process of its own, and gives what it printed before it ended by itself. */
  async function askInProcess(env: Readonly<Record<string, string>>): Promise<string> {
    const module = (path: string): string => JSON.stringify(new URL(path, import.meta.url).href);
    const script = `
      const { anthropicModelFromEnvironment } = await import(${module('../anthropic/anthropic-model-from-environment.ts')});
      const { askModel } = await import(${module('../testing/ask-model.ts')});
      const model = anthropicModelFromEnvironment('m', process.env, { timeouts: { headersMs: Number(process.env.PATIENCE) } });
      const { text, error } = await askModel(model);
      console.log(error?.code ?? text);
    `;
    const args = ['--conditions=@rondo/source', '--input-type=module', '-e', script];
    const { stdout } = await promisify(execFile)(process.execPath, args, {
      env: { ...process.env, ANTHROPIC_API_KEY: key, ...env },
    });
    return stdout;
  }

  test('that gave up a silent proxy', async () => {
    const proxy = await startProxy({ silent: true });
    const way = { ANTHROPIC_BASE_URL: 'https://provider.test', HTTPS_PROXY: `http://127.0.0.1:${proxy.port}` };
    expect(await askInProcess({ ...way, PATIENCE: '200' })).toBe('model.timeout\n');
  });

  test('whose connection through a proxy is kept', async () => {
    const provider = await secureModelServer([text('Hello')]);
    const proxy = await startProxy({ to: provider.port });
    const way = { ANTHROPIC_BASE_URL: provider.url, HTTPS_PROXY: `http://127.0.0.1:${proxy.port}` };
    expect(await askInProcess({ ...way, NODE_EXTRA_CA_CERTS: authority, PATIENCE: '50000' })).toBe('Hello\n');
  });
});
