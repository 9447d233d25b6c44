import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { anthropicServer } from './anthropic/anthropic-server.ts';
import { answerRequest } from './answer-request.ts';
import { parseBody, readBody, refuseRequest, type RecordedRequest, type RequestEnd } from './recorded-request.ts';
import { status, type Step } from './script.ts';
import type { Script } from '../scripted/script.ts';
import { createReasoningSigner, type ReasoningSigner } from './reasoning-signature.ts';
import type { DialectRequest, WholeAnswer } from './server-dialect.ts';
import { serverDialects } from './server-dialects.ts';
import { createStepPicker, type StepOrder } from './step-picker.ts';

export interface ModelServerOptions {
  /**
   * One step a request, in order; a script that was read from a file; or a function that decides by the request, and has
   * no step for it by `undefined`.
   */
  readonly script: readonly Step[] | Script | ((request: RecordedRequest) => Step | undefined);
  /**
   * How steps are used: `once` (a list, when not given), `cycle` to begin again at their end, `conversation` to take the
   * step that follows the answers in the request, for many conversations at once. A file says it itself.
   */
  readonly order?: StepOrder;
  /** Answers 401 to any other key or token. */
  readonly apiKey?: string;
  /** Servers with the same key accept each other's signed reasoning. */
  readonly signingKey?: string;
  /** Told of each request as it comes. */
  readonly onRequest?: (request: RecordedRequest) => void;
}

export interface ModelServer extends AsyncDisposable {
  /** `http://127.0.0.1:PORT`, for `ANTHROPIC_BASE_URL` and its like. */
  readonly url: string;
  readonly requests: readonly RecordedRequest[];
  /** How many connections were opened so far. */
  readonly connections: number;
  /** Resolves with the request of that index as soon as it has come. */
  request(index: number): Promise<RecordedRequest>;
  /** From now on connections are refused; open ones are closed. */
  refuse(): Promise<void>;
  /** Listens again, on the same port. */
  accept(): Promise<void>;
  /** Throws when a request had no step, a request was refused, or a step was never used. */
  assertDone(): void;
  /** Closes everything, then does as `assertDone`. */
  close(): Promise<void>;
}

/**
 * A model server that speaks the wires of `serverDialects` over real HTTP, each on its usual path, says what its script
 * says, and refuses any request that the vendor would refuse. Nothing in it depends on time.
 */
export async function startModelServer(options: ModelServerOptions): Promise<ModelServer> {
  const signer = createReasoningSigner(options.signingKey);
  const steps = createStepPicker(options.script, options.order);
  const requests: RecordedRequest[] = [];
  const awaited = new Map<number, PromiseWithResolvers<RecordedRequest>>();
  const problems: string[] = [];
  const connectionOf = new WeakMap<Socket, number>();
  let connections = 0;

  async function handle(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const { promise: ended, resolve } = Promise.withResolvers<RequestEnd>();
    let broken = false;
    response.once('close', () => resolve(response.writableFinished ? 'answered' : broken ? 'broken' : 'left'));
    const text = await readBody(incoming);
    if (text === undefined) return;
    const { method = '', url: path = '', headers } = incoming;
    const connection = connectionOf.get(incoming.socket) ?? -1;
    const body = parseBody(text);
    const asked = readTarget(path, { method, headers, body });
    const whole = answerWhole(asked, { signer, apiKey: options.apiKey });
    if (whole !== undefined) {
      if (whole.refused !== undefined) problems.push(`${method} ${asked.path} was refused: ${whole.refused}`);
      response.writeHead(whole.status, { 'content-type': 'application/json' }).end(JSON.stringify(whole.body));
      return;
    }
    const spoken = serverDialects.find((known) => known.asksReply(asked));
    const dialect = spoken ?? anthropicServer;
    const index = requests.length;
    const received = { index, method, path, headers, text, body, dialect: spoken?.name, connection, ended };
    const refusal = refuseRequest(asked, { dialect: spoken, apiKey: options.apiKey, signer, text });
    const request = refusal === undefined ? received : { ...received, refused: refusal.error?.message ?? '' };
    requests.push(request);
    awaited.get(request.index)?.resolve(request);
    options.onRequest?.(request);
    if (refusal !== undefined) problems.push(`request ${request.index} was refused: ${refusal.error?.message}`);
    const step = refusal ?? nextStep(request);
    const onBreak = (): void => {
      broken = true;
    };
    await answerRequest(step, request, response, { dialect, signer, onBreak });
  }

  function nextStep(request: RecordedRequest): Step {
    try {
      return steps.next(request) ?? noStep(request);
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      problems.push(message);
      return status(400, { message });
    }
  }

  function noStep({ index }: RecordedRequest): Step {
    const message = `the script of the model server has no step for request ${index}`;
    problems.push(message);
    return status(500, { message, headers: { 'x-should-retry': 'false' } });
  }

  const server = createServer((incoming, response) => {
    // A client that leaves is an outcome, not a failure of the server.
    response.on('error', () => undefined);
    handle(incoming, response).catch((error: unknown) => {
      problems.push(`the model server failed: ${error instanceof Error ? error.message : String(error)}`);
      response.destroy();
    });
  });
  server.keepAliveTimeout = 0;
  server.headersTimeout = 0;
  server.requestTimeout = 0;
  server.on('connection', (socket) => {
    connectionOf.set(socket, connections);
    connections += 1;
  });

  function listen(port: number): Promise<void> {
    return new Promise((resolve, reject) => {
      server.once('error', reject);
      server.listen(port, '127.0.0.1', () => {
        server.off('error', reject);
        resolve();
      });
    });
  }

  function refuse(): Promise<void> {
    return new Promise((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  }

  function assertDone(): void {
    const unused = steps.unused();
    const all = unused === 0 ? problems : [...problems, `${unused} steps of the script were not used`];
    if (all.length > 0) throw new Error(`model server: ${all.join('; ')}`);
  }

  async function close(): Promise<void> {
    if (server.listening) await refuse();
    assertDone();
  }

  await listen(0);
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    get connections() {
      return connections;
    },
    request(index) {
      const request = requests[index];
      if (request !== undefined) return Promise.resolve(request);
      const waiter = awaited.get(index) ?? Promise.withResolvers<RecordedRequest>();
      awaited.set(index, waiter);
      return waiter.promise;
    },
    refuse,
    accept: () => listen(port),
    assertDone,
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** The answer of the dialect that has a whole one for the request, e.g. to a question about its tokens. */
function answerWhole(
  asked: DialectRequest,
  { signer, apiKey }: { readonly signer: ReasoningSigner; readonly apiKey: string | undefined },
): WholeAnswer | undefined {
  for (const dialect of serverDialects) {
    const answer = dialect.answer?.(asked, signer);
    if (answer === undefined) continue;
    if (apiKey === undefined || dialect.keyOf(asked) === apiKey) return answer;
    const message = `invalid ${dialect.keyName}`;
    return { status: 401, refused: message, body: dialect.errorBody(status(401, { message }), 'req_whole') };
  }
  return undefined;
}

function readTarget(target: string, request: Pick<DialectRequest, 'method' | 'headers' | 'body'>): DialectRequest {
  const [path = '', query = ''] = target.split('?');
  return { ...request, path, query: new URLSearchParams(query) };
}
