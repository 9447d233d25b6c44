import type { Model, ModelPart } from '@rondo/runtime';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { resolveModel } from './resolve-model.ts';
import { mute, reply, startModelServer, text, type Step } from './testing/index.ts';

const wires = [
  ['anthropic/claude-sonnet-5-5', (url: string) => ({ ANTHROPIC_API_KEY: 'k', ANTHROPIC_BASE_URL: url })],
  ['openai/gpt-6.2-sol', (url: string) => ({ OPENAI_API_KEY: 'k', OPENAI_BASE_URL: url })],
  [
    'openai-compatible/some-model',
    (url: string) => ({ OPENAI_COMPATIBLE_BASE_URL: `${url}/v1`, OPENAI_COMPATIBLE_API_KEY: 'k' }),
  ],
] as const;

const question = {
  system: '',
  tools: [],
  messages: [{ role: 'user', content: [{ type: 'text', text: 'Hello' }] }],
} as const;

afterEach(() => void vi.useRealTimers());

describe.each(wires)('%s', (name, envOf) => {
  async function serve(step: Step, env: Readonly<Record<string, string>>) {
    const server = await startModelServer({ script: [step] });
    const model = await resolveModel(name, { env: { ...envOf(server.url), ...env } });
    return { server, model, [Symbol.asyncDispose]: () => server.close() };
  }

  /** The question put with the clock standing still: what it comes to is known when the test has moved it. */
  function ask(model: Model) {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const stream = model.stream(question, { signal: new AbortController().signal })[Symbol.asyncIterator]();
    let failure: unknown;
    const read = async (until: (part: ModelPart) => boolean): Promise<void> => {
      for (;;) {
        const { done, value } = await stream.next();
        if (done === true || until(value)) return;
      }
    };
    const fails = (): Promise<void> => read(() => false).catch((error: unknown) => void (failure = error));
    return { read, fails, failure: () => failure };
  }

  test('API_TIMEOUT_MS is how long a request waits to be answered', async () => {
    await using served = await serve(mute(), { API_TIMEOUT_MS: '2000' });
    const asked = ask(served.model);
    const failed = asked.fails();
    await served.server.request(0);
    vi.advanceTimersByTime(1_999);
    expect(asked.failure()).toBeUndefined();
    vi.advanceTimersByTime(1);
    await failed;
    expect(asked.failure()).toMatchObject({ code: 'model.timeout' });
  });

  test('CLAUDE_STREAM_IDLE_TIMEOUT_MS is how long a reply may be silent, down to a second', async () => {
    const silent = reply(text(['one ', new Promise(() => {}), 'two']));
    await using served = await serve(silent, { CLAUDE_STREAM_IDLE_TIMEOUT_MS: '1' });
    const asked = ask(served.model);
    await asked.read(({ type }) => type === 'delta');
    const failed = asked.fails();
    vi.advanceTimersByTime(999);
    expect(asked.failure()).toBeUndefined();
    vi.advanceTimersByTime(1);
    await failed;
    expect(asked.failure()).toMatchObject({
      code: expect.stringMatching(/^model\.(timeout|stream_broken)$/) as string,
    });
  });

  test('CLAUDE_ENABLE_STREAM_WATCHDOG=0 lets it be silent for ever', async () => {
    const gate = Promise.withResolvers<undefined>();
    const env = { CLAUDE_ENABLE_STREAM_WATCHDOG: '0', CLAUDE_STREAM_IDLE_TIMEOUT_MS: '1000' };
    await using served = await serve(reply(text(['one ', gate.promise, 'two'])), env);
    const asked = ask(served.model);
    await asked.read(({ type }) => type === 'delta');
    vi.advanceTimersByTime(24 * 3_600_000);
    gate.resolve(undefined);
    await asked.read(({ type }) => type === 'end');
  });

  test('CLAUDE_AGENT_SDK_CLIENT_APP is named in the user agent', async () => {
    for (const [app, agent] of [
      ['my-app/1.2', 'rondo (client-app/my-app/1.2)'],
      ['bad\r\nname(é)', 'rondo (client-app/badname)'],
      ['', 'rondo'],
    ] as const) {
      await using served = await serve(text('hi'), { CLAUDE_AGENT_SDK_CLIENT_APP: app });
      await ask(served.model).read(({ type }) => type === 'end');
      vi.useRealTimers();
      expect(served.server.requests[0]?.headers['user-agent']).toBe(agent);
    }
  });
});

test('a user agent of the caller’s own stays', async () => {
  await using server = await startModelServer({ script: [text('hi')] });
  const env = { ANTHROPIC_API_KEY: 'k', ANTHROPIC_BASE_URL: server.url, CLAUDE_AGENT_SDK_CLIENT_APP: 'app' };
  const model = await resolveModel('anthropic/claude-sonnet-5-5', {
    env: { ...env, ANTHROPIC_CUSTOM_HEADERS: 'User-Agent: mine/1' },
  });
  for await (const _ of model.stream(question, { signal: new AbortController().signal }));
  expect(server.requests[0]?.headers['user-agent']).toBe('mine/1');
});
