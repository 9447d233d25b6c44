import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { findLocalServers } from './find-local-servers.ts';

const servers: Server[] = [];

afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

/** A server that answers these paths, and 404 to the rest; a function never answers. Gives its port. */
async function serve(
  answers: Readonly<Record<string, object | string | (() => void)>>,
  asked: string[] = [],
): Promise<number> {
  const server = createServer((request, response) => {
    const path = request.url ?? '';
    let body = '';
    request.on('data', (piece: Buffer) => (body += piece.toString('utf8')));
    request.on('end', () => {
      asked.push(`${request.method} ${path}`);
      const model = body === '' ? '' : ` ${(JSON.parse(body) as { model: string }).model}`;
      const answer = answers[path + model];
      if (typeof answer === 'function') return;
      response.statusCode = answer === undefined ? 404 : 200;
      response.end(typeof answer === 'string' ? answer : JSON.stringify(answer ?? { error: 'Unexpected endpoint' }));
    });
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

function models(...listed: readonly object[]): object {
  return { object: 'list', data: listed };
}

describe('each kind is told by its answers, with the windows it tells', () => {
  test('Ollama: of loaded models, of their files, and of none', async () => {
    const port = await serve({
      '/v1/models': models(
        { id: 'qwen3:8b', owned_by: 'library' },
        { id: 'gemma3:4b', owned_by: 'library' },
        { id: 'old', owned_by: 'library' },
        { id: 'nomic-embed-text:latest', owned_by: 'library' },
      ),
      '/api/ps': { models: [{ name: 'qwen3:8b', model: 'qwen3:8b', context_length: 16_384 }] },
      '/api/show qwen3:8b': { capabilities: ['completion', 'tools'], model_info: { 'qwen3.context_length': 40_960 } },
      '/api/show gemma3:4b': {
        capabilities: ['completion', 'vision'],
        parameters: 'stop "<end>"\nnum_ctx                        8192\n',
      },
      '/api/show nomic-embed-text:latest': { capabilities: ['embedding'] },
    });
    expect(await findLocalServers({ ports: [port], timeoutMs: 5_000 })).toEqual([
      {
        kind: 'ollama',
        title: 'Ollama',
        baseUrl: `http://127.0.0.1:${port}/v1`,
        models: [
          { id: 'qwen3:8b', contextWindow: 16_384, maximumContextWindow: 40_960, loaded: true, images: false },
          { id: 'gemma3:4b', contextWindow: 8_192, loaded: false, images: true },
          { id: 'old', loaded: false },
        ],
      },
    ]);
  });

  test('LM Studio: as loaded, and at most', async () => {
    const port = await serve({
      '/v1/models': models({ id: 'qwen/qwen3-8b', owned_by: 'organization_owner' }),
      '/api/v0/models': models(
        { id: 'qwen/qwen3-8b', type: 'llm', state: 'loaded', loaded_context_length: 8_192, max_context_length: 32_768 },
        { id: 'qwen2-vl', type: 'vlm', state: 'not-loaded', max_context_length: 32_768 },
        { id: 'embed', type: 'embeddings', state: 'not-loaded', max_context_length: 2_048 },
      ),
    });
    expect(await findLocalServers({ ports: [port], timeoutMs: 5_000 })).toMatchObject([
      {
        kind: 'lmstudio',
        models: [
          { id: 'qwen/qwen3-8b', contextWindow: 8_192, maximumContextWindow: 32_768, loaded: true, images: false },
          { id: 'qwen2-vl', maximumContextWindow: 32_768, loaded: false, images: true },
        ],
      },
    ]);
  });

  test('llama.cpp, vLLM, and one that does not say', async () => {
    const ports = await Promise.all([
      serve({
        '/v1/models': models({ id: 'model.gguf', owned_by: 'llamacpp', meta: { n_ctx_train: 131_072 } }),
        '/props': { default_generation_settings: { n_ctx: 4_096 }, modalities: { vision: false, audio: false } },
      }),
      serve({ '/v1/models': models({ id: 'Qwen/Qwen3-32B', owned_by: 'vllm', max_model_len: 40_960 }) }),
      serve({ '/v1/models': models({ id: 'x', owned_by: 'sglang', max_model_len: 1_000 }) }),
    ]);
    const found = await findLocalServers({ ports, timeoutMs: 5_000 });
    expect(found.map(({ kind, models: listed }) => [kind, listed])).toEqual([
      ['llamacpp', [{ id: 'model.gguf', contextWindow: 4_096, maximumContextWindow: 131_072, images: false }]],
      ['vllm', [{ id: 'Qwen/Qwen3-32B', contextWindow: 40_960 }]],
      [undefined, [{ id: 'x', contextWindow: 1_000 }]],
    ]);
    expect(found[2]?.title).toBe(`A server on port ${ports[2]}`);
  });
});

test('what is no such server, or says nothing in time, is not there', async () => {
  const closed = await serve({});
  servers.pop()?.close();
  const ports = await Promise.all([
    serve({}),
    serve({ '/v1/models': '<html>a page</html>' }),
    serve({ '/v1/models': { data: 'none' } }),
    serve({ '/v1/models': () => undefined }),
  ]);
  expect(await findLocalServers({ ports: [closed, ...ports], timeoutMs: 100 })).toEqual([]);
});

test('only questions about models are asked, and an abort ends them', async () => {
  const asked: string[] = [];
  const port = await serve(
    { '/v1/models': models({ id: 'm', owned_by: 'library' }), '/api/ps': { models: [] } },
    asked,
  );
  await findLocalServers({ ports: [port], timeoutMs: 5_000 });
  expect(asked.toSorted()).toEqual(['GET /api/ps', 'GET /api/v0/models', 'GET /v1/models', 'POST /api/show']);
  const silent = await serve({ '/v1/models': () => undefined });
  const leaving = new AbortController();
  const finding = findLocalServers({ ports: [silent], timeoutMs: 60_000, signal: leaving.signal });
  leaving.abort();
  await expect(finding).rejects.toThrow(/aborted/);
});

test('a server on another port than usual has no names to be used as they are', async () => {
  const [found] = await findLocalServers({
    ports: [await serve({ '/v1/models': models({ id: 'm', owned_by: 'vllm' }) })],
  });
  expect(found?.models).toEqual([{ id: 'm' }]);
});
