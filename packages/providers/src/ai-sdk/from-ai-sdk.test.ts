import type { LanguageModelV2, LanguageModelV3, LanguageModelV4, LanguageModelV4StreamPart } from '@ai-sdk/provider';
import { isRondoError } from '@rondo/protocol/values';
import type { ModelRequest } from '@rondo/runtime';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { askModel } from '../testing/index.ts';
import { fromAiSdk } from './from-ai-sdk.ts';
import type { AiSdkLanguageModel } from './language-model.ts';

const usage = {
  inputTokens: { total: 3, noCache: 3, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: 2, text: 2, reasoning: undefined },
};
const hello: readonly LanguageModelV4StreamPart[] = [
  { type: 'stream-start', warnings: [] },
  { type: 'text-start', id: '0' },
  { type: 'text-delta', id: '0', delta: 'Hello' },
  { type: 'text-end', id: '0' },
  { type: 'finish', finishReason: { unified: 'stop', raw: 'stop' }, usage },
];

function streamOf<Part>(parts: readonly Part[], cancel: () => void = () => undefined): ReadableStream<Part> {
  const left = [...parts];
  return new ReadableStream<Part>({
    pull(controller) {
      const next = left.shift();
      // A stream that has no more parts and no end goes silent.
      if (next !== undefined) controller.enqueue(next);
      else if (parts === hello) controller.close();
      else return new Promise(() => undefined);
      return undefined;
    },
    cancel,
  });
}

type Call = Parameters<LanguageModelV4['doStream']>[0];

interface Fake {
  readonly calls: Call[];
  readonly model: LanguageModelV4;
}

function fake(doStream: (call: Call) => PromiseLike<{ stream: ReadableStream<LanguageModelV4StreamPart> }>): Fake {
  const calls: Call[] = [];
  const model: LanguageModelV4 = {
    specificationVersion: 'v4',
    provider: 'acme.chat',
    modelId: 'rocket-1',
    supportedUrls: {},
    doGenerate: () => Promise.reject(new Error('nobody asks for this')),
    doStream(call) {
      calls.push(call);
      return doStream(call);
    },
  };
  return { calls, model };
}

const speaking = (): Fake => fake(() => Promise.resolve({ stream: streamOf(hello) }));

async function failure(model: AiSdkLanguageModel, options = {}) {
  const { error } = await askModel(fromAiSdk(model, options));
  if (!isRondoError(error)) throw new Error(`no error of ours: ${String(error)}`, { cause: error });
  return error;
}

describe('what is asked', () => {
  const tool = { name: 'Read', description: 'Reads.', inputSchema: { type: 'object', properties: {} } };
  const request: Partial<ModelRequest> = {
    system: 'You greet.',
    tools: [tool],
    maxOutputTokens: 100,
    effort: 'max',
    temperature: 0.5,
  };

  test('prompt, tools, lengths, reasoning, and what the host asks for besides', async () => {
    const { calls, model } = speaking();
    const ours = fromAiSdk(model, {
      callOptions: ({ sessionId }) => ({ topP: 0.9, providerOptions: { acme: { session: sessionId ?? 'none' } } }),
    });
    expect(ours.name).toBe('acme/rocket-1');
    expect((await askModel(ours, request)).text).toBe('Hello');
    await askModel(ours, request);
    expect(calls[0]).toMatchObject({
      maxOutputTokens: 100,
      reasoning: 'max',
      temperature: 0.5,
      topP: 0.9,
      providerOptions: { acme: { session: 'none' } },
      prompt: [{ role: 'system', content: 'You greet.' }, { role: 'user' }],
      tools: [{ type: 'function', ...tool }],
      toolChoice: { type: 'auto' },
      includeRawChunks: false,
    });
    expect(calls[1]?.tools?.[0]).toBe(calls[0]?.tools?.[0]);
    expect(JSON.stringify(calls[1])).toBe(JSON.stringify(calls[0]));
  });

  test.each([
    [{ thinking: { type: 'disabled' }, effort: 'high' }, 'none'],
    [{ thinking: { type: 'enabled', budgetTokens: 9 } }, 'medium'],
    [{ thinking: { type: 'adaptive' } }, undefined],
    [{}, undefined],
  ] as const)('reasoning for %j is %s', async (asked, reasoning) => {
    const { calls, model } = speaking();
    await askModel(fromAiSdk(model), asked);
    expect(calls[0]?.reasoning).toBe(reasoning);
  });

  test('AI SDK 6 and 5 get it by options of their provider', async () => {
    const asked: unknown[] = [];
    const v3: LanguageModelV3 = {
      ...speaking().model,
      specificationVersion: 'v3',
      provider: 'groq.chat',
      doGenerate: () => Promise.reject(new Error()),
      doStream(call) {
        asked.push(call);
        return Promise.resolve({ stream: streamOf(hello as Parameters<typeof streamOf>[0]) as never });
      },
    };
    const v2: LanguageModelV2 = {
      ...v3,
      specificationVersion: 'v2',
      provider: 'anthropic.messages',
      doGenerate: () => Promise.reject(new Error()),
      doStream(call) {
        asked.push(call);
        const finish = {
          type: 'finish',
          finishReason: 'stop',
          usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2 },
        };
        return Promise.resolve({ stream: streamOf([...hello.slice(0, -1), finish]) as never });
      },
    };
    for (const model of [v3, v2]) expect(await askModel(fromAiSdk(model), request)).toMatchObject({ text: 'Hello' });
    expect(asked).toMatchObject([
      { providerOptions: { groq: { reasoningEffort: 'high' } } },
      { providerOptions: { anthropic: { thinking: { type: 'enabled', budgetTokens: 24_576 } } } },
    ]);
    expect(asked.some((call) => Object.hasOwn(call as object, 'reasoning'))).toBe(false);
  });

  test('what is no model of ours to ask is told at once', () => {
    const v1 = { ...speaking().model, specificationVersion: 'v1' } as unknown as LanguageModelV4;
    expect(() => fromAiSdk(v1)).toThrow(/contract "v1".*AI SDK 5 or newer/);
    expect(() => fromAiSdk('acme/rocket' as unknown as LanguageModelV4)).toThrow(/no language model/);
  });
});

