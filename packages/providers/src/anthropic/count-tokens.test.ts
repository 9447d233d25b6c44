import type { Model, ModelRequest } from '@rondo/runtime';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { startModelServer } from '../testing/index.ts';
import { createAnthropicModel } from './create-anthropic-model.ts';

const key = 'sk-ant-secret-0123456789';
const request: ModelRequest = {
  system: 'Be brief.',
  tools: [{ name: 'Read', description: 'Reads a file', inputSchema: { type: 'object' } }],
  messages: [{ role: 'user', content: [{ type: 'text', text: 'Hello' }] }],
  thinking: { type: 'adaptive' },
  sessionId: 's-1',
};

function modelAt(baseUrl: string, apiKey = key): Model {
  return createAnthropicModel({ model: 'claude-sonnet-5-5', apiKey, baseUrl, timeouts: { headersMs: 1_000 } });
}

async function count(model: Model, signal = new AbortController().signal): Promise<number> {
  return (await model.countTokens?.(request, { signal })) ?? Number.NaN;
}

async function serve(listener: RequestListener) {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const close = async (): Promise<void> => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return { url, [Symbol.asyncDispose]: close };
}

test('the vendor counts the request as it would be sent, and nobody is asked for a reply', async () => {
  await using server = await startModelServer({ script: [], apiKey: key });
  const tokens = await count(modelAt(server.url));
  expect(tokens).toBeGreaterThan(10);
  expect(await count(modelAt(server.url))).toBe(tokens);
  expect(server.requests).toEqual([]);
});

test('a refusal is the error that a streamed request gets', async () => {
  const server = await startModelServer({ script: [], apiKey: 'another' });
  await expect(count(modelAt(server.url))).rejects.toMatchObject({ code: 'model.authentication_failed' });
  await expect(server.close()).rejects.toThrow(/count_tokens was refused: invalid x-api-key/);
});

test.each<[string, string, RequestListener]>([
  ['no JSON', 'model.stream_broken', (_request, response) => response.end('<html>')],
  ['no number', 'model.stream_broken', (_request, response) => response.end('{"input_tokens":"many"}')],
  ['an endless answer', 'model.stream_broken', (_request, response) => response.end(Buffer.alloc(2_000_000, ' '))],
  [
    'half an answer',
    'model.stream_broken',
    (_request, response) => {
      response.writeHead(200, { 'content-length': '100' }).write('{"input', () => response.destroy());
    },
  ],
  [
    'an endless error',
    'model.server_error',
    (_request, response) => response.writeHead(500).end(Buffer.alloc(2_000_000, 'x')),
  ],
  ['silence', 'model.timeout', () => undefined],
])('%s is %s', async (_name, code, listener) => {
  await using server = await serve(listener);
  await expect(count(modelAt(server.url))).rejects.toMatchObject({ code });
});

test('the signal ends it, before and during', async () => {
  const controller = new AbortController();
  const asked = Promise.withResolvers<void>();
  await using server = await serve(() => asked.resolve());
  const counting = count(modelAt(server.url), controller.signal);
  await asked.promise;
  controller.abort();
  await expect(counting).rejects.toMatchObject({ code: 'operation.aborted' });
  await expect(count(modelAt(server.url), controller.signal)).rejects.toMatchObject({ code: 'operation.aborted' });
});
