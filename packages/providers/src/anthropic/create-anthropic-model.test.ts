import { createServer, type Socket } from 'node:net';
import { isRondoError, type ErrorCode, type RondoError } from '@rondo/protocol';
import type { ModelPart } from '@rondo/runtime';
import { afterEach, describe, expect, test, vi } from 'vitest';
import {
  askModel,
  malformedToolCall,
  mute,
  promptTooLong,
  redactedThinking,
  reply,
  reset,
  startModelServer,
  status,
  text,
  thinking,
  times,
  toolCall,
  type ModelServer,
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

/** Asks once and gives the error, which must be of the code and must not hold the key anywhere. */
async function failure(
  script: readonly Step[],
  code: ErrorCode,
  options: Partial<AnthropicModelOptions> = {},
): Promise<RondoError> {
  await using served = await serve(script, options);
  const { error, end } = await askModel(served.model);
  expect(end).toBeUndefined();
  if (!isRondoError(error, code)) throw new Error(`expected ${code}, got ${String(error)}`, { cause: error });
  const everything = `${error.message} ${error.stack} ${JSON.stringify(error)} ${String((error.cause as Error | undefined)?.stack)}`;
  expect(everything).not.toContain(key);
  return error;
}

describe('errors by status', () => {
  test.each<[number, ErrorCode, boolean]>([
    [400, 'model.request_invalid', false],
    [401, 'model.authentication_failed', false],
    [402, 'model.permission_denied', false],
    [403, 'model.permission_denied', false],
    [404, 'model.not_found', false],
    [408, 'model.timeout', true],
    [413, 'model.prompt_too_long', false],
    [418, 'model.request_invalid', false],
    [429, 'model.rate_limited', true],
    [500, 'model.server_error', true],
    [503, 'model.server_error', true],
    [504, 'model.timeout', true],
    [529, 'model.overloaded', true],
  ])('%s is %s', async (code, expected, retryable) => {
    const error = await failure([status(code)], expected);
    expect(error.retryable).toBe(retryable);
    expect(error.details).toMatchObject({
      status: code,
      requestId: expect.stringMatching(/^req_/),
      type: expect.any(String),
    });
  });

  test('how long to wait comes with the error', async () => {
    expect((await failure([status(429, { retryAfter: 3 })], 'model.rate_limited')).details['retryAfterMs']).toBe(3_000);
    const date = new Date(Date.now() + 3_600_000).toUTCString();
    const { details } = await failure([status(529, { retryAfter: date })], 'model.overloaded');
    expect(details['retryAfterMs']).toBeGreaterThan(3_000_000);
  });

  test('the server may say that trying again is of no use', async () => {
    expect(
      (await failure([status(500, { headers: { 'x-should-retry': 'false' } })], 'model.server_error')).retryable,
    ).toBe(false);
  });

  test('a refused key is named by its source, and hidden where the server repeats it', async () => {
    const denied = await failure([status(401, { message: `invalid x-api-key ${key}` })], 'model.authentication_failed');
    expect(denied.message).toContain('ANTHROPIC_API_KEY');
    expect(denied.message).toContain('[redacted]');
    expect((await failure([status(403)], 'model.permission_denied')).message).toContain('ANTHROPIC_API_KEY');
  });

  test('a prompt that is too long is told from other refusals', async () => {
    expect((await failure([promptTooLong()], 'model.prompt_too_long')).message).toContain('210000 tokens');
  });

  test('a body that is no JSON is quoted, a long one is cut', async () => {
    expect((await failure([status(502, { body: '<h1>Bad gateway</h1>' })], 'model.server_error')).message).toContain(
      'Bad gateway',
    );
    expect(
      (await failure([status(500, { body: 'x'.repeat(200_000) })], 'model.server_error')).message.length,
    ).toBeLessThan(3_000);
  });
});

describe('errors inside the stream', () => {
  const told = [
    thinking('Let me see.'),
    text('Reading both.'),
    toolCall('Read', { path: 'a' }),
    toolCall('Read', { path: 'b' }),
  ];

  test.each<[string, ErrorCode]>([
    ['overloaded_error', 'model.overloaded'],
    ['rate_limit_error', 'model.rate_limited'],
    ['api_error', 'model.server_error'],
    ['timeout_error', 'model.timeout'],
    ['invalid_request_error', 'model.request_invalid'],
    ['authentication_error', 'model.authentication_failed'],
    ['permission_error', 'model.permission_denied'],
    ['not_found_error', 'model.not_found'],
    ['request_too_large', 'model.prompt_too_long'],
    ['error_of_tomorrow', 'model.server_error'],
  ])('an event of the type %s is %s', async (type, code) => {
    const fault = { type: 'error', after: { events: 3 }, error: { type, message: `scripted ${key}` } } as const;
    expect((await failure([reply(told, { fault })], code)).details).toEqual({ type });
  });

  test.each([
    ['cut after the headers', { type: 'cut', after: 'headers', how: 'close' }],
    ['cut after some events', { type: 'cut', after: { events: 4 }, how: 'close' }],
    ['cut after the first call', { type: 'cut', after: 'first-tool-call', how: 'close' }],
    ['cut in the middle of an event', { type: 'cut', after: { halfEvent: 3 }, how: 'close' }],
    ['reset in the middle', { type: 'cut', after: { events: 4 }, how: 'reset' }],
    ['a body that ends early', { type: 'cut', after: { events: 4 }, how: 'end' }],
    ['a body that ends inside an event', { type: 'cut', after: { halfEvent: 4 }, how: 'end' }],
    ['data that is no JSON', { type: 'bad_json', event: 3 }],
  ] as const)('%s is model.stream_broken', async (_name, fault) => {
    expect((await failure([reply(told, { fault })], 'model.stream_broken')).retryable).toBe(true);
  });

  test('what came whole before the cut was handed out', async () => {
    await using served = await serve([reply(told, { fault: { type: 'cut', after: 'first-tool-call', how: 'close' } })]);
    const { blocks, error } = await askModel(served.model);
    expect(blocks.map(({ type }) => type)).toEqual(['reasoning', 'text', 'tool_call']);
    expect(isRondoError(error, 'model.stream_broken')).toBe(true);
  });
});

describe('silence is model.timeout', () => {
  const told = text('Hello');
  test.each([
    ['no headers', mute(), { headersMs: 30 }, 'headers'],
    [
      'headers and nothing more',
      reply(told, { fault: { type: 'silence', after: 'headers' } }),
      { firstByteMs: 30 },
      'first-byte',
    ],
    [
      'a stream that stops',
      reply(told, { fault: { type: 'silence', after: { events: 2 } } }),
      { idleMs: 30, firstByteMs: 5_000 },
      'idle',
    ],
    [
      'half an event',
      reply(told, { fault: { type: 'silence', after: { halfEvent: 1 } } }),
      { idleMs: 30, firstByteMs: 5_000 },
      'idle',
    ],
  ])('%s', async (_name, step, timeouts, phase) => {
    const { details, retryable } = await failure([step], 'model.timeout', { timeouts });
    expect(details['phase']).toBe(phase);
    expect(retryable).toBe(true);
  });

  describe('by the clock', () => {
    afterEach(() => void vi.useRealTimers());

    test('bytes that keep coming are no silence, however slow', async () => {
      const gates = Array.from({ length: 4 }, () => Promise.withResolvers<void>());
      const pieces = gates.flatMap(({ promise }, index) => [promise, `piece ${index} `]);
      await using served = await serve([reply(text(pieces))], { timeouts: { idleMs: 60_000 } });
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
      const stream = served.model.stream(greeting, { signal: new AbortController().signal })[Symbol.asyncIterator]();
      await until(stream, ({ type }) => type === 'block-start');
      for (const [index, gate] of gates.entries()) {
        vi.advanceTimersByTime(59_000);
        gate.resolve();
        const part = await until(stream, ({ type }) => type === 'delta');
        expect(part).toMatchObject({ text: `piece ${index} ` });
      }
      await until(stream, ({ type }) => type === 'end');
    });

    test('without the idle timeout it waits for ever', async () => {
      const gate = Promise.withResolvers<void>();
      await using served = await serve([reply(text(['a', gate.promise, 'b']))], { timeouts: { idleMs: false } });
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
      const stream = served.model.stream(greeting, { signal: new AbortController().signal })[Symbol.asyncIterator]();
      await until(stream, ({ type }) => type === 'delta');
      vi.advanceTimersByTime(3_600_000);
      gate.resolve();
      await until(stream, ({ type }) => type === 'end');
    });
  });
});

const greeting = {
  system: '',
  tools: [],
  messages: [{ role: 'user', content: [{ type: 'text', text: 'Hello' }] }],
} as const;

async function until(stream: AsyncIterator<ModelPart>, found: (part: ModelPart) => boolean): Promise<ModelPart> {
  for (;;) {
    const { value, done } = await stream.next();
    if (done === true) throw new Error('the stream ended first');
    if (found(value)) return value;
  }
}

describe('connections', () => {
  test('a loop of twenty steps uses one', async () => {
    await using served = await serve(times(20, text('Step done.')));
    for (let step = 0; step < 20; step += 1) expect((await askModel(served.model)).error).toBeUndefined();
    expect(served.server.connections).toBe(1);
  });

  test('an error answer does not cost the connection', async () => {
    await using served = await serve([status(529), status(429), text('at last')]);
    for (let attempt = 0; attempt < 3; attempt += 1) await askModel(served.model);
    expect(served.server.connections).toBe(1);
  });

  test('a kept connection that was closed meanwhile is replaced without a word', async () => {
    await using served = await serve([text('one'), reset(), text('two')]);
    expect((await askModel(served.model)).text).toBe('one');
    expect((await askModel(served.model)).text).toBe('two');
    expect(served.server.connections).toBe(2);
  });

  test('a fresh connection that breaks is an error, and so is the replacement of a kept one', async () => {
    const error = await failure([reset()], 'model.connection_failed');
    expect(error).toMatchObject({ retryable: true, details: { code: 'ECONNRESET' } });
    await using served = await serve([text('one'), reset(), reset()]);
    await askModel(served.model);
    expect((await askModel(served.model)).error).toMatchObject({ code: 'model.connection_failed' });
    expect(served.server.requests).toHaveLength(3);
  });

  test('a kept connection that breaks inside the answer is not tried again', async () => {
    const sockets: Socket[] = [];
    let asked = 0;
    const server = createServer((socket) => {
      sockets.push(socket);
      socket.on('error', () => undefined);
      socket.on('data', () => {
        asked += 1;
        if (asked === 1) socket.write('HTTP/1.1 500 No\r\ncontent-length: 2\r\n\r\nno');
        else socket.write('HTTP/1.1 2', () => socket.destroy());
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    const port = typeof address === 'object' ? address?.port : undefined;
    const model = createAnthropicModel({ model: 'm', apiKey: key, baseUrl: `http://127.0.0.1:${port}` });
    expect((await askModel(model)).error).toMatchObject({ code: 'model.server_error' });
    expect((await askModel(model)).error).toMatchObject({ code: 'model.connection_failed' });
    expect({ asked, connections: sockets.length }).toEqual({ asked: 2, connections: 1 });
    await new Promise((resolve) => server.close(resolve));
  });

  test('a refused connection says where and what to check', async () => {
    await using served = await serve([text('later')]);
    await served.server.refuse();
    const { error } = await askModel(served.model);
    expect(error).toMatchObject({
      code: 'model.connection_failed',
      retryable: true,
      details: { code: 'ECONNREFUSED' },
    });
    expect(String(error)).toContain('ANTHROPIC_BASE_URL');
    await served.server.accept();
    expect((await askModel(served.model)).text).toBe('later');
  });
});

describe('leaving', () => {
  test.each([
    ['before the headers', mute(), 0],
    ['after the headers', reply(text('Hello'), { fault: { type: 'silence', after: 'headers' } }), 0],
    ['in the middle', reply(text('Hello'), { fault: { type: 'silence', after: { events: 3 } } }), 3],
  ])('an abort %s closes the socket and throws', async (_name, step, partsBefore) => {
    await using served = await serve([step]);
    const controller = new AbortController();
    const stream = served.model.stream(greeting, { signal: controller.signal })[Symbol.asyncIterator]();
    const request = await served.server.request(0);
    for (let taken = 0; taken < partsBefore; taken += 1) await stream.next();
    const next = stream.next();
    controller.abort(new Error('the person left'));
    await expect(next).rejects.toMatchObject({ code: 'operation.aborted', retryable: false });
    expect(await stream.next()).toEqual({ value: undefined, done: true });
    expect(await request.ended).toBe('left');
  });

  test('a signal that is aborted already sends nothing', async () => {
    await using served = await serve([]);
    const { error } = await askModel(served.model, { signal: AbortSignal.abort() });
    expect(error).toMatchObject({ code: 'operation.aborted' });
    expect(served.server.connections).toBe(0);
  });

  test('whoever stops reading closes the socket too', async () => {
    await using served = await serve([reply(text('Hello'), { fault: { type: 'silence', after: { events: 3 } } })]);
    const stream = served.model.stream(greeting, { signal: new AbortController().signal });
    for await (const part of stream) if (part.type === 'delta') break;
    expect(await (await served.server.request(0)).ended).toBe('left');
  });

  test('a reader that is slow loses nothing', async () => {
    const long = 'word '.repeat(20_000);
    await using served = await serve([reply(text(long, { pieceLength: 5 }), { wire: { eventsPerWrite: 500 } })]);
    const stream = served.model.stream(greeting, { signal: new AbortController().signal });
    let told = '';
    for await (const part of stream) {
      if (part.type !== 'delta') continue;
      told += part.text;
      if (told.length % 5_000 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    expect(told).toBe(long);
  });
});

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
    expect((await askModel(model, { messages: lying })).error).toMatchObject({ code: 'model.request_invalid' });
    await expect(forged.close()).rejects.toThrow('invalid signature');
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
    const error = await failure([page], 'model.stream_broken');
    expect(error.message).toMatch(/text\/html.*ANTHROPIC_BASE_URL/);
  });
});

test('keys that no header could carry are refused without being shown', () => {
  const make = () => createAnthropicModel({ model: 'm', apiKey: `${key}\nmore`, keySource: 'ANTHROPIC_API_KEY' });
  expect(make).toThrow(/ANTHROPIC_API_KEY holds/);
  expect(make).not.toThrow(key);
  expect(() => createAnthropicModel({ model: 'm', baseUrl: 'localhost:8080' })).toThrow(/is no http or https URL/);
});

test('many faulty servers at once are no trouble', async () => {
  const servers: ModelServer[] = [];
  const outcomes = await Promise.all(
    Array.from({ length: 30 }, async (_, index) => {
      const fault = { type: 'cut', after: { halfEvent: index % 5 }, how: index % 2 === 0 ? 'close' : 'end' } as const;
      const server = await startModelServer({ script: [reply(text('Hello'), { fault }), text('Hello')] });
      servers.push(server);
      const model = createAnthropicModel({ model: 'm', apiKey: key, baseUrl: server.url });
      return [(await askModel(model)).error, (await askModel(model)).text];
    }),
  );
  for (const [error, text] of outcomes) {
    expect(error).toMatchObject({ code: 'model.stream_broken' });
    expect(text).toBe('Hello');
  }
  await Promise.all(servers.map((server) => server.close()));
});
