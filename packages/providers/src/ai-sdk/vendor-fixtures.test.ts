import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Model } from '@rondo/runtime';
import { describe, expect, test } from 'vitest';
import { createGoogleModel } from '../google/create-google-model.ts';
import { createMistralModel } from '../mistral/create-mistral-model.ts';
import { askModel } from '../testing/index.ts';

/** Answers every request with what the vendor once streamed, some bytes at a time. */
async function serve(file: string, bytesPerWrite: number) {
  const bytes = readFileSync(new URL(`../../fixtures/${file}.sse`, import.meta.url));
  const server = createServer((request, response) => {
    request.resume();
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const write = (start: number): void => {
      if (start >= bytes.byteLength) {
        response.end();
        return;
      }
      response.write(bytes.subarray(start, start + bytesPerWrite), () => setImmediate(write, start + bytesPerWrite));
    };
    write(0);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const makers: Readonly<Record<string, (baseUrl: string) => Model>> = {
  mistral: (baseUrl) => createMistralModel({ model: 'magistral-medium-latest', baseUrl }),
  google: (baseUrl) => createGoogleModel({ model: 'gemini-3.8-flash', baseUrl }),
};

async function read(file: string, bytesPerWrite: number) {
  await using server = await serve(file, bytesPerWrite);
  const [vendor = ''] = file.split('/');
  return await askModel(makers[vendor]?.(server.url) as Model);
}

describe.each([1, 1_000_000])('streams of the vendors, %d bytes at a time', (bytes) => {
  test('mistral/text', async () => {
    const { blocks, parts, end } = await read('mistral/text', bytes);
    expect(blocks).toEqual([{ type: 'text', text: 'Grüße, 世界 👩‍💻\u2028!' }]);
    expect(JSON.stringify(parts)).not.toContain('\ufffd');
    expect(parts[0]).toEqual({
      type: 'start',
      providerMessageId: 'b1f4c0f26b6d4a0f9a0c2b2f4d3e5a61',
      model: 'mistral-medium-2604',
    });
    expect(end).toMatchObject({
      stopReason: 'end_turn',
      usage: { inputTokens: 4, outputTokens: 7, cacheReadInputTokens: 16, model: 'mistral-medium-2604' },
    });
  });

  test('mistral/thinking-and-calls', async () => {
    const { blocks, end } = await read('mistral/thinking-and-calls', bytes);
    expect(blocks).toEqual([
      { type: 'reasoning', text: 'Two files, both small.', providerData: {} },
      { type: 'text', text: 'Reading both.' },
      { type: 'tool_call', toolCallId: 'a1B2c3D4e', name: 'Read', input: { path: 'a' } },
      { type: 'tool_call', toolCallId: 'f5G6h7I8j', name: 'Read', input: { path: 'b' } },
    ]);
    expect(end).toMatchObject({ stopReason: 'tool_use' });
  });

  test('mistral/cut-at-length', async () => {
    const { blocks, end } = await read('mistral/cut-at-length', bytes);
    expect(blocks).toMatchObject([
      { text: 'It begins' },
      { input: {}, malformed: { text: expect.stringContaining('never en') } },
    ]);
    expect(end).toMatchObject({ stopReason: 'max_tokens' });
  });

  test('mistral/error-inside', async () => {
    const { error, text } = await read('mistral/error-inside', bytes);
    expect(text).toBe('It beg');
    expect(error).toMatchObject({
      code: 'model.overloaded',
      retryable: true,
      message: expect.stringContaining('capacity exceeded'),
    });
  });

  test('google/thinking', async () => {
    const { blocks, parts, end } = await read('google/thinking', bytes);
    expect(blocks).toEqual([
      { type: 'reasoning', text: '**Weighing**\n\nTwo plus two.', providerData: {} },
      {
        type: 'text',
        text: 'Es ist 世界 👩‍💻\u2028.',
        providerData: { google: { thoughtSignature: 'RXEyU2lnbmF0dXJl' } },
      },
    ]);
    expect(JSON.stringify(parts)).not.toContain('\ufffd');
    expect(parts[0]).toMatchObject({ providerMessageId: 'q2gVabc123' });
    expect(end?.usage).toEqual({ inputTokens: 18, outputTokens: 22, cacheReadInputTokens: 12 });
  });

  test('google/parallel-calls', async () => {
    const { blocks, end } = await read('google/parallel-calls', bytes);
    expect(blocks).toEqual([
      {
        type: 'tool_call',
        toolCallId: 'l5x0a1',
        name: 'Read',
        input: { path: 'a' },
        providerData: { google: { thoughtSignature: 'QjY0U2lnbmVk' } },
      },
      { type: 'tool_call', toolCallId: 'l5x0a2', name: 'Read', input: { path: 'b' } },
      { type: 'tool_call', toolCallId: expect.stringMatching(/^\w+$/), name: 'List', input: {} },
    ]);
    expect(end).toMatchObject({ stopReason: 'tool_use' });
  });

  test('google/code-execution', async () => {
    const { blocks, end } = await read('google/code-execution', bytes);
    expect(blocks).toMatchObject([
      { type: 'text', text: 'Let me compute. ' },
      { type: 'opaque', provider: 'google', raw: { type: 'tool-call', providerExecuted: true } },
      { type: 'opaque', provider: 'google', raw: { type: 'tool-result', result: { output: '42\n' } } },
      { type: 'text', text: 'It is 42.' },
    ]);
    expect(end).toMatchObject({ stopReason: 'end_turn' });
  });

  test('google/grounded', async () => {
    const { blocks } = await read('google/grounded', bytes);
    expect(blocks).toMatchObject([
      { text: 'Rain is due. Take a coat.', meta: { sources: [{ url: 'https://weather.example/today' }] } },
    ]);
  });

  test('google/blocked-prompt and google/safety are refusals that say why', async () => {
    const blocked = await read('google/blocked-prompt', bytes);
    expect(blocked.blocks).toEqual([]);
    expect(blocked.end).toMatchObject({ stopReason: 'refusal', stopDetails: { reason: 'PROHIBITED_CONTENT' } });
    const unsafe = await read('google/safety', bytes);
    expect(unsafe.text).toBe('First you take');
    expect(unsafe.end).toMatchObject({ stopReason: 'refusal', stopDetails: { reason: 'SAFETY' } });
  });

  test.each([
    ['google/malformed-call', 'model.stream_broken', 'MALFORMED_FUNCTION_CALL'],
    ['google/nothing', 'model.stream_broken', 'stop (STOP), after'],
    ['google/error-inside', 'model.overloaded', 'overloaded'],
  ])('%s is %s, to be asked again', async (file, code, said) => {
    expect((await read(file, bytes)).error).toMatchObject({
      code,
      retryable: true,
      message: expect.stringContaining(said),
    });
  });
});