describe('leaving', () => {
  test('an abort ends a request that hears nothing, before its stream and inside it', async () => {
    let cancelled = 0;
    const deaf = [
      fake(() => new Promise(() => undefined)),
      fake(() => Promise.resolve({ stream: streamOf(hello.slice(0, 3), () => (cancelled += 1)) })),
    ];
    for (const { calls, model } of deaf) {
      const abort = new AbortController();
      const asked = askModel(fromAiSdk(model), { signal: abort.signal });
      await vi.waitFor(() => expect(calls).toHaveLength(1));
      abort.abort();
      expect((await asked).error).toMatchObject({ code: 'operation.aborted' });
      expect(calls[0]?.abortSignal?.aborted).toBe(true);
    }
    expect(cancelled).toBe(1);
    const already = speaking();
    expect((await askModel(fromAiSdk(already.model), { signal: AbortSignal.abort() })).error).toMatchObject({
      code: 'operation.aborted',
    });
    expect(already.calls).toEqual([]);
  });

  test('a reader that leaves ends the request; a stream that comes after that is left too', async () => {
    const late = Promise.withResolvers<{ stream: ReadableStream<LanguageModelV4StreamPart> }>();
    const cancelled = Promise.withResolvers<void>();
    const slow = fake(() => late.promise);
    const abort = new AbortController();
    const asked = askModel(fromAiSdk(slow.model), { signal: abort.signal });
    await vi.waitFor(() => expect(slow.calls).toHaveLength(1));
    abort.abort();
    await asked;
    late.resolve({ stream: streamOf(hello.slice(0, 1), () => cancelled.resolve()) });
    await cancelled.promise;

    const { calls, model } = fake(() => Promise.resolve({ stream: streamOf(hello.slice(0, 3)) }));
    const request = { system: '', tools: [], messages: [] };
    for await (const part of fromAiSdk(model).stream(request, { signal: new AbortController().signal })) {
      if (part.type === 'delta') break;
    }
    expect(calls[0]?.abortSignal?.aborted).toBe(true);
  });
});

describe('silence', () => {
  afterEach(() => void vi.useRealTimers());

  test.each([
    ['no stream', () => new Promise<never>(() => undefined), 'headers', 60_000],
    ['a stream without parts', () => Promise.resolve({ stream: streamOf([]) }), 'first-byte', 300_000],
    ['a stream that stops', () => Promise.resolve({ stream: streamOf(hello.slice(0, 3)) }), 'idle', 300_000],
  ] as const)('%s is model.timeout', async (_name, doStream, phase, afterMs) => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const { calls, model } = fake(doStream);
    const asked = failure(model);
    await vi.advanceTimersByTimeAsync(afterMs - 1);
    expect(calls[0]?.abortSignal?.aborted).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    expect(await asked).toMatchObject({ code: 'model.timeout', retryable: true, details: { phase, afterMs } });
    expect(calls[0]?.abortSignal?.aborted).toBe(true);
  });

  test('a slow reader is no silent model', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const { model } = speaking();
    const request = { system: '', tools: [], messages: [] };
    const types: string[] = [];
    for await (const part of fromAiSdk(model).stream(request, { signal: new AbortController().signal })) {
      types.push(part.type);
      await vi.advanceTimersByTimeAsync(3_600_000);
    }
    expect(types).toEqual(['start', 'block-start', 'delta', 'block-end', 'end']);
  });
});

