import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type ModelServer, startModelServer, type Step } from '@rondo/providers/testing';

export interface LocalServer extends AsyncDisposable {
  readonly url: string;
  readonly port: number;
  /** What it was asked to answer. */
  readonly model: ModelServer;
}

/** A server as people have it on their machine: it says which models it has, and answers chat completions. */
export async function startLocalServer(models: readonly string[], script: readonly Step[]): Promise<LocalServer> {
  const model = await startModelServer({ script });
  const server = createServer((incoming, response) => {
    if (incoming.method === 'POST') return handOn(incoming, response, model.url);
    const known = incoming.url === '/v1/models';
    response.writeHead(known ? 200 : 404, { 'content-type': 'application/json' });
    response.end(JSON.stringify(known ? { object: 'list', data: models.map(listed) } : { error: 'not found' }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    model,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await model.close();
    },
  };
}

function listed(id: string): object {
  return { id, object: 'model', owned_by: 'vllm', max_model_len: 40_960 };
}

function handOn(incoming: IncomingMessage, response: ServerResponse, url: string): void {
  const onward = request(new URL(incoming.url ?? '/', url), { method: 'POST', headers: incoming.headers }, (answer) => {
    response.writeHead(answer.statusCode ?? 500, answer.headers);
    answer.pipe(response);
  });
  onward.on('error', () => response.destroy());
  incoming.pipe(onward);
}
