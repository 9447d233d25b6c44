import { describe, expect, test } from 'vitest';
import {
  askModel,
  malformedToolCall,
  redactedThinking,
  reply,
  startModelServer,
  status,
  text,
  thinking,
  times,
  toolCall,
  type Step,
} from '../testing/index.ts';
import { createAnthropicModel, type AnthropicModelOptions } from './create-anthropic-model.ts';

const key = 'sk-ant-secret-0123456789';

async function serve(script: readonly Step[], options: Partial<AnthropicModelOptions> = {}) {
  const server = await startModelServer({ script });
  const model = createAnthropicModel({
    model: 'claude-sonnet-5-5',
    apiKey: key,
    keySource: 'ANTHROPIC_API_KEY',
    baseUrl: server.url,
    baseUrlSource: 'ANTHROPIC_BASE_URL',
    ...options,
  });
  return { server, model, [Symbol.asyncDispose]: () => server.close() };
}

const greeting = {
  system: '',
  tools: [],
  messages: [{ role: 'user', content: [{ type: 'text', text: 'Hello' }] }],
} as const;

describe('what goes over the wire', () => {
  test('replies in every dress read the same', async () => {
    const told = [
      thinking('Grüße denken 世界'),
      text('Grüße 👩‍💻 \u2028 世界'),
      toolCall('Read', { path: 'größe' }, 'toolu_1'),
    ];
    const dresses = [
      { bytesPerWrite: 1 },
      { lineEnding: '\r\n' },
      { lineEnding: '\r' },
      { comments: true, pings: true },
      { bytesPerWrite: 7, lineEnding: '\r\n', comments: true, pings: true },
    ] as const;
    await using served = await serve([told, ...dresses.map((wire) => reply(told, { wire }))]);
    const plain = await askModel(served.model);
    expect(plain.blocks).toHaveLength(3);
    for (const _dress of dresses) {
      const { parts, error } = await askModel(served.model);
      expect(error).toBeUndefined();
      expect(parts).toEqual(plain.parts);
      expect(JSON.stringify(parts)).not.toContain('\ufffd');
    }
  });

  test('a call whose input is no JSON is handed out with what came', async () => {
    await using served = await serve([
      [malformedToolCall('Read', '{"path": "a'), malformedToolCall('Read', '[1]'), toolCall('List', {})],
    ]);
    const { blocks, end } = await askModel(served.model);
    expect(blocks).toEqual([
      expect.objectContaining({
        input: {},
        malformed: { text: '{"path": "a', error: expect.stringContaining('JSON') },
      }),
      expect.objectContaining({ input: {}, malformed: { text: '[1]', error: 'the input is not a JSON object' } }),
      expect.not.objectContaining({ malformed: expect.anything() }),
    ]);
    expect(end?.stopReason).toBe('tool_use');
  });

  test('thinking that is bound to what stood before it is rejected when that changes, or dropped where it may be', async () => {
    const beta = 'thinking-binding-controls-2026-08-01';
    for (const betas of [[], [beta]]) {
      const server = await startModelServer({ script: [[thinking('Hm.'), text('one')], text('two'), text('three')] });
      const model = createAnthropicModel({ model: 'claude-opus-5-5', apiKey: key, baseUrl: server.url, betas });
      const first = await askModel(model, { system: 'Be brief.' });
      const messages = [
        ...greeting.messages,
        { role: 'assistant' as const, model: model.name, content: first.blocks },
        { role: 'user' as const, content: [{ type: 'text' as const, text: 'And?' }] },
      ];
      expect((await askModel(model, { system: 'Be brief.', messages })).text).toBe('two');
      const changed = await askModel(model, { system: 'Be exact.', messages });
      const sent = server.requests.at(-1);
      if (betas.length > 0) {
        expect(changed.text).toBe('three');
        expect(sent?.headers['anthropic-beta']).toBe(beta);
        expect(sent?.body).toMatchObject({ thinking: { block_binding: { prefix_mismatch_behavior: 'drop_block' } } });
        await server.close();
      } else {
        expect(changed.error).toMatchObject({ details: { reason: 'reasoning_rejected' } });
        expect(sent?.body).not.toHaveProperty('thinking');
        await expect(server.close()).rejects.toThrow('bound to a different conversation');
      }
    }
  });

  test('signed and redacted reasoning comes back byte for byte: the server would refuse anything else', async () => {
    await using served = await serve([
      [thinking('Secret plan\n  世界 '), redactedThinking('EmwKAhgB'), toolCall('Read', {})],
      text('Done'),
    ]);
    const first = await askModel(served.model);
    const call = first.blocks.find((block) => block.type === 'tool_call');
    const messages = [
      ...greeting.messages,
      { role: 'assistant' as const, model: served.model.name, content: first.blocks },
      {
        role: 'user' as const,
        content: [{ type: 'tool_result' as const, toolCallId: call?.toolCallId ?? '', content: [], isError: false }],
      },
    ];
    expect((await askModel(served.model, { messages })).text).toBe('Done');
    const altered = first.blocks.map((block) =>
      block.type === 'reasoning' ? { ...block, text: `${block.text}.` } : block,
    );
    const forged = await startModelServer({ script: [] });
    const model = createAnthropicModel({ model: 'm', apiKey: key, baseUrl: forged.url });
    const lying = messages.with(1, { role: 'assistant', model: served.model.name, content: altered });
    expect((await askModel(model, { messages: lying })).error).toMatchObject({
      code: 'model.request_invalid',
      details: { reason: 'reasoning_rejected' },
    });
    await expect(forged.close()).rejects.toThrow('Invalid `signature` in `thinking` block');
  });

  test('headers', async () => {
    await using served = await serve(times(2, text('ok')), { betas: ['a-1', 'b-2'] });
    await askModel(served.model);
    expect(served.server.requests[0]?.headers).toMatchObject({
      'x-api-key': key,
      'anthropic-version': '2023-06-01',
      'anthropic-beta': 'a-1,b-2',
      'user-agent': 'rondo',
    });
    const bearer = createAnthropicModel({ model: 'm', authToken: 'tok', apiKey: key, baseUrl: served.server.url });
    await askModel(bearer);
    expect(served.server.requests[1]?.headers.authorization).toBe('Bearer tok');
    expect(served.server.requests[1]?.headers['x-api-key']).toBeUndefined();
  });

  test.each([
    ['http://127.0.0.1:1', '/v1/messages'],
    ['http://127.0.0.1:1/', '/v1/messages'],
    ['http://127.0.0.1:1/proxy/', '/proxy/v1/messages'],
    ['http://127.0.0.1:1/v1', '/v1/messages'],
    ['http://127.0.0.1:1/v1/messages', '/v1/messages'],
  ])('the base URL %s leads to %s', async (base, path) => {
    await using served = await serve([text('ok')]);
    const model = createAnthropicModel({
      model: 'm',
      apiKey: key,
      baseUrl: base.replace('http://127.0.0.1:1', served.server.url),
    });
    await askModel(model);
    expect(served.server.requests[0]?.path).toBe(path);
  });

  test('the window of a million is a header where the model needs one, and never part of the ID', async () => {
    await using served = await serve([text('ok'), text('ok')]);
    const old = createAnthropicModel({ model: 'claude-sonnet-4-5[1m]', apiKey: key, baseUrl: served.server.url });
    expect(old).toMatchObject({ name: 'anthropic/claude-sonnet-4-5[1m]', limits: { contextWindow: 1_000_000 } });
    await askModel(old);
    await askModel(createAnthropicModel({ model: 'claude-opus-5-5[1m]', apiKey: key, baseUrl: served.server.url }));
    const [first, second] = served.server.requests;
    expect(first?.headers['anthropic-beta']).toMatch(/^context-1m-/);
    expect(first?.body).toMatchObject({ model: 'claude-sonnet-4-5' });
    expect(second?.headers['anthropic-beta']).toBeUndefined();
  });

  test('a page in place of a stream is told as such', async () => {
    const page = status(200, { body: '<html>sign in</html>', headers: { 'content-type': 'text/html' } });
    await using served = await serve([page]);
    expect((await askModel(served.model)).error).toMatchObject({
      code: 'model.stream_broken',
      message: expect.stringMatching(/text\/html.*ANTHROPIC_BASE_URL/),
    });
  });
});

test('keys that no header could carry are refused without being shown', () => {
  const make = () => createAnthropicModel({ model: 'm', apiKey: `${key}\nmore`, keySource: 'ANTHROPIC_API_KEY' });
  expect(make).toThrow(/ANTHROPIC_API_KEY holds/);
  expect(make).not.toThrow(key);
  expect(() => createAnthropicModel({ model: 'm', baseUrl: 'localhost:8080' })).toThrow(/is no http or https URL/);
  const baseUrl = 'https://me:100%secret@gateway.example';
  expect(() => createAnthropicModel({ model: 'm', baseUrl })).toThrow(/write it as %25/);
  expect(() => createAnthropicModel({ model: 'm', baseUrl })).not.toThrow(/secret/);
});