describe('failures', () => {
  const secret = 'gsk-0123456789abcdef';
  const thrown = (error: unknown): Fake => fake(() => Promise.reject(error as Error));
  const named = (name: string, fields: object) => Object.assign(new Error(`about ${secret}`), { name, ...fields });
  const call = (statusCode: number, more: object = {}) =>
    named('AI_APICallError', {
      statusCode,
      requestBodyValues: { conversation: 'private' },
      isRetryable: true,
      ...more,
    });

  test.each([
    ['a status', call(404), 'model.not_found', false],
    [
      'a body',
      call(400, { responseBody: '{"error":{"message":"context length exceeded"}}' }),
      'model.prompt_too_long',
      false,
    ],
    ['a wait', call(429, { responseHeaders: { 'Retry-After': '7' } }), 'model.rate_limited', true],
    ['a 500 that is final', call(500, { isRetryable: false }), 'model.server_error', false],
    ['the last of its retries', named('AI_RetryError', { lastError: call(529) }), 'model.overloaded', true],
    ['no key', named('AI_LoadAPIKeyError', {}), 'model.key_missing', false],
    ['what it cannot do', named('AI_UnsupportedFunctionalityError', {}), 'model.request_invalid', false],
    ['no such model', named('AI_NoSuchModelError', {}), 'model.not_found', false],
    ['a time of its own', named('TimeoutError', {}), 'model.timeout', true],
    [
      'fetch',
      Object.assign(new TypeError('fetch failed'), { cause: { code: 'ECONNREFUSED', message: 'refused' } }),
      'model.connection_failed',
      true,
    ],
    ['undici', named('Error', { code: 'UND_ERR_HEADERS_TIMEOUT' }), 'model.timeout', true],
    [
      'a reset',
      named('AI_APICallError', { cause: { code: 'ECONNRESET', message: `reset ${secret}` } }),
      'model.connection_failed',
      true,
    ],
    ['what its package did', new TypeError(`x of ${secret}`), 'model.request_invalid', false],
  ] as const)('%s', async (_name, error, code, retryable) => {
    const ours = await failure(thrown(error).model, { secrets: [secret], keySource: 'GROQ_API_KEY' });
    expect(ours).toMatchObject({ code, retryable });
    const everything = `${ours.message} ${ours.stack} ${JSON.stringify(ours)} ${String(ours.cause)}`;
    expect(everything).not.toContain(secret);
    expect(everything).not.toContain('private');
    if (code === 'model.rate_limited') expect(ours.details).toMatchObject({ status: 429, retryAfterMs: 7_000 });
  });

  const inside = (error: unknown): Fake =>
    fake(() => Promise.resolve({ stream: streamOf([...hello.slice(0, 3), { type: 'error', error }]) }));

  test.each([
    ['a status', call(503), 'model.server_error'],
    ['words', 'overloaded, come back later', 'model.server_error'],
    ['an object', { type: 'server_error', message: 'sorry' }, 'model.server_error'],
    ['what the package cannot read', named('AI_TypeValidationError', { value: { odd: 1 } }), 'model.stream_broken'],
    [
      'an error where a part belongs',
      named('AI_TypeValidationError', { value: { error: { message: 'busy' } } }),
      'model.server_error',
    ],
    ['no JSON', named('AI_JSONParseError', {}), 'model.stream_broken'],
    ['a fault of the package', new TypeError('cannot read choices of undefined'), 'model.stream_broken'],
  ] as const)('inside the stream: %s', async (_name, error, code) => {
    expect((await failure(inside(error).model)).code).toBe(code);
  });

  test('a stream that fails or ends early is broken', async () => {
    const torn = fake(() =>
      Promise.resolve({
        stream: new ReadableStream<LanguageModelV4StreamPart>({
          start: (controller) => controller.error(new Error('other side closed')),
        }),
      }),
    );
    expect((await failure(torn.model)).code).toBe('model.stream_broken');
    const short = fake(() =>
      Promise.resolve({
        stream: new ReadableStream<LanguageModelV4StreamPart>({
          start(controller) {
            for (const part of hello.slice(0, 3)) controller.enqueue(part);
            controller.close();
          },
        }),
      }),
    );
    expect(await failure(short.model)).toMatchObject({ code: 'model.stream_broken', retryable: true });
  });
});
